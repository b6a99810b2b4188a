"""dualgate init: set a project up with a short dualgate.toml, or with hooks for coding agents."""

import click


@click.command()
@click.option(
    "--hooks", "hosts", metavar="HOSTS", help="Add hooks for these hosts, as in: claude,codex,gemini,copilot."
)
@click.option("--remove", is_flag=True, help="With --hooks: remove the hooks again.")
@click.option("--yes", is_flag=True, help="Write the file without asking.")
def init(hosts: str | None, remove: bool, yes: bool) -> int:
    """Propose settings for the current folder, and write dualgate.toml if you agree.

    Looks for agents, tests, linters and documents. Runs nothing of the project, and overwrites no settings.
    Exit codes: 0 written, 1 not written.

    With --hooks, it changes the settings of these hosts in the repository instead: they verify the work before an
    agent stops. It shows the change first, and keeps everything else in the files.
    """
    if remove and hosts is None:
        raise click.UsageError("--remove needs --hooks: it removes the hooks of these hosts.")
    if hosts is not None:
        from dualgate.cli.init_hooks_action import set_up_hooks

        return set_up_hooks(hosts, remove, yes)
    from dualgate.cli.init_action import set_up

    return set_up(yes)
