"""AgentReply -> Claim: what the agent says. Nothing here knows whether it is true."""

import re
from dataclasses import dataclass
from enum import StrEnum

from dualgate.core.blocks import Found, Malformed, Missing, RalphStatus, SuiteStatus, WorkStatus, read_ralph_status
from dualgate.core.vocabulary import AgentReply, Ending, Phase

REVIEW_LINE = re.compile(r"^[ \t>*_#-]*Verdict[*_]*[ \t]*:[ \t*_]*(APPROVE|REJECT)[*_]*[ \t.]*\r?$", re.MULTILINE)
FINDING_LINE = re.compile(r"^[ \t>*_-]*severity[*_]*[ \t]*:[ \t*_]*(critical|major)\b", re.MULTILINE | re.IGNORECASE)


class Review(StrEnum):
    APPROVE = "APPROVE"
    REJECT = "REJECT"


class CallFailure(StrEnum):
    """Why a call yielded nothing to judge."""

    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    FLOODED = "flooded"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What the agent says. `exit_signal` is the honoured one; `problems` tell why a given one was not."""

    status: WorkStatus | None = None
    exit_signal: bool = False
    tests_status: SuiteStatus | None = None
    files_modified: int | None = None
    recommendation: str = ""
    review: Review | None = None
    blocking_findings: int = 0
    failure: CallFailure | None = None
    problems: tuple[str, ...] = ()


def read_response(reply: AgentReply, phase: Phase) -> Claim:
    failure = _failure(reply)
    fields, problems = RalphStatus(), tuple[str, ...]()
    match read_ralph_status(reply.text):
        case Missing():
            problems = ("the answer holds no complete RALPH_STATUS block",)
        case Malformed(problems=why):
            problems = why
        case Found(fields=found):
            fields, problems = found, _not_honoured(found, phase, failure)
    reviews = REVIEW_LINE.findall(reply.text)
    return Claim(
        status=fields.status,
        exit_signal=fields.exit_signal is True and not problems,
        tests_status=fields.tests_status,
        files_modified=fields.files_modified,
        recommendation=fields.recommendation,
        review=Review(reviews[-1]) if reviews else None,
        blocking_findings=len(FINDING_LINE.findall(reply.text)),
        failure=failure,
        problems=problems,
    )


def fitting_tests_status(phase: Phase) -> SuiteStatus:
    """What the tests must say where a phase is done: RED ends with tests that fail."""
    return SuiteStatus.FAILING if phase is Phase.RED else SuiteStatus.PASSING


def _not_honoured(fields: RalphStatus, phase: Phase, failure: CallFailure | None) -> tuple[str, ...]:
    """Why a given EXIT_SIGNAL true does not count."""
    if fields.exit_signal is not True:
        return ()
    fitting = fitting_tests_status(phase)
    checks = (
        (fields.status is not WorkStatus.COMPLETE, f"EXIT_SIGNAL is true but STATUS is {fields.status or 'absent'}"),
        (
            fields.tests_status not in (None, fitting),
            f"EXIT_SIGNAL is true but TESTS_STATUS is {fields.tests_status}; {phase} ends with {fitting}",
        ),
        (failure is not None, f"EXIT_SIGNAL is true but the call failed ({failure})"),
    )
    return tuple(reason for broken, reason in checks if broken)


def _failure(reply: AgentReply) -> CallFailure | None:
    match reply.ending:
        case Ending.TIMED_OUT:
            return CallFailure.TIMED_OUT
        case Ending.FLOODED:
            return CallFailure.FLOODED
        case Ending.EXITED:
            if reply.exit_code != 0:
                return CallFailure.CRASHED
            return None if reply.text.strip() else CallFailure.EMPTY
