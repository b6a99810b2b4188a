"""dualgate run: work on a specification until it is proven done, given up, or stopped."""

import click

from dualgate.cli.options import setting_options


@click.command()
@click.argument("spec", type=click.Path(), required=False)
@setting_options
@click.option("--fresh", is_flag=True, help="Put an unfinished session of this project in the archive and start anew.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each agent call, and one for the result.")
@click.option("--dry-run", is_flag=True, help="Show what would be done, and the first prompt; do and write nothing.")
def run(spec: str | None, fresh: bool, as_json: bool, dry_run: bool, **flags: object) -> int:
    """Work on SPEC, a Markdown file with acceptance criteria, in the current folder.

    With --workflow ralph SPEC is a prompt of any form (PROMPT.md where none is given), worked on over a task list.

    Exit codes: 0 completed and proven, 1 error, 2 usage, 3 halted, 4 blocked, 5 a limit was met and not waited
    for, 6 another run owns this folder, 7 completed but not proven, 70 a bug in dualgate, 130 paused by you.
    """
    from dualgate.cli.running import run_spec

    return run_spec(spec, flags, fresh, as_json, dry_run)
