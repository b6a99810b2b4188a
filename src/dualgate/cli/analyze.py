"""dualgate analyze: what an agent's answers mean, and whether a loop over them should go on."""

from typing import Any

import click

from dualgate.agents.command import local_now
from dualgate.analyzer import add, read_answer, should_exit, start
from dualgate.cli.output import open_input, say, say_json
from dualgate.core.answer import Answer
from dualgate.core.exits import Known
from dualgate.core.plan import read_plan
from dualgate.core.vocabulary import Phase
from dualgate.display.analysis import analysis_lines, analysis_record

TESTS = {"passing": True, "failing": False, "unknown": None}
FILE = click.Path(exists=True, dir_okay=False, allow_dash=True)


@click.command("analyze")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--exit-code", type=int, default=0, show_default=True, help="How the last call ended.")
@click.option("--stderr", type=FILE, help="What the last call left on standard error.")
@click.option("--tests", type=click.Choice(list(TESTS)), default="unknown", help="What a test run of yours said.")
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
    history = start()
    *earlier, last = files
    for file in earlier:
        add(history, _read(file), Phase(phase))
    stderr = _text(ends["stderr"]) if ends["stderr"] else ""
    analysis = add(history, _read(last, exit_code=ends["exit_code"], stderr=stderr), Phase(phase))
    plan = read_plan(_text(ends["plan"])) if ends["plan"] else None
    decision = should_exit(history, Known(tests_pass=TESTS[ends["tests"]], plan=plan, phase=Phase(phase)))
    if as_json:
        say_json(analysis_record(decision, analysis))
    else:
        say("\n".join(analysis_lines(decision, analysis)))
    return 0


def _read(file: str, **end: Any) -> Answer:
    with open_input(file) as stream:
        return read_answer(stream, now=local_now(), **end)


def _text(file: str) -> str:
    with open_input(file) as stream:
        return stream.read().decode("utf-8-sig", "replace")
