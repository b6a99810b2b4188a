"""dualgate log: show the events of a session."""

import click


@click.command()
@click.argument("session", required=False)
@click.option("--follow", "-f", is_flag=True, help="Go on as events are written, until the run ends or Ctrl+C.")
@click.option("--json", "as_json", is_flag=True, help="The journal as it is: one JSON object a line.")
def log(session: str | None, follow: bool, as_json: bool) -> int:
    """Show what happened in SESSION, with times and every warning; without SESSION, in that of the current folder.

    SESSION is an id or its beginning, as 'dualgate sessions' lists them; archived sessions and those of other projects
    are found too. Exit code 1 where there is none.
    """
    from dualgate.cli.log_action import show_log

    return show_log(session, follow, as_json)
