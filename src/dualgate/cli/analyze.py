"""The options and help of dualgate analyze. The action is imported when the command is called."""

from typing import Any

import click

from dualgate.cli.words import OneOf
from dualgate.core.values.vocabulary import Phase

FILE = click.Path(exists=True, dir_okay=False, allow_dash=True)
SUITE_WORDS = ("passing", "failing", "unknown")


@click.command("analyze")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--exit-code", type=int, default=0, show_default=True, help="The exit code of the last call.")
@click.option("--stderr", type=FILE, help="The standard error of the last call.")
@click.option(
    "--tests",
    type=OneOf(SUITE_WORDS),
    default="unknown",
    help="The result of your own test run.",
)
@click.option("--plan", type=FILE, help="A task list with tick boxes, or a prd.json.")
@click.option(
    "--phase",
    type=OneOf(Phase),
    default=Phase.BUILD.value,
    show_default=True,
    help="The phase of the last answer.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def analyze_command(files: tuple[str, ...], phase: str, as_json: bool, **ends: Any) -> int:
    """Read FILES, one agent's answers, oldest first ('-' is standard input), and decide whether a loop continues.

    Exit code 0 whenever the answers can be read.
    """
    from dualgate.cli.analyze_action import tell_answers

    return tell_answers(files, Phase(phase), as_json, ends)
