"""dualgate resume: continue the session of this project where it stopped."""

import click

from dualgate.cli.options import setting_options
from dualgate.cli.sections import BySubject
from dualgate.cli.worktree_option import in_worktree


@click.command(cls=BySubject)
@setting_options
@in_worktree
@click.option("--reset", is_flag=True, help="Reset a halted session first: close its breaker, restart its counts.")
@click.option("--guidance", default="", metavar="TEXT", help="With --reset: what the agent should do differently.")
@click.option(
    "--respec",
    is_flag=True,
    help="Use the specification as it is now; new and changed criteria start again in RED.",
)
@click.option("--keep-spec", is_flag=True, help="Use the specification as it was, although its file changed.")
@click.option(
    "--yes", is_flag=True, help="Approve the commands of checks, and accept the first reading of each new question."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object for each agent call, and one for the result."
)
@click.option("--plain", is_flag=True, help="Write lines only, without the live view.")
@click.option("-q", "--quiet", is_flag=True, help="Write problems and the result only.")
def resume(
    reset: bool,
    guidance: str,
    respec: bool,
    keep_spec: bool,
    yes: bool,
    as_json: bool,
    plain: bool,
    quiet: bool,
    **flags: object,
) -> int:
    """Continue the session of the current folder from its last finished step.

    The session keeps its settings; flags given now override them. A completed session prints its result. A session
    that halted without progress needs --reset. If the specification changed, --respec or --keep-spec decides which
    version counts. On a terminal, it asks before it runs commands that you did not approve. Exit codes: as for run.
    """
    if respec and keep_spec:
        raise click.UsageError("--respec and --keep-spec exclude each other; give one of them.")
    if guidance and not reset:
        raise click.UsageError("--guidance needs --reset; 'dualgate guide TEXT' guides the agent without a reset.")

    from dualgate.cli.resume_action import go_on, reset_first
    from dualgate.cli.run_display import style_of
    from dualgate.session.resume import Choices

    if reset:
        reset_first(guidance.strip(), as_json)
    return go_on(Choices(flags=flags, respec=respec, keep_spec=keep_spec), yes, style_of(plain, quiet, as_json))
