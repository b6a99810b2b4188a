"""Event, LoopState -> BreakerChanges: when the breaker changed its state, and why."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from dualgate.core.values.events import BreakerCooled, Event, SessionReset, TurnEnded
from dualgate.core.values.limits import Limits
from dualgate.core.values.state import LoopState
from dualgate.core.values.verdict import NO_ITERATION, Breaker
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
    if isinstance(event, TurnEnded) and event.verdict.outcome not in NO_ITERATION:
        moved = event.breaker
        yield from _change(event, before, was, moved.state, _why(moved, before.phase, before.limits))
        was = moved.state
    yield from _change(event, before, was, after.breaker.state, _cause(event, after))


def _change(
    event: Event, state: LoopState, was: BreakerState, now: BreakerState, reason: str
) -> Iterator[BreakerChange]:
    if was is not now:
        iteration = event.facts.iteration if isinstance(event, TurnEnded) else max(1, state.iteration)
        yield BreakerChange(at=event.at, phase=state.phase, iteration=iteration, before=was, after=now, reason=reason)


def _why(breaker: Breaker, phase: Phase, limits: Limits) -> str:
    if breaker.state is BreakerState.CLOSED:
        return "progress was measured"
    if breaker.state is BreakerState.OPEN and breaker.no_progress < limits.of(phase).no_progress:
        return f"the same error in {breaker.same_error} iterations"
    return f"no progress in {breaker.no_progress} iterations"


def _cause(event: Event, after: LoopState) -> str:
    match event:
        case SessionReset():
            return f"reset by {event.by}"
        case BreakerCooled():
            return "the cool-down is over: one iteration is tried"
        case _:
            return f"{after.phase} begins"
