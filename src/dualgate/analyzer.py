"""Agent output -> Analysis: read answers by structure, and decide about the exit with reasons.

Typed counterparts of the eight functions of the response analyzer: `start`, `parse_json`, `parse_text`,
`extract_status`, `detect_format`, `should_exit`, `detect_stuck_loop`, `get_work_type`. None of them raises on any
output.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from io import BytesIO
from typing import BinaryIO

from dualgate.agents.output import read_output
from dualgate.agents.registry import FORMATS
from dualgate.core.gates.analysis import Analysis, analyze
from dualgate.core.gates.analysis import should_exit as decide
from dualgate.core.gates.exits import ExitDecision
from dualgate.core.gates.exits import ExitEvidence as ExitEvidence
from dualgate.core.said.blocks import Found, read_ralph_status
from dualgate.core.said.signature import repeats_error
from dualgate.core.spec.plan import read_plan as read_plan
from dualgate.core.values.answer import Answer, AnswerFormat, CallEnd, Ending, conclude
from dualgate.core.values.limits import Limits
from dualgate.core.values.ralph_status import RalphStatus
from dualgate.core.values.specification import Plan as Plan
from dualgate.core.values.vocabulary import Phase, WorkType

Output = str | bytes


def start() -> list[Analysis]:
    """Return an empty history; `add` each answer to it, oldest first (`ra_init`)."""
    return []


def read_answer(
    output: Output | BinaryIO,
    *,
    exit_code: int | None = 0,
    stderr: str = "",
    now: datetime | None = None,
    timed_out: bool = False,
) -> Answer:
    """Read one call's output, whatever its format; a file is read as a stream, however long it is.

    `now` gives clock times in it their day and zone.
    """
    end = CallEnd(
        now=now or datetime.now(UTC),
        exit_code=exit_code,
        stderr=stderr,
        ending=Ending.TIMED_OUT if timed_out else Ending.EXITED,
    )
    if isinstance(output, str):
        output = output.encode("utf-8", "replace")
    return read_output(BytesIO(output) if isinstance(output, bytes) else output, FORMATS, end)


def parse_json(output: Output) -> Answer:
    """Read output that is JSON in any of its forms (`ra_parse_json`); other output is read as text."""
    return read_answer(output)


def parse_text(output: Output) -> Answer:
    """Read output as plain text, even if it looks like JSON (`ra_parse_text`)."""
    text = output if isinstance(output, str) else output.decode("utf-8", "replace")
    return conclude(Answer(text=text), CallEnd(now=datetime.now(UTC)))


def extract_status(output: Output | Answer) -> RalphStatus | None:
    """Return the fields of the last complete RALPH_STATUS block, if all are legal (`ra_extract_status`)."""
    answer = output if isinstance(output, Answer) else read_answer(output)
    found = read_ralph_status(answer.text)
    return found.fields if isinstance(found, Found) else None


def detect_format(output: Output) -> AnswerFormat:
    """Detect plain text, one JSON document, a JSON list, or JSON lines (`ra_detect_format`)."""
    return read_answer(output).format


def should_exit(history: Sequence[Analysis], known: ExitEvidence | None = None) -> ExitDecision:
    """Decide after the last answer of a history, with the reasons (`ra_should_exit`)."""
    return decide(history, known or ExitEvidence())


def detect_stuck_loop(history: Sequence[Analysis]) -> bool:
    """Whether the last three answers show the same error (`ra_detect_stuck_loop`)."""
    return repeats_error([analysis.error for analysis in history], Limits().same_error_nudge)


def get_work_type(output: Output | Answer) -> WorkType | None:
    """Return the type of work from the status block, else guessed from the text (`ra_get_work_type`)."""
    return add([], output).work_type


def add(
    history: list[Analysis], output: Output | Answer, phase: Phase = Phase.BUILD, changed_files: bool | None = None
) -> Analysis:
    """Analyze an answer and append it to a history; `changed_files` is whether the call changed files."""
    answer = output if isinstance(output, Answer) else read_answer(output)
    history.append(analyze(answer, phase, changed_files))
    return history[-1]
