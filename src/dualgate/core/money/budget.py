"""LoopState, the time -> whether a next call may start, and how long it may take. Waiting counts, pauses do not."""

from datetime import datetime

from dualgate.core.gates.halts import decision_of
from dualgate.core.money.allowances import spent_allowance
from dualgate.core.money.hours import full_hour, seconds_until
from dualgate.core.team.failures import failures_of
from dualgate.core.team.fallover import asked_agent, delay_of
from dualgate.core.team.pace import limit_end_text
from dualgate.core.values.events import SessionHalted
from dualgate.core.values.notation import show_duration
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import HaltCause


def time_left(state: LoopState, now: datetime) -> float | None:
    """Seconds until the time limit of the run is reached; None without a time limit."""
    if state.limits.max_duration is None:
        return None
    since = max(0.0, (now - state.last_activity).total_seconds())
    return max(0.0, state.limits.max_duration - state.seconds_worked - since)


def delay_before_call(state: LoopState, now: datetime, agent: str = "") -> float:
    """Seconds until the next call: until its agent may be asked and the hourly limits allow it.

    Here and below, `agent` is the agent to ask, if it is not the working agent.
    """
    return max(delay_of(state, now, agent), seconds_until(full_hour(state, now), now))


def halt_before_call(state: LoopState, now: datetime, agent: str = "") -> SessionHalted | None:
    """Return the halt if no call is allowed, or if none could start before the time is over."""
    return (
        _at_limit(state, now, agent or asked_agent(state))
        or _out_of_budget(state, now)
        or _in_full_hour(state, now)
        or _out_of_time(state, now, delay_before_call(state, now, agent))
    )


def _at_limit(state: LoopState, now: datetime, agent: str) -> SessionHalted | None:
    failures = failures_of(state, agent)
    if state.limits.wait or not failures.limited_calls or not delay_of(state, now, agent):
        return None
    until = limit_end_text(failures, state.limits, state.session_id)
    reason = f"{state.phase}: a limit was reached{until}, and waiting is off"
    return _halted(now, HaltCause.RATE_LIMIT, reason)


def _out_of_budget(state: LoopState, now: datetime) -> SessionHalted | None:
    spent = spent_allowance(state)
    if spent is None:
        return None
    reason = f"{state.phase}: {spent.sentence}. Continue with: {spent.way_on}"
    return _halted(now, HaltCause.BUDGET, reason, spent.way_on)


def _in_full_hour(state: LoopState, now: datetime) -> SessionHalted | None:
    wait = None if state.limits.wait else full_hour(state, now)
    if wait is None:
        return None
    later = f"'dualgate resume' continues at {wait.until.isoformat(timespec='minutes')} or later"
    reason = f"{state.phase}: {wait.reason}, and waiting is off; {later}"
    way_on = f"dualgate resume --{wait.setting.replace('_', '-')} off"
    return _halted(now, HaltCause.FULL_HOUR, reason, way_on)


def _out_of_time(state: LoopState, now: datetime, delay: float) -> SessionHalted | None:
    left = time_left(state, now)
    if left is None or left > delay:
        return None
    over = f"the time limit of this run, {show_duration(state.limits.max_duration or 0.0)}, is reached"
    early = f" before the next call can be made, in {show_duration(round(delay))}" if left else ""
    return _halted(now, HaltCause.TIME, f"{state.phase}: {over}{early}")


def _halted(now: datetime, cause: HaltCause, reason: str, way_on: str = "") -> SessionHalted:
    return SessionHalted(at=now, decision=decision_of(cause), cause=cause, reason=reason, way_on=way_on)
