"""Claim, ExitEvidence -> ExitDecision: whether a loop over answers continues, and why.

A loop ends only if two things agree: completion indicators counted from facts, and the explicit signal. Unknown facts
are not counted. A fact against an end is a veto, whatever the count.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from dualgate.core.gates.halts import decision_of
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
    """Facts known besides the answers; None means not measured."""

    tests_pass: bool | None = None
    failing: str = ""
    """Which tests forbid an end, in words; empty for the default sentence."""
    plan: Plan | None = None
    changed_files: bool | None = None
    """Whether the last call left work in the tree."""
    iterations_left: int | None = None
    phase: Phase = Phase.BUILD
    """RED alone ends with tests that fail."""
    limits: Limits = field(default_factory=Limits)
    stuck_after: int | None = None
    """Answers in a row with the same error that count as stuck; None: `same_error_nudge` of the limits."""
    against: tuple[str, ...] = ()
    """Other facts that forbid an end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitDecision:
    decision: Decision
    reasons: tuple[str, ...]
    indicators: tuple[Indicator, ...] = ()
    stuck: bool = False


def exit_after(claim: Claim, past: FailuresInARow, known: ExitEvidence) -> ExitDecision:
    """Decide after an answer, by the one rule for our own loop and for analyzing answers alone."""
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
    """Why gate 1 is shut: the vetoes, or else too few completion indicators."""
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
    return decision_of(cause), (reason,)


def _by_block(claim: Claim, past: FailuresInARow, known: ExitEvidence) -> _Reasoned | None:
    """Quote BLOCKED back once; stop at the second in a row, or at the first after a denied tool and no work."""
    if claim.status is not WorkStatus.BLOCKED:
        return None
    why = claim.recommendation or "the agent says it is blocked"
    if claim.denied and not known.changed_files:
        return Decision.BLOCKED, (f"blocked after denied tools ({', '.join(claim.denied)}): {why}",)
    if past.blocked:
        return Decision.BLOCKED, (why,)
    return Decision.CONTINUE, (f"blocked, reported to the agent once: {why}",)


def _by_signal(claim: Claim, indicators: tuple[Indicator, ...], known: ExitEvidence, stuck: bool) -> _Reasoned:
    shut = missing(claim, known)
    if claim.exit_signal and not shut:
        return Decision.PROJECT_COMPLETE, (f"EXIT_SIGNAL is true, and {', '.join(indicators)}",)
    if stuck:
        return Decision.STUCK, (f"the same error in the last answers: {claim.error}",)
    if not claim.exit_signal:
        return Decision.CONTINUE, claim.problems or ("EXIT_SIGNAL is not true",)
    return Decision.CONTINUE, shut


# why the tests forbid an end; the key is whether the phase is RED
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
