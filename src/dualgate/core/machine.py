"""LoopState, TurnEnded -> LoopState: every move of the loop, as tables.

Three machines run side by side. The *phase* moves along NEXT by what the gates say. The *status* moves along
STATUS_MOVES. The *breaker* (breaker.py) moves by measured progress. They couple in two places only: an open breaker
or a limit, met while the phase stays where it is, halts; and a phase that is entered starts with a closed breaker.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from dualgate.core.answer import Trouble
from dualgate.core.breaker import THRESHOLDS, Breaker, BreakerState, Marks, entering
from dualgate.core.facts import Facts
from dualgate.core.gates import Outcome, Verdict
from dualgate.core.state import LoopState
from dualgate.core.suite import CaseResult
from dualgate.core.vocabulary import Decision, Phase, Status, Workflow
from dualgate.errors import IllegalTransition

FIRST_PHASE = {Workflow.TDD: Phase.RED, Workflow.RALPH: Phase.BUILD}

NEXT: dict[tuple[Phase, Outcome], Phase | Status] = {
    (Phase.RED, Outcome.PASS): Phase.GREEN,
    (Phase.RED, Outcome.STAY): Phase.RED,
    (Phase.RED, Outcome.RETRY): Phase.RED,
    (Phase.RED, Outcome.LIMITED): Phase.RED,
    (Phase.RED, Outcome.BLOCK): Status.HALTED,
    (Phase.GREEN, Outcome.PASS): Phase.REFACTOR,
    (Phase.GREEN, Outcome.STAY): Phase.GREEN,
    (Phase.GREEN, Outcome.RETRY): Phase.GREEN,
    (Phase.GREEN, Outcome.LIMITED): Phase.GREEN,
    (Phase.GREEN, Outcome.BLOCK): Status.HALTED,
    (Phase.REFACTOR, Outcome.PASS): Phase.DOCUMENT,
    (Phase.REFACTOR, Outcome.STAY): Phase.REFACTOR,
    (Phase.REFACTOR, Outcome.RETRY): Phase.REFACTOR,
    (Phase.REFACTOR, Outcome.LIMITED): Phase.REFACTOR,
    (Phase.REFACTOR, Outcome.BLOCK): Status.HALTED,
    (Phase.DOCUMENT, Outcome.PASS): Phase.QA,
    (Phase.DOCUMENT, Outcome.STAY): Phase.DOCUMENT,
    (Phase.DOCUMENT, Outcome.RETRY): Phase.DOCUMENT,
    (Phase.DOCUMENT, Outcome.LIMITED): Phase.DOCUMENT,
    (Phase.DOCUMENT, Outcome.BLOCK): Status.HALTED,
    (Phase.QA, Outcome.PASS): Status.COMPLETED,
    (Phase.QA, Outcome.REJECT): Phase.GREEN,
    (Phase.QA, Outcome.STAY): Phase.QA,
    (Phase.QA, Outcome.RETRY): Phase.QA,
    (Phase.QA, Outcome.LIMITED): Phase.QA,
    (Phase.QA, Outcome.BLOCK): Status.HALTED,
    (Phase.BUILD, Outcome.PASS): Status.COMPLETED,
    (Phase.BUILD, Outcome.STAY): Phase.BUILD,
    (Phase.BUILD, Outcome.RETRY): Phase.BUILD,
    (Phase.BUILD, Outcome.LIMITED): Phase.BUILD,
    (Phase.BUILD, Outcome.BLOCK): Status.HALTED,
}

STATUS_MOVES: frozenset[tuple[Status, Status]] = frozenset(
    {
        (Status.RUNNING, Status.PAUSED),
        (Status.RUNNING, Status.COMPLETED),
        (Status.RUNNING, Status.HALTED),
        (Status.PAUSED, Status.RUNNING),
        (Status.PAUSED, Status.HALTED),
        (Status.HALTED, Status.RUNNING),
    }
)

# A rejection takes back what came after the tests were proven.
UNPROVEN_BY_REJECTION = frozenset({Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT})
RETURNS_FROM_QA = 3
EMPTY_CALLS_ALLOWED = 3
FAILED_CALLS_ALLOWED = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Where one turn leads: the decision, the phase and status after it, and why where it ends there."""

    decision: Decision
    phase: Phase
    status: Status = Status.RUNNING
    halt_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded:
    """One turn, whole: what was seen, what the gates said of it, and where the machines moved."""

    at: datetime
    facts: Facts
    verdict: Verdict
    breaker: Breaker
    move: Move
    proven: tuple[CaseResult, ...] = ()
    """The results that a phase passed on, kept where later phases are compared with them."""


