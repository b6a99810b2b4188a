"""The options and help of dualgate demo."""

import click


@click.command()
def demo() -> int:
    """Show a whole run on a small project, in less than a minute and without a key. Exit codes: as for run."""
    from dualgate.cli.demo_action import show_a_run

    return show_a_run()
