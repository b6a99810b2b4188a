"""dualgate log: show the events of a session, or one iteration in full."""

from typing import Any

import click

from dualgate.cli.words import complete_sessions
from dualgate.cli.worktree_option import in_worktree


@click.command()
@click.argument("words", nargs=-1, metavar="[SESSION] [N]")
@click.option("--phase", metavar="PHASE", help="Count N in this phase, and take its last visit.")
@click.option("--full", is_flag=True, help="Do not cut prompt, answer, diff and lists of tests.")
@in_worktree
@click.option("--json", "as_json", is_flag=True, help="One JSON object, with everything in full.")
def show(words: tuple[str, ...], phase: str | None, full: bool, as_json: bool) -> int:
    """Show one iteration in full: prompt, answer, diff, tests, claims beside facts, both gates and the decision.

    N is the number of the iteration over the whole session, as 'dualgate log' names it; without N the last one.
    SESSION is an id or its beginning; without it the session of the current folder.
    """
    from dualgate.cli.log_show_action import show_iteration

    return show_iteration(words, phase, full, as_json)


class _Log(click.Command):
    """`log show` is a command of its own; every other first word is a session."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        if args[:1] == ["show"]:
            return show.make_context(f"{info_name} show", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(cls=_Log)
@click.argument("session", required=False, shell_complete=complete_sessions)
@click.option("--follow", "-f", is_flag=True, help="Continue as events are written, until the run ends or Ctrl+C.")
@click.option("--phase", metavar="PHASE", help="Only events of this phase.")
@click.option("--event", "kinds", multiple=True, metavar="KIND", help="Only events of this kind; repeatable.")
@click.option("--iteration", metavar="N[-M]", help="Only these iterations; with --phase counted in that phase.")
@click.option("--evidence", is_flag=True, help="Only the test runs and checks, with what they ran on.")
@in_worktree
@click.option("--json", "as_json", is_flag=True, help="The journal as it is: one JSON object a line.")
def log(
    session: str | None,
    follow: bool,
    phase: str | None,
    kinds: tuple[str, ...],
    iteration: str | None,
    evidence: bool,
    as_json: bool,
) -> int:
    """Show what happened in SESSION, with local times and durations; without SESSION, in that of the current folder.

    SESSION is an id or its beginning, as 'dualgate sessions' lists them; archived sessions and those of other projects
    are found too. Exit code 1 if the session is missing.

    'dualgate log show [SESSION] [N]' shows one iteration in full: prompt, answer, diff, tests, gates and why.

    --evidence lists every test run and check: its command, exit code, tree, git commit, the hash of its output, and the
    versions of its tools. With --json each is an object.
    """
    from dualgate.cli.log_action import show_log
    from dualgate.cli.log_filter import Wanted, wanted_of

    wanted: Wanted = wanted_of(phase, kinds, iteration)
    return show_log(session, follow, wanted, evidence, as_json)