def decide(state: LoopState, facts: Facts, verdict: Verdict, breaker: Breaker) -> Move:
    """What follows from a verdict."""
    if state.status is not Status.RUNNING:
        raise IllegalTransition(f"a loop that is {state.status} was asked to move")
    target = NEXT.get((state.phase, verdict.outcome))
    match target:
        case None:
            raise IllegalTransition(f"{state.phase} has no move for {verdict.outcome}")
        case Status.COMPLETED:
            return Move(decision=Decision.PROJECT_COMPLETE, phase=state.phase, status=Status.COMPLETED)
        case Status():
            return _halt(state, Decision.BLOCKED, _why_blocked(facts))
        case Phase() if verdict.outcome is Outcome.REJECT:
            return _reject(state, target, verdict)
        case Phase() if target is not state.phase:
            return Move(decision=Decision.NEXT_PHASE, phase=target)
        case Phase() if verdict.outcome is Outcome.LIMITED:
            return Move(decision=Decision.RATE_LIMITED, phase=state.phase)
        case Phase() if verdict.outcome is Outcome.RETRY:
            return _retry(state, facts)
        case Phase():
            return _stay(state, verdict, breaker)


def move_status(before: Status, after: Status) -> Status:
    """The new status, if the pair is legal."""
    if before is not after and (before, after) not in STATUS_MOVES:
        raise IllegalTransition(f"status cannot go from {before} to {after}")
    return after


def enter(state: LoopState, phase: Phase, marks: Marks) -> LoopState:
    """A phase begins: iterations from zero, breaker closed."""
    return replace(state, phase=phase, iteration=0, breaker=entering(marks))


def _reject(state: LoopState, target: Phase, verdict: Verdict) -> Move:
    if state.qa_attempts >= RETURNS_FROM_QA:
        return _halt(state, Decision.STUCK, f"QA rejected {state.qa_attempts + 1} times", verdict)
    return Move(decision=Decision.REJECTED, phase=target)


def _why_blocked(facts: Facts) -> str:
    failure = facts.claimed.failure
    return failure.sentence if failure else facts.claimed.recommendation or "the agent says it is blocked"


def _retry(state: LoopState, facts: Facts) -> Move:
    failure = facts.claimed.failure
    empty = state.empty_calls + (failure is not None and failure.kind is Trouble.EMPTY)
    if empty >= EMPTY_CALLS_ALLOWED:
        return _halt(state, Decision.STUCK, f"the agent gave {empty} empty answers in a row")
    if state.failed_calls + 1 >= FAILED_CALLS_ALLOWED:
        last = f", the last with: {failure.sentence}" if failure else ""
        return _halt(state, Decision.STUCK, f"{state.failed_calls + 1} calls in a row failed{last}")
    return Move(decision=Decision.RETRY, phase=state.phase)


def _stay(state: LoopState, verdict: Verdict, breaker: Breaker) -> Move:
    if breaker.state is BreakerState.OPEN:
        stalled = breaker.no_progress >= THRESHOLDS[state.phase].no_progress
        count, what = (breaker.no_progress, "no progress") if stalled else (breaker.same_error, "the same error")
        return _halt(state, Decision.STUCK, f"{what} in {count} iterations", verdict)
    if state.iteration + 1 >= state.max_iterations:
        return _halt(state, Decision.MAX_ITERATIONS, f"{state.max_iterations} iterations were not enough", verdict)
    return Move(decision=Decision.CONTINUE, phase=state.phase)


def _halt(state: LoopState, decision: Decision, reason: str, verdict: Verdict | None = None) -> Move:
    details = f": {'; '.join(verdict.reasons)}" if verdict and verdict.reasons else ""
    return Move(
        decision=decision,
        phase=state.phase,
        status=Status.HALTED,
        halt_reason=f"{state.phase}: {reason}{details}",
    )
