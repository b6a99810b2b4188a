"""dualgate status: show the state of this project's session."""

import click

from dualgate.cli.worktree_option import in_worktree


@click.command()
@click.option("--line", is_flag=True, help="One line only.")
@click.option("--all", "of_all", is_flag=True, help="A table of the sessions of every project, running ones first.")
@click.option("--watch", is_flag=True, help="Show it again after each event, until the run ends or Ctrl+C.")
@in_worktree
@click.option("--json", "as_json", is_flag=True, help="One JSON object (dualgate schema status, with --all sessions).")
def status(line: bool, of_all: bool, watch: bool, as_json: bool) -> int:
    """Show the session of the current folder: phase, tests, what it waits for or why it stopped, and the next commands.

    Exit code 1 if there is no session.
    """
    if of_all:
        if line or watch:
            raise click.UsageError("--all cannot be combined with --line or --watch.")
        from dualgate.cli.sessions_action import show_every_session

        return show_every_session(as_json)
    if line and not (watch or as_json):
        from dualgate.cli.status_line import show_line

        return show_line()
    from dualgate.cli.status_action import show_status, watch_status

    return watch_status(line, as_json) if watch else show_status(as_json)
