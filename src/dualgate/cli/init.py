"""dualgate init: set a project up with a short dualgate.toml, or with hooks for coding agents."""

import click


@click.command()
@click.option("--hooks", "hosts", metavar="HOSTS", help="Add hooks for claude, codex, gemini, copilot (with commas).")
@click.option("--remove", is_flag=True, help="With --hooks: remove the hooks again.")
@click.option("--yes", is_flag=True, help="Write the file without asking.")
def init(hosts: str | None, remove: bool, yes: bool) -> int:
    """Propose settings for the current folder, show them, and write dualgate.toml if you agree.

    Looks for agents, tests, commands worth approving and documents. Runs nothing of the project; existing settings are
    never overwritten. Exit codes: 0 written, 1 not written.

    With --hooks the settings of these hosts in the repository are changed instead, so that the work is verified
    before an agent stops. The change is shown first; everything else in the files stays.
    """
    if remove and hosts is None:
        raise click.UsageError("--remove needs --hooks: it removes the hooks of these hosts.")
    if hosts is not None:
        from dualgate.cli.init_hooks_action import set_up_hooks

        return set_up_hooks(hosts, remove, yes)
    from dualgate.cli.init_action import set_up

    return set_up(yes)
