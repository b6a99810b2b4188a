"""dualgate status: show the state of this project's session."""

import click


@click.command()
@click.option("--line", is_flag=True, help="One line only.")
@click.option("--watch", is_flag=True, help="Show it again after each event, until the run ends or Ctrl+C.")
@click.option("--json", "as_json", is_flag=True, help="The whole state as one JSON object.")
def status(line: bool, watch: bool, as_json: bool) -> int:
    """Say where the session of the current folder stands. Exit code 1 where there is none."""
    from dualgate.cli.status_action import show_status, watch_status

    return watch_status(line, as_json) if watch else show_status(line, as_json)
