"""dualgate run: work on a specification until it is proven, halted or stopped."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from dualgate.cli.options import setting_options
from dualgate.cli.sections import BySubject
from dualgate.cli.sources import require_one, spec_arguments

if TYPE_CHECKING:
    from dualgate.cli.run_display import Style


@click.command(cls=BySubject)
@spec_arguments
@click.option("-P", "--prompt-file", type=click.Path(), metavar="FILE", help="Same as SPEC.")
@setting_options
@click.option(
    "--worktree",
    is_flag=False,
    flag_value="",
    default=None,
    metavar="[NAME]",
    help="Work in a new git worktree beside the repository; your checkout stays as it is.",
)
@click.option("--from", "ref", metavar="REF", help="With --worktree: the commit to start from. Default: HEAD.")
@click.option("--fresh", is_flag=True, help="Archive the unfinished session of this folder, and start over.")
@click.option(
    "--resume", "--continue", "goes_on", is_flag=True, help="Continue the session instead, as 'dualgate resume' does."
)
@click.option(
    "--yes", is_flag=True, help="Accept the first reading of each question about SPEC, and approve its commands."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object for each agent call, and one for the result."
)
@click.option("--plain", is_flag=True, help="Write lines only, without the live view.")
@click.option("-q", "--quiet", is_flag=True, help="Write problems and the result only.")
@click.option("--dry-run", is_flag=True, help="Show the plan and the first prompt; run and write nothing.")
def run(
    spec: str | None,
    prompt: str | None,
    prompt_file: str | None,
    worktree: str | None,
    ref: str | None,
    fresh: bool,
    goes_on: bool,
    yes: bool,
    as_json: bool,
    plain: bool,
    quiet: bool,
    dry_run: bool,
    **flags: object,
) -> int:
    """Let an agent work on SPEC in the current folder until it is proven. SPEC is a file, or - for standard input.

    A specification with acceptance criteria takes five phases (tdd); one with only tasks takes one phase (ralph).
    With --workflow ralph, SPEC is any prompt (default: PROMPT.md), with a task list beside it.
    'dualgate check SPEC' shows how it is read.

    Exit codes: 0 completed and proven, 1 error, 2 usage, 3 halted, 4 blocked, 5 limit reached and not waited for,
    6 another run is at work in this folder, 7 completed, not proven, 70 bug in dualgate, 130 paused by you.
    """
    if worktree and not (spec or prompt or prompt_file) and os.path.isfile(worktree):  # noqa: PTH113  as fast as help
        spec, worktree = worktree, ""  # --worktree SPEC: the name was left out
    require_one(spec=spec, prompt=prompt, prompt_file=prompt_file)
    if goes_on and (fresh or dry_run):
        raise click.UsageError("--resume continues a session; --fresh and --dry-run start a new one.")

    if ref is not None and worktree is None:
        raise click.UsageError("--from needs --worktree: without one, a run works on the files as they are.")

    from dualgate.cli.run_display import style_of

    style = style_of(plain, quiet, as_json)
    if goes_on:
        return _go_on(flags, yes, style, worktree)

    from dualgate.cli.run_action import run_spec

    beside = None if worktree is None else (worktree, ref or "")
    return run_spec((spec or prompt_file, prompt), flags, fresh, yes, style, dry_run, beside)


def _go_on(flags: Mapping[str, object], yes: bool, style: "Style", worktree: str | None) -> int:
    """Resume the session with its own specification; a specification on the command line is ignored."""
    if worktree:
        from dualgate.cli.worktree_action import enter

        enter(worktree)
    from dualgate.cli.resume_action import go_on
    from dualgate.session.resume import Choices

    return go_on(Choices(flags=flags), yes, style)
