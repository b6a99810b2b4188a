"""Answer -> Claim: what the agent says. Nothing here checks whether it is true."""

import re
from dataclasses import dataclass, field, replace
from typing import Any

from dualgate.core.said.blocks import (
    Found,
    Malformed,
    Missing,
    not_honoured,
    read_ralph_status,
    why_not_of_this_call,
)
from dualgate.core.said.contradictions import contradictions
from dualgate.core.said.criterion_answers import read_answers, read_justifications, without_answers
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


def read_response(answer: Answer, phase: Phase, red_may_pass: bool = False, prompt: str = "", token: str = "") -> Claim:
    """`red_may_pass`: the caller runs the tests itself. A signal counts with passing tests in RED, and without in QA.

    `prompt` and `token` are those of the call, if they are known: a block of
    another call or of the prompt does not count.
    """
    failure = answer.failure
    block = _read_block(answer, phase, red_may_pass, prompt, token)
    fields, problems = block.fields, block.problems
    words = answer.text[-LAST_WORDS:]
    reviews = REVIEW_LINE.findall(words)
    verdict = Review(reviews[-1]) if reviews else None
    report = read_work_report(without_answers(words) if phase is Phase.QA else words, phase)
    exit_signal = fields.exit_signal is True and not problems and not report.shut
    questions = answer.questions or (() if exit_signal or failure else _asked(words, fields))
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
        questions=questions,
        allowed_by=answer.allowed_by,
        failure=failure,
        problems=(*problems, *report.shut),
        warnings=(*block.warnings, *report.warnings),
        has_block=block.is_there,
        lacks_only_block=block.is_lacking and not (failure or report.shut or questions),
        report=report,
        error=failure.sentence if failure else shown_error(words),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """The status block of an answer, as far as it can be read."""

    fields: RalphStatus = field(default_factory=RalphStatus)
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    is_there: bool = True
    is_odd: bool = True
    """Whether it is missing, malformed or not of this call."""

    @property
    def is_lacking(self) -> bool:
        """Whether a block in its right form could still be a signal: the agent does not say that work is left."""
        says_more = self.fields.exit_signal is False or self.fields.status in (
            WorkStatus.IN_PROGRESS,
            WorkStatus.BLOCKED,
        )
        return (self.is_odd or self.fields.exit_signal is None) and not says_more


def _read_block(answer: Answer, phase: Phase, red_may_pass: bool, prompt: str, token: str) -> _Block:
    match read_ralph_status(answer.text):
        case Missing():
            return _Block(problems=("the answer has no complete RALPH_STATUS block",), is_there=False)
        case (Found() | Malformed()) as read if foreign := why_not_of_this_call(
            answer.text, read.fields or RalphStatus(), prompt, token
        ):
            return _Block(problems=tuple(map(str, foreign)), is_there=False)
        case Malformed(fields=legal) as malformed:
            return _Block(fields=legal or RalphStatus(), problems=tuple(map(str, malformed.errors)))
        case Found(fields=found, problems=tolerated):
            unheard = _unheard(found, phase, answer.failure, red_may_pass)
            return _Block(fields=found, problems=unheard, warnings=tuple(map(str, tolerated)), is_odd=False)


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


_WITHOUT_A_SHELL = (Phase.DOCUMENT, Phase.QA)


def _unheard(fields: RalphStatus, phase: Phase, failure: Failure | None, red_may_pass: bool) -> tuple[str, ...]:
    """Why EXIT_SIGNAL true does not count; the signal of a failed call never counts."""
    passes = red_may_pass and phase is Phase.RED and fields.tests_status is SuiteStatus.PASSING
    failed = (f"EXIT_SIGNAL is true but the call failed ({failure.kind})",) if failure and fields.exit_signal else ()
    if red_may_pass and phase in _WITHOUT_A_SHELL and fields.tests_status is SuiteStatus.NOT_RUN:
        fields = replace(fields, tests_status=None)  # an honest answer: the caller runs the tests
    return (*map(str, not_honoured(fields, None if passes else phase)), *failed)
