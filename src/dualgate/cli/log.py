"""dualgate log: show the events of a session."""

import click

from dualgate.cli.words import complete_sessions


@click.command()
@click.argument("session", required=False, shell_complete=complete_sessions)
@click.option("--follow", "-f", is_flag=True, help="Go on as events are written, until the run ends or Ctrl+C.")
@click.option("--evidence", is_flag=True, help="Only the test runs and checks, with what they ran on.")
@click.option("--json", "as_json", is_flag=True, help="The journal as it is: one JSON object a line.")
def log(session: str | None, follow: bool, evidence: bool, as_json: bool) -> int:
    """Show what happened in SESSION, with times and every warning; without SESSION, in that of the current folder.

    SESSION is an id or its beginning, as 'dualgate sessions' lists them; archived sessions and those of other projects
    are found too. Exit code 1 where there is none.

    --evidence lists every test run and check: its command, exit code, tree, git commit, the hash of its output, and the
    versions of its tools. With --json each is an object.
    """
    from dualgate.cli.log_action import show_log

    return show_log(session, follow, evidence, as_json)
