"""AgentReply -> Claim: what the agent says. Nothing here knows whether it is true."""

import re
from dataclasses import dataclass
from enum import StrEnum

from dualgate.core.blocks import (
    Found,
    Malformed,
    Missing,
    RalphStatus,
    SuiteStatus,
    WorkStatus,
    not_honoured,
    read_ralph_status,
)
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
        case Malformed(fields=legal) as malformed:
            fields, problems = legal or fields, tuple(map(str, malformed.errors))
        case Found(fields=found):
            fields, problems = found, _unheard(found, phase, failure)
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


def _unheard(fields: RalphStatus, phase: Phase, failure: CallFailure | None) -> tuple[str, ...]:
    """Why a given EXIT_SIGNAL true does not count; a call that failed signals nothing."""
    failed = (f"EXIT_SIGNAL is true but the call failed ({failure})",) if failure and fields.exit_signal else ()
    return (*map(str, not_honoured(fields, phase)), *failed)


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
