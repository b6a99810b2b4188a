"""LoopState -> what it waits for: how long an open breaker still rests, and which limit the next call is held up by.

A rest is counted from the end of the turn that brought it, which the journal holds: a crash, a pause or a request in
the middle of it does not begin it anew.
"""

from datetime import datetime

from dualgate.core.machine.controls import trial_after
from dualgate.core.said.amendment_requests import waiting
from dualgate.core.team.failures import failures_of
from dualgate.core.team.fallover import asked_agent
from dualgate.core.team.pace import ready_at
from dualgate.core.values.events import SessionHalted
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState
from dualgate.core.values.team import Wait
from dualgate.core.values.vocabulary import Decision, HaltCause, PauseReason, Status


def rest_before_trial(state: LoopState, now: datetime) -> float | None:
    """Seconds that an open breaker still rests before one iteration is tried; None where a person decides."""
    rest = trial_after(state)
    if rest is None:
        return None
    passed = (now - state.turned_at).total_seconds() if state.turned_at else 0.0
    return min(rest, max(0.0, rest - passed))  # also by a clock that was set back


def held_up(state: LoopState) -> Wait | None:
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
    if state.status is not Status.RUNNING or held_up(state) is None:
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
