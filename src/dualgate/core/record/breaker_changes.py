"""Event, LoopState -> BreakerChanges: when the breaker changed its state or was notified of BLOCKED, and why."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from dualgate.core.values.control import WaitSkipped
from dualgate.core.values.events import BreakerCooled, Event, SessionReset, SessionResumed, TurnEnded
from dualgate.core.values.state import LoopState
from dualgate.core.values.verdict import Breaker, is_no_iteration
from dualgate.core.values.vocabulary import BreakerState, Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerChange:
    at: datetime
    phase: Phase
    iteration: int
    before: BreakerState
    after: BreakerState
    reason: str


def breaker_changes(event: Event, before: LoopState, after: LoopState) -> Iterable[BreakerChange]:
    """The changes of one event: an iteration can open or close the breaker, and a new phase begins with it closed."""
    is_possible = before.breaker is not after.breaker or isinstance(event, TurnEnded)
    return _changes(event, before, after) if is_possible else ()


def _changes(event: Event, before: LoopState, after: LoopState) -> Iterator[BreakerChange]:
    was = before.breaker.state
    if isinstance(event, TurnEnded) and not is_no_iteration(event.verdict, event.move):
        moved = event.breaker
        if was is not moved.state or moved.blocked:
            yield _change(event, before, was, moved.state, _why(before, moved))
        was = moved.state
    if was is not after.breaker.state:
        yield _change(event, before, was, after.breaker.state, _cause(event, after))


def _change(event: Event, state: LoopState, was: BreakerState, now: BreakerState, reason: str) -> BreakerChange:
    iteration = event.facts.iteration if isinstance(event, TurnEnded) else max(1, state.iteration)
    return BreakerChange(at=event.at, phase=state.phase, iteration=iteration, before=was, after=now, reason=reason)


def _why(before: LoopState, breaker: Breaker) -> str:
    if breaker.blocked:
        return f"the agent says BLOCKED: {breaker.blocked}"
    if breaker.state is BreakerState.CLOSED:
        return "the agent is not blocked any more" if breaker.no_progress else "progress was measured"
    if breaker.state is BreakerState.OPEN and breaker.no_progress < before.limits.of(before.phase).no_progress:
        return f"the same error in {breaker.same_error} iterations"
    return f"no progress in {breaker.no_progress} iterations"


def _cause(event: Event, after: LoopState) -> str:
    match event:
        case SessionReset():
            return f"reset by {event.by}"
        case SessionResumed():
            return f"resumed by {event.by}"
        case WaitSkipped():
            return f"the cool-down was skipped by {event.by}"
        case BreakerCooled():
            return "the cool-down is over: one trial iteration"
        case TurnEnded() if event.move.escalates_to:
            return f"{event.move.escalates_to} takes over"
        case _:
            return f"{after.phase} begins"
