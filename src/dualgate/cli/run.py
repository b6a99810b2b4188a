"""dualgate run: work on a specification until it is proven, halted or stopped."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from dualgate.cli.options import setting_options
from dualgate.cli.sources import require_one, spec_arguments

if TYPE_CHECKING:
    from dualgate.cli.run_display import Style


@click.command()
@spec_arguments
@click.option("-P", "--prompt-file", type=click.Path(), metavar="FILE", help="The same as SPEC.")
@setting_options
@click.option("--fresh", is_flag=True, help="Put an unfinished session of this project in the archive and start anew.")
@click.option("--resume", "--continue", "goes_on", is_flag=True, help="Go on instead, as 'dualgate resume' does.")
@click.option(
    "--yes", is_flag=True, help="Take the first reading of each question about SPEC, and approve its commands."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each agent call, and one for the result.")
@click.option("--plain", is_flag=True, help="Write lines only, without the live view.")
@click.option("-q", "--quiet", is_flag=True, help="Write problems and the result only.")
@click.option("--dry-run", is_flag=True, help="Show what would be done, and the first prompt; do and write nothing.")
def run(
    spec: str | None,
    prompt: str | None,
    prompt_file: str | None,
    fresh: bool,
    goes_on: bool,
    yes: bool,
    as_json: bool,
    plain: bool,
    quiet: bool,
    dry_run: bool,
    **flags: object,
) -> int:
    """Work on SPEC in the current folder; - is standard input. 'dualgate check SPEC' shows what is read from it.

    A specification with acceptance criteria goes through five phases (tdd), one with only tasks through one (ralph).
    With --workflow ralph SPEC is a prompt of any form (PROMPT.md where none is given), worked on over a task list.

    Exit codes: 0 completed and proven, 1 error, 2 usage, 3 halted, 4 blocked, 5 a limit was met and not waited
    for, 6 another run owns this folder, 7 completed but not proven, 70 a bug in dualgate, 130 paused by you.
    """
    require_one(spec=spec, prompt=prompt, prompt_file=prompt_file)
    if goes_on and (fresh or dry_run):
        raise click.UsageError("--resume goes on with a session; --fresh and --dry-run are about a new one.")

    from dualgate.cli.run_display import style_of

    style = style_of(plain, quiet, as_json)
    if goes_on:
        return _go_on(flags, yes, style)

    from dualgate.cli.run_action import run_spec

    return run_spec((spec or prompt_file, prompt), flags, fresh, yes, style, dry_run)


def _go_on(flags: Mapping[str, object], yes: bool, style: "Style") -> int:
    """Resume the session with its own specification; a specification on the command line is ignored."""
    from dualgate.cli.resume_action import go_on
    from dualgate.session.resume import Choices

    return go_on(Choices(flags=flags), yes, style)
