"""The action of analyze: read an agent's answers, and decide whether a loop over them should continue."""

from collections.abc import Mapping, Sequence
from typing import Any

from dualgate.agents.command import local_now
from dualgate.analyzer import add, read_answer, should_exit, start
from dualgate.cli.output import open_input, say, say_json
from dualgate.core.gates.exits import ExitEvidence
from dualgate.core.spec.plan import read_plan
from dualgate.core.values.answer import Answer
from dualgate.core.values.vocabulary import Phase
from dualgate.display.analysis import analysis_lines, analysis_record

PASSING = {"passing": True, "failing": False}


def tell_answers(files: Sequence[str], phase: Phase, as_json: bool, ends: Mapping[str, Any]) -> int:
    history = start()
    *earlier, last = files
    for file in earlier:
        add(history, _read(file), phase)
    stderr = _text(ends["stderr"]) if ends["stderr"] else ""
    analysis = add(history, _read(last, exit_code=ends["exit_code"], stderr=stderr), phase)
    plan = read_plan(_text(ends["plan"])) if ends["plan"] else None
    decision = should_exit(history, ExitEvidence(tests_pass=PASSING.get(ends["tests"]), plan=plan, phase=phase))
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
