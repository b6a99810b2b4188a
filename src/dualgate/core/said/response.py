"""Answer -> Claim: what the agent says. Nothing here checks whether it is true."""

import re
from typing import Any

from dualgate.core.said.blocks import Found, Malformed, Missing, not_honoured, read_ralph_status
from dualgate.core.said.contradictions import contradictions
from dualgate.core.said.criterion_answers import read_answers, read_justifications
from dualgate.core.said.words import closing_question, shown_error
from dualgate.core.said.work_report import read_work_report
from dualgate.core.values.answer import Answer, Failure
from dualgate.core.values.claim import Claim, Review, WorkReport
from dualgate.core.values.ralph_status import RalphStatus
from dualgate.core.values.vocabulary import Phase, SuiteStatus, WorkStatus

LAST_WORDS = 1 << 18
"""No review is longer; earlier text is a log."""
REVIEW_LINE = re.compile(r"^[ \t>*_#-]*Verdict[*_]*[ \t]*:[ \t*_]*(APPROVE|REJECT)[*_]*[ \t.]*\r?$", re.MULTILINE)
# a template line that lists all severities is not a finding
FINDING_LINE = re.compile(
    r"^[ \t>*_-]*severity[*_]*[ \t]*:[ \t*_]*(critical|major)\b(?![ \t]*\|)", re.MULTILINE | re.IGNORECASE
)


def read_response(answer: Answer, phase: Phase, red_may_pass: bool = False) -> Claim:
    """`red_may_pass`: whether a signal in RED counts with passing tests too, for a caller that runs them itself."""
    failure = answer.failure
    fields, problems, warnings, has_block = RalphStatus(), tuple[str, ...](), tuple[str, ...](), True
    match read_ralph_status(answer.text):
        case Missing():
            problems, has_block = ("the answer holds no complete RALPH_STATUS block",), False
        case Malformed(fields=legal) as malformed:
            fields, problems = legal or fields, tuple(map(str, malformed.errors))
        case Found(fields=found, problems=tolerated):
            unheard = _unheard(found, phase, failure, red_may_pass)
            fields, problems, warnings = found, unheard, tuple(map(str, tolerated))
    words = answer.text[-LAST_WORDS:]
    reviews = REVIEW_LINE.findall(words)
    verdict = Review(reviews[-1]) if reviews else None
    report = read_work_report(words, phase)
    exit_signal = fields.exit_signal is True and not problems and not report.shut
    return Claim(
        status=fields.status,
        exit_signal=exit_signal,
        tests_status=fields.tests_status,
        files_modified=fields.files_modified,
        tasks_completed=fields.tasks_completed,
        recommendation=fields.recommendation,
        review=verdict,
        **(_of_review(words, verdict, report) if phase is Phase.QA else {}),
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


def _of_review(words: str, verdict: Review | None, report: WorkReport) -> dict[str, Any]:
    return {
        "answers": read_answers(words),
        "justifications": read_justifications(words),
        "contradictions": contradictions(words, verdict, report.has_packets),
    }


def _asked(words: str, fields: RalphStatus) -> tuple[str, ...]:
    """The question that ends the answer, or the recommendation of a blocked agent."""
    needed = fields.recommendation if fields.status is WorkStatus.BLOCKED else ""
    question = closing_question(words) or closing_question(needed)
    return (question,) if question else ()


def _unheard(fields: RalphStatus, phase: Phase, failure: Failure | None, red_may_pass: bool) -> tuple[str, ...]:
    """Why EXIT_SIGNAL true does not count; the signal of a failed call never counts."""
    passes = red_may_pass and phase is Phase.RED and fields.tests_status is SuiteStatus.PASSING
    failed = (f"EXIT_SIGNAL is true but the call failed ({failure.kind})",) if failure and fields.exit_signal else ()
    return (*map(str, not_honoured(fields, None if passes else phase)), *failed)
