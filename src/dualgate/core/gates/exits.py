"""Analyses, what is known -> ExitDecision: whether a loop over answers goes on, and why.

Two things must agree for an end: completion indicators counted from facts, and the explicit signal. What is not known
is not counted; what is known to be otherwise is a veto, whatever the count.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from dualgate.core.gates.halts import HALTS
from dualgate.core.gates.reactions import Ended, Response, exhausted, given_up, response_to
from dualgate.core.said.signature import repeats_error
from dualgate.core.values.answer import Failure
from dualgate.core.values.claim import Claim
from dualgate.core.values.limits import Limits
from dualgate.core.values.specification import Plan
from dualgate.core.values.team import FailuresInARow
from dualgate.core.values.vocabulary import Decision, Phase, WorkStatus

INDICATORS_NEEDED = 2


class Indicator(StrEnum):
    ALL_TASKS_DONE = "all_tasks_done"
    TESTS_PASSING = "tests_passing"
    NO_PENDING_STORY = "no_pending_story"
    STATUS_COMPLETE = "status_complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitEvidence:
    """What is known beside the answers; None is what nobody looked at."""

    tests_pass: bool | None = None
    failing: str = ""
    """What the tests say against an end, in words; empty for the plain fact."""
    plan: Plan | None = None
    changed_files: bool | None = None
    """Whether the last call left work in the tree."""
    iterations_left: int | None = None
    phase: Phase = Phase.BUILD
    """RED alone ends with tests that fail."""
    limits: Limits = field(default_factory=Limits)
    stuck_after: int | None = None
    """How many answers in a row show the same error before that is stuck; None: as many as are worth a nudge."""
    against: tuple[str, ...] = ()
    """What else was seen that no end agrees with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitDecision:
    decision: Decision
    reasons: tuple[str, ...]
    indicators: tuple[Indicator, ...] = ()
    stuck: bool = False


def exit_after(claim: Claim, past: FailuresInARow, known: ExitEvidence) -> ExitDecision:
    """What follows from an answer. The one rule, whether a loop of ours runs or answers are only looked at."""
    indicators = indicators_of(claim, known)
    stuck = claim.failure is None and repeats_error(
        (*past.errors, claim.error), known.stuck_after or known.limits.same_error_nudge
    )
    decision, reasons = (
        _by_failure(claim.failure, past, known)
        or _by_block(claim, past, known)
        or _by_signal(claim, indicators, known, stuck)
    )
    if decision is Decision.CONTINUE and known.iterations_left == 0:
        decision, reasons = Decision.MAX_ITERATIONS, ("no iterations are left", *reasons)
    return ExitDecision(decision=decision, reasons=reasons, indicators=indicators, stuck=stuck)


def missing(claim: Claim, known: ExitEvidence) -> tuple[str, ...]:
    """Why the first gate is shut: what speaks against an end, else that too little speaks for it."""
    indicators = indicators_of(claim, known)
    few = f"{len(indicators)} of {INDICATORS_NEEDED} completion indicators: {', '.join(indicators) or 'none'}"
    return _vetoes(known) or (() if len(indicators) >= INDICATORS_NEEDED else (few,))


_Reasoned = tuple[Decision, tuple[str, ...]]


def _by_failure(failure: Failure | None, past: FailuresInARow, known: ExitEvidence) -> _Reasoned | None:
    if failure is None:
        return None
    match response_to(failure, known.changed_files):
        case None:
            return Decision.CONTINUE, (f"the call failed ({failure.sentence}) after it had changed files",)
        case Response.WAIT:
            until = f", until {failure.resets_at.isoformat()}" if failure.resets_at else ""
            return Decision.RATE_LIMITED, (f"{failure.sentence}{until}",)
        case Response.GIVE_UP:
            return _halted(given_up(failure))
        case Response.RETRY | Response.SHRINK | Response.NUDGE:
            ended = exhausted(failure, past, known.limits)
            return _halted(ended) if ended else (Decision.RETRY, (f"the call failed: {failure.sentence}",))


def _halted(ended: Ended) -> _Reasoned:
    cause, reason = ended
    return HALTS[cause].decision or Decision.BLOCKED, (reason,)


def _by_block(claim: Claim, past: FailuresInARow, known: ExitEvidence) -> _Reasoned | None:
    """BLOCKED is quoted back once; the second in a row stops, and so does one after a denied tool with no work done."""
    if claim.status is not WorkStatus.BLOCKED:
        return None
    why = claim.recommendation or "the agent says it is blocked"
    if claim.denied and not known.changed_files:
        return Decision.BLOCKED, (f"blocked after denied tools ({', '.join(claim.denied)}): {why}",)
    if past.blocked:
        return Decision.BLOCKED, (why,)
    return Decision.CONTINUE, (f"blocked, to be quoted back once: {why}",)


def _by_signal(claim: Claim, indicators: tuple[Indicator, ...], known: ExitEvidence, stuck: bool) -> _Reasoned:
    shut = missing(claim, known)
    if claim.exit_signal and not shut:
        return Decision.PROJECT_COMPLETE, (f"EXIT_SIGNAL is true, and {', '.join(indicators)}",)
    if stuck:
        return Decision.STUCK, (f"the same error in the last answers: {claim.error}",)
    if not claim.exit_signal:
        return Decision.CONTINUE, claim.problems or ("EXIT_SIGNAL is not true",)
    return Decision.CONTINUE, shut


# what the tests say against an end, by whether it is the end of RED
_AGAINST = {False: "tests fail", True: "tests pass, and RED ends with tests that fail"}


def _vetoes(known: ExitEvidence) -> tuple[str, ...]:
    open_tasks = known.plan.open if known.plan else ()
    return (
        *((f"{len(open_tasks)} tasks are open: {'; '.join(open_tasks[:3])}",) if open_tasks else ()),
        *(
            (known.failing or _AGAINST[known.phase is Phase.RED],)
            if known.tests_pass is (known.phase is Phase.RED)
            else ()
        ),
        *known.against,
    )


def indicators_of(claim: Claim, known: ExitEvidence) -> tuple[Indicator, ...]:
    done = known.plan if known.plan and known.plan.is_done else None
    counted = (
        (Indicator.ALL_TASKS_DONE, done and not done.stories),
        (Indicator.NO_PENDING_STORY, done and done.stories),
        (Indicator.TESTS_PASSING, known.tests_pass is True and known.phase is not Phase.RED),
        (Indicator.STATUS_COMPLETE, claim.status is WorkStatus.COMPLETE),
    )
    return tuple(indicator for indicator, applies in counted if applies)
