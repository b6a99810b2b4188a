"""The options and help of dualgate sessions. The action is imported when the command is called."""

import click

from dualgate.cli.words import complete_sessions
from dualgate.cli.worktree_option import in_worktree

as_json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object.")
of_all_option = click.option(
    "--all", "of_all", is_flag=True, help="Those of every project, not of the current folder alone."
)


@click.group(invoke_without_command=True)
@of_all_option
@in_worktree
@as_json_option
@click.pass_context
def sessions(context: click.Context, of_all: bool, as_json: bool) -> int | None:
    """List the session of the current folder and those in its archive, the newest first."""
    if context.invoked_subcommand is not None:
        return None
    from dualgate.cli.sessions_action import list_sessions

    return list_sessions(of_all, as_json)


@sessions.command("list")
@of_all_option
@in_worktree
@as_json_option
def list_(of_all: bool, as_json: bool) -> int:
    """The same as 'dualgate sessions' alone."""
    from dualgate.cli.sessions_action import list_sessions

    return list_sessions(of_all, as_json)


@sessions.command()
@click.argument("name", metavar="ID", required=False, shell_complete=complete_sessions)
@in_worktree
@as_json_option
def show(name: str | None, as_json: bool) -> int:
    """One session in full, without ID the present one. ID may be the beginning of its id; sessions of other projects
    are found too.
    """
    from dualgate.cli.sessions_action import show_session

    return show_session(name, as_json)


@sessions.command()
@click.argument("name", metavar="ID", required=False, shell_complete=complete_sessions)
@of_all_option
@in_worktree
@as_json_option
def metrics(name: str | None, of_all: bool, as_json: bool) -> int:
    """Time, tests, tokens and cost of a session by iteration, without ID of the present one; with --all by session."""
    from dualgate.cli.sessions_action import show_metrics

    return show_metrics(name, of_all, as_json)


@sessions.command()
@in_worktree
@as_json_option
def archive(as_json: bool) -> int:
    """Put the session of the current folder into the archive, whatever its state. Exit code 6 while it is running."""
    from dualgate.cli.sessions_action import archive_session

    return archive_session(as_json)


@sessions.command()
@click.option("--keep-last", type=click.IntRange(min=0), metavar="N", help="The newest are kept. Default: 20.")
@click.option("--keep-days", type=click.IntRange(min=0), metavar="N", help="And the younger ones. Default: 90.")
@in_worktree
@as_json_option
def prune(keep_last: int | None, keep_days: int | None, as_json: bool) -> int:
    """Let go of old sessions in the archive. The present one, unfinished and unreadable ones stay."""
    from dualgate.cli.sessions_action import prune_sessions

    return prune_sessions(keep_last, keep_days, as_json)
