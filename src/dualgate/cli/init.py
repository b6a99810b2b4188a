"""dualgate init: set a project up with a short dualgate.toml."""

import click


@click.command()
@click.option("--yes", is_flag=True, help="Write the file without asking.")
def init(yes: bool) -> int:
    """Propose settings for the current folder, show them, and write dualgate.toml if you agree.

    Looks for agents, tests, commands worth approving and documents. Runs nothing of the project; existing settings are
    never overwritten. Exit codes: 0 written, 1 not written.
    """
    from dualgate.cli.init_action import set_up

    return set_up(yes)
