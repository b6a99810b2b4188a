"""The options and help of dualgate analyze. The action is imported when the command is called."""

from typing import Any

import click

from dualgate.core.values.vocabulary import Phase

FILE = click.Path(exists=True, dir_okay=False, allow_dash=True)
SUITE_WORDS = ("passing", "failing", "unknown")


@click.command("analyze")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--exit-code", type=int, default=0, show_default=True, help="How the last call ended.")
@click.option("--stderr", type=FILE, help="What the last call left on standard error.")
@click.option(
    "--tests",
    type=click.Choice(SUITE_WORDS),
    default="unknown",
    help="What a test run of yours said.",
)
@click.option("--plan", type=FILE, help="A task list with tick boxes, or a prd.json.")
@click.option(
    "--phase",
    type=click.Choice(list(map(str, Phase)), case_sensitive=False),
    default=Phase.BUILD.value,
    show_default=True,
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def analyze_command(files: tuple[str, ...], phase: str, as_json: bool, **ends: Any) -> int:
    """Read FILES, one agent's answers, oldest first ('-' is standard input), and decide on the last.

    Exit code 0 whenever it could answer, whatever the answer.
    """
    from dualgate.cli.analyze_action import tell_answers

    return tell_answers(files, Phase(phase), as_json, ends)
