"""LoopState, what a person or the clock did from outside -> LoopState: reset, skip, abort, and the end of a cool-down.

A session that a person set going again is `paused` until somebody runs it: a halt ends by way of `running`, as the
table of statuses asks, and nothing runs yet.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from dualgate.core.gates.halts import HALTS, Halt
from dualgate.core.machine.moves import enter_phase, move_status, phase_after
from dualgate.core.said.amendment_requests import waiting
from dualgate.core.team.failures import failures_of, reset_failures
from dualgate.core.team.fallover import asked_agent
from dualgate.core.team.pace import ready_at
from dualgate.core.values.answer import Trouble
from dualgate.core.values.events import (
    BreakerCooled,
    GuidanceGiven,
    PhaseSkipped,
    SessionAborted,
    SessionHalted,
    SessionReset,
)
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState, Memory, PhaseVisit
from dualgate.core.values.team import Wait
from dualgate.core.values.vocabulary import BreakerState, Decision, HaltCause, PauseReason, Status, WayOn
from dualgate.errors import IllegalTransition

MANUAL = "manual"
NO_HALT: Mapping[str, Any] = {"halt_reason": None, "ended_by": None, "halted_by": None, "way_on": ""}
"""What a session that goes on no longer says."""


ControlEvent = SessionReset | PhaseSkipped | SessionAborted | GuidanceGiven | BreakerCooled


_COMMANDS = {
    WayOn.RESUME: "dualgate resume",
    WayOn.RESET: "dualgate reset",
    WayOn.GUIDE: "dualgate reset --guidance 'TEXT'",
    WayOn.ABORT: "dualgate abort",
}


def ways_on(state: LoopState) -> tuple[tuple[WayOn, str], ...]:
    """The ways on from a halt, each with its command."""
    if state.status is not Status.HALTED:
        return ()
    commands = _COMMANDS | {WayOn.RAISE: state.way_on, WayOn.SKIP: f"dualgate skip {state.phase}"}
    return tuple((way, commands[way]) for way in halt_of(state).ways)


def refusal(state: LoopState, event: ControlEvent) -> str | None:
    """Why a person's command does not fit the session; None where it does."""
    if state.status is Status.COMPLETED:
        return "The session is completed."
    if isinstance(event, PhaseSkipped) and event.phase is not state.phase:
        return f"The session is in {state.phase}, not in {event.phase}."
    return None


def controlled(state: LoopState, event: ControlEvent) -> LoopState:
    if reason := refusal(state, event):
        raise IllegalTransition(f"a control does not fit: {reason}")
    match event:
        case SessionReset():
            return _reset(state, event)
        case PhaseSkipped():
            return _skipped(state, event)
        case SessionAborted():
            status = move_status(state.status, Status.HALTED)
            reason = f"given up by {event.by}"
            return replace(
                state,
                status=status,
                halt_reason=reason,
                ended_by=Decision.ABORTED,
                halted_by=HaltCause.ABORTED,
                way_on="",
            )
        case GuidanceGiven():
            return _with_guidance(state, event.text)
        case BreakerCooled():
            return _half_opened(state)


def trial_after(state: LoopState) -> float | None:
    """Seconds an open breaker cools before one trial iteration; None if a person decides."""
    is_open = state.ended_by is Decision.STUCK and state.breaker.state is BreakerState.OPEN
    return state.limits.cooldown if is_open and not state.breaker.on_trial else None


def _reset(state: LoopState, event: SessionReset) -> LoopState:
    """Restart every count that leads to a halt; proof and history stay."""
    fresh = replace(
        reset_failures(_running(state) if event.goes_on else _paused(state, event.at)),
        breaker=replace(
            state.breaker, state=BreakerState.CLOSED, no_progress=0, same_error=0, last_error="", on_trial=False
        ),
        qa_attempts=0 if state.qa_attempts > state.limits.qa_returns else state.qa_attempts,
        iteration=0 if state.ended_by is Decision.MAX_ITERATIONS else state.iteration,
        seconds_worked=0.0 if _is_out_of_time(state) else state.seconds_worked,
    )
    return _with_guidance(fresh, event.guidance)


def _is_out_of_time(state: LoopState) -> bool:
    """A reset gives time again. Tokens and money are given by name and number alone, and an agent's own elsewhere."""
    if state.halted_by is not None:
        return state.halted_by is HaltCause.TIME
    is_agents_own = state.failures.trouble is Trouble.BUDGET
    return state.ended_by is Decision.BUDGET_EXHAUSTED and not (state.way_on or is_agents_own)


