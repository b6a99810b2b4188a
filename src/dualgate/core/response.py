"""Answer -> Claim: what the agent says. Nothing here knows whether it is true."""

import re
from dataclasses import dataclass, field
from enum import StrEnum

from dualgate.core.answer import Answer, Failure
from dualgate.core.blocks import (
    Found,
    Malformed,
    Missing,
    RalphStatus,
    SuiteStatus,
    WorkStatus,
    WorkType,
    not_honoured,
    read_ralph_status,
)
from dualgate.core.reported import NOTHING_REPORTED, Reported, read_reported
from dualgate.core.vocabulary import Phase
from dualgate.core.words import closing_question, shown_error
from dualgate.core.work_report import WorkReport, read_work_report

LAST_WORDS = 1 << 18
"""No review is longer; what stands before is a log."""
REVIEW_LINE = re.compile(r"^[ \t>*_#-]*Verdict[*_]*[ \t]*:[ \t*_]*(APPROVE|REJECT)[*_]*[ \t.]*\r?$", re.MULTILINE)
# a line of the template offers all severities, and is no finding
FINDING_LINE = re.compile(
    r"^[ \t>*_-]*severity[*_]*[ \t]*:[ \t*_]*(critical|major)\b(?![ \t]*\|)", re.MULTILINE | re.IGNORECASE
)


class Review(StrEnum):
    APPROVE = "APPROVE"
    REJECT = "REJECT"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What the agent says. `exit_signal` is the honoured one; `problems` tell why a given one was not."""

    status: WorkStatus | None = None
    exit_signal: bool = False
    tests_status: SuiteStatus | None = None
    files_modified: int | None = None
    tasks_completed: int | None = None
    reported: Reported = NOTHING_REPORTED
    recommendation: str = ""
    review: Review | None = None
    blocking_findings: int = 0
    work_type: WorkType | None = None
    denied: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    """Asked through a tool made for asking, or at the end of an answer that does not signal its end."""
    allowed_by: str = ""
    failure: Failure | None = None
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    """What was tolerated in the block, or missing from it."""
    has_block: bool = True
    report: WorkReport = field(default_factory=WorkReport)
    """What the packets of the phase say."""
    error: str = ""
    """The error that the answer is, or shows as a program prints one."""


def read_response(answer: Answer, phase: Phase) -> Claim:
    failure = answer.failure
    fields, problems, warnings, has_block = RalphStatus(), tuple[str, ...](), tuple[str, ...](), True
    match read_ralph_status(answer.text):
        case Missing():
            problems, has_block = ("the answer holds no complete RALPH_STATUS block",), False
        case Malformed(fields=legal) as malformed:
            fields, problems = legal or fields, tuple(map(str, malformed.errors))
        case Found(fields=found, problems=tolerated):
            fields, problems, warnings = found, _unheard(found, phase, failure), tuple(map(str, tolerated))
    words = answer.text[-LAST_WORDS:]
    reviews = REVIEW_LINE.findall(words)
    report = read_work_report(words, phase)
    exit_signal = fields.exit_signal is True and not problems and not report.shut
    return Claim(
        status=fields.status,
        exit_signal=exit_signal,
        tests_status=fields.tests_status,
        files_modified=fields.files_modified,
        tasks_completed=fields.tasks_completed,
        reported=read_reported(words),
        recommendation=fields.recommendation,
        review=Review(reviews[-1]) if reviews else None,
        blocking_findings=max(len(FINDING_LINE.findall(words)), report.blocking),
        work_type=fields.work_type,
        denied=answer.denied,
        questions=answer.questions or (() if exit_signal or failure else _asked(words, fields)),
        allowed_by=answer.allowed_by,
        failure=failure,
        problems=(*problems, *report.shut),
        warnings=(*warnings, *report.warnings),
        has_block=has_block,
        report=report,
        error=failure.sentence if failure else shown_error(words),
    )


def _asked(words: str, fields: RalphStatus) -> tuple[str, ...]:
    """With its last words, or as what it needs to go on."""
    needed = fields.recommendation if fields.status is WorkStatus.BLOCKED else ""
    question = closing_question(words) or closing_question(needed)
    return (question,) if question else ()


def _unheard(fields: RalphStatus, phase: Phase, failure: Failure | None) -> tuple[str, ...]:
    """Why a given EXIT_SIGNAL true does not count; a call that failed signals nothing."""
    failed = (f"EXIT_SIGNAL is true but the call failed ({failure.kind})",) if failure and fields.exit_signal else ()
    return (*map(str, not_honoured(fields, phase)), *failed)
