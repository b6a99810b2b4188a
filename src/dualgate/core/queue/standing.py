"""LoopState -> how the job of a session stands: its state, why, its usage, and the command that continues it."""

from collections.abc import Mapping
from datetime import datetime

from dualgate.core.gates.halts import HALTS
from dualgate.core.machine.approving import REJECT_COMMAND, waits_for_approval
from dualgate.core.machine.committing import COMMIT, not_made
from dualgate.core.machine.controls import wait_of_next_call
from dualgate.core.record.halting import halt_report, next_ways
from dualgate.core.record.session_state import Standing, standing_of
from dualgate.core.values.queue import JobState, JobStood, Use
from dualgate.core.values.reaching import reaching
from dualgate.core.values.spending import Used
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
        reason="" if found is JobState.RUNNING else _reason(state, job_id, found, wait.reason if wait else ""),
        until=wait.until if wait and found is JobState.WAITING else None,
        use=_use(state.spending.total, state.total_agent_calls),
        escalated=_use(state.spending.escalated, state.spending.escalated.calls),
        commit=state.commits.made[-1].commit if state.commits.made else "",
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
    if waits_for_approval(state):
        return JobState.APPROVAL
    if found is JobState.PROVEN and (missing := not_made(state)):
        if not missing.is_refused:
            return JobState.PAUSED  # its process was killed before it made it
        return JobState.NOT_COMMITTED if missing.what == COMMIT else found
    return found


def can_resume(state: LoopState, retry: bool) -> bool:
    """Whether a run of the queue resumes a session: a paused one, one that met a limit, one that was killed before its
    commit or pull request, and with `retry` any other halted one that needs no reset, and one whose commit was refused.
    """
    if state.status is Status.HALTED and state.halted_by is not None:
        is_limit = state.halted_by in (HaltCause.RATE_LIMIT, HaltCause.FULL_HOUR, HaltCause.RESET)
        return is_limit or (retry and HALTS[state.halted_by].resumes)
    if missing := not_made(state):
        return retry or not missing.is_refused
    return state.status in (Status.RUNNING, Status.PAUSED) and not waits_for_approval(state)


def _reason(state: LoopState, job_id: str, found: JobState, waits: str) -> str:
    if found is JobState.WAITING:
        return waits
    if found is JobState.APPROVAL:
        return reaching(f"read its report (dualgate report --open), then approve it, or: {REJECT_COMMAND}", job_id)
    if report := halt_report(state):
        return f"{report.phase}: {report.why}"
    if found is JobState.NOT_PROVEN:
        return "; ".join(state.unproven)
    if missing := not_made(state):
        return f"no {missing.what}: {' '.join(missing.reason.split())}"
    return "its specification changed" if found is JobState.BLOCKED else ""


def _use(used: Used, calls: int) -> Use:
    return Use(
        calls=calls,
        tokens=used.tokens,
        cost_usd=used.cost_usd,
        calls_without_cost=used.without_cost,
        calls_without_tokens=used.without_tokens,
    )