def _skipped(state: LoopState, event: PhaseSkipped) -> LoopState:
    visits = tuple(
        replace(visit, completed_at=event.at, exit_reason=f"Skipped by {event.by}, not proven")
        if visit.phase is event.phase
        else visit
        for visit in state.visits
    )
    forced = (*state.phases_forced, event.phase)
    fresh = replace(
        _reset(state, SessionReset(at=event.at, by=event.by, goes_on=event.goes_on)),
        visits=visits,
        phases_forced=forced,
    )
    if not state.proof.proven_tree:
        # no test was proven, and still none may be bent to fit the code: they are frozen as they stand
        fresh = replace(fresh, proof=replace(state.proof, proven_tree=state.tree))
    target = phase_after(event.phase)
    if target is None:
        done = move_status(_running(state).status, Status.COMPLETED)
        return replace(fresh, status=done, pause_reason=None, paused_at=None, ended_by=Decision.PROJECT_COMPLETE)
    if fresh.visit(target) is None:
        fresh = replace(fresh, visits=(*visits, PhaseVisit(phase=target, started_at=event.at)))
    fresh = replace(fresh, memory=Memory(), attempts=(), guidance=())
    return enter_phase(fresh, target, state.breaker.best)


def _with_guidance(state: LoopState, text: str) -> LoopState:
    """Add guidance unless it was given before."""
    return replace(state, guidance=(*state.guidance, text)) if text and text not in state.guidance else state


def _running(state: LoopState) -> LoopState:
    status = move_status(state.status, Status.RUNNING)
    return replace(state, status=status, pause_reason=None, paused_at=None, **NO_HALT)


def _paused(state: LoopState, at: datetime) -> LoopState:
    """Running again, and paused at once."""
    running = _running(state)
    return replace(running, status=move_status(running.status, Status.PAUSED), pause_reason=MANUAL, paused_at=at)


def _half_opened(state: LoopState) -> LoopState:
    """Half open: progress closes the breaker, anything else opens it for good."""
    threshold = state.limits.of(state.phase)
    breaker = replace(
        state.breaker,
        state=BreakerState.HALF_OPEN,
        no_progress=min(state.breaker.no_progress, threshold.no_progress - 1),
        same_error=min(state.breaker.same_error, threshold.same_error - 1),
        on_trial=True,
    )
    status = move_status(state.status, Status.RUNNING)
    return replace(state, status=status, breaker=breaker, **NO_HALT)


def halt_of(state: LoopState) -> Halt:
    """The row of a session that is halted; of one from before causes were kept, the first that fits."""
    if state.halted_by is not None:
        return HALTS[state.halted_by]
    fitting = (halt for halt in HALTS.values() if halt.decision is state.ended_by)
    return HALTS[HaltCause.BUDGET] if state.way_on else next(fitting)


def rest_before_trial(state: LoopState, now: datetime) -> float | None:
    """Seconds that an open breaker still rests before one iteration is tried; None where a person decides."""
    rest = trial_after(state)
    if rest is None:
        return None
    passed = (now - state.turned_at).total_seconds() if state.turned_at else 0.0
    return min(rest, max(0.0, rest - passed))  # also by a clock that was set back


def wait_of_next_call(state: LoopState) -> Wait | None:
    """What the next call waits for since the last event: a full hour, or a limit of the agent that is to be asked."""
    if state.status is not Status.RUNNING or state.waiting:
        return state.waiting
    agent = asked_agent(state)
    failures = failures_of(state, agent)
    until = ready_at(failures, state.limits, state.session_id) if failures.limited_calls else None
    if until is None or until <= state.last_activity:
        return None
    return Wait(until=until, reason=f"a limit of {agent or 'the agent'} was met", setting="")


def as_documented(state: LoopState) -> LoopState:
    """As document 001 tells it: a run that waits for a limit is paused by it, though it goes on by itself."""
    if state.status is not Status.RUNNING or wait_of_next_call(state) is None:
        return state
    since = state.turned_at or state.last_activity
    return replace(state, status=Status.PAUSED, pause_reason=PauseReason.RATE_LIMIT, paused_at=since)


def halt_for_person(state: LoopState, now: datetime) -> SessionHalted | None:
    """The end of the run, where a test may be changed only if a person says so."""
    asked = waiting(state)
    if asked is None:
        return None
    request = asked.request
    reason = f"{state.phase}: a person must say whether {request.test_id} is wrong ({request.reason})"
    return SessionHalted(at=now, decision=Decision.BLOCKED, cause=HaltCause.AMENDMENT, reason=reason)
