"""LoopState -> how the job of a session stands: its state, why, its usage, and the command that continues it."""

from collections.abc import Mapping
from datetime import datetime

from dualgate.core.gates.halts import HALTS
from dualgate.core.machine.committing import is_outstanding, not_made
from dualgate.core.machine.controls import wait_of_next_call
from dualgate.core.record.halting import halt_report, next_ways
from dualgate.core.record.session_state import Standing, standing_of
from dualgate.core.values.queue import JobState, JobStood, Use
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Decision, HaltCause, Status

_STATES: Mapping[Standing, JobState] = {
    Standing.RUNNING: JobState.RUNNING,
    Standing.WAITING: JobState.WAITING,
    Standing.DIED: JobState.PAUSED,
    Standing.HALTED: JobState.HALTED,
    Standing.PAUSED: JobState.PAUSED,
    Standing.PROVEN: JobState.PROVEN,
    Standing.NOT_PROVEN: JobState.NOT_PROVEN,
}
_HALTS: Mapping[Decision, JobState] = {Decision.BLOCKED: JobState.BLOCKED, Decision.RATE_LIMITED: JobState.LIMITED}


def job_standing(job_id: str, state: LoopState, alive: bool, spec_changed: bool, at: datetime) -> JobStood:
    wait = wait_of_next_call(state)
    is_limited = wait is not None and not wait.setting  # an hourly limit of one's own keeps its place
    found = _state(state, alive, spec_changed, is_limited)
    ways = next_ways(state, spec_changed, alive)
    return JobStood(
        at=at,
        id=job_id,
        state=found,
        reason="" if found is JobState.RUNNING else _reason(state, found, spec_changed, wait.reason if wait else ""),
        until=wait.until if wait and found is JobState.WAITING else None,
        use=_use(state),
        reports=state.limit_reports,
        way_on=ways[0].command if ways and found not in (JobState.RUNNING, JobState.WAITING) else "",
    )


def _state(state: LoopState, alive: bool, spec_changed: bool, is_limited: bool) -> JobState:
    standing = standing_of(state.status, state.proven, alive, is_limited)
    found = _STATES[standing]
    if standing is Standing.HALTED:
        found = _HALTS.get(state.ended_by or Decision.STUCK, JobState.HALTED)
    if alive and not (found is JobState.WAITING and is_limited):
        return JobState.RUNNING  # its process still commits and reports, or has not resumed its session yet
    if found is JobState.PAUSED and spec_changed:
        return JobState.BLOCKED  # a person decides which version counts
    if found is JobState.PROVEN and is_outstanding(state):
        return JobState.NOT_COMMITTED
    return found


def can_resume(state: LoopState, retry: bool) -> bool:
    """Whether a run of the queue resumes a session: a paused one, one that met a limit, one that was killed before its
    commit, and with `retry` any other halted one that needs no reset, and one whose commit was refused.
    """
    if state.status is Status.HALTED and state.halted_by is not None:
        is_limit = state.halted_by in (HaltCause.RATE_LIMIT, HaltCause.FULL_HOUR, HaltCause.RESET)
        return is_limit or (retry and HALTS[state.halted_by].resumes)
    if is_outstanding(state):
        return retry or state.commits.refusal is None
    return state.status in (Status.RUNNING, Status.PAUSED)


def _reason(state: LoopState, found: JobState, spec_changed: bool, waits: str) -> str:
    if found is JobState.WAITING:
        return waits
    if report := halt_report(state):
        return f"{report.phase}: {report.why}"
    if found is JobState.NOT_PROVEN:
        return "; ".join(state.unproven)
    if missing := not_made(state):
        return f"no {missing.what}: {' '.join(missing.reason.split())}"
    if found is JobState.BLOCKED and spec_changed:
        return "its specification changed"
    return ""


def _use(state: LoopState) -> Use:
    used = state.spending.total
    return Use(
        calls=state.total_agent_calls,
        tokens=used.tokens,
        cost_usd=used.cost_usd,
        calls_without_cost=used.without_cost,
        calls_without_tokens=used.without_tokens,
    )
