"""Queue, Plan -> rows of the queue, for people and as the object of `dualgate queue list --json`."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dualgate.core.queue.needs import Needs
from dualgate.core.queue.planning import Plan
from dualgate.core.values.queue import Base, Job, JobState, Overlap, Queue, Use
from dualgate.core.values.reaching import reaching
from dualgate.core.values.shapes import (
    ANY_TEXT,
    MOMENT,
    NUMBER,
    SOME_TEXT,
    Schema,
    integer,
    list_of,
    or_null,
    record,
    words,
)

RUN = "dualgate queue run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One job as it is shown."""

    job: Job
    state: JobState
    why: str
    """The reason why it waits, is blocked or is halted."""
    needs: tuple[str, ...]
    next_step: str
    """The command that a person can use next; empty while it runs."""


def queue_rows(queue: Queue, needs: Needs, plan: Plan, alive: Sequence[str] = ()) -> tuple[Row, ...]:
    jobs = {job.id: job for job in queue.jobs}
    return tuple(_row(job, jobs[_root_cause(job.id, plan)], needs, plan, job.id in alive) for job in queue.jobs)


def _root_cause(job_id: str, plan: Plan) -> str:
    """The job that a person has to care about before this one can start: mostly itself."""
    while job_id in plan.causes:
        job_id = plan.causes[job_id]
    return job_id


def _row(job: Job, cause: Job, needs: Needs, plan: Plan, alive: bool) -> Row:
    blocked = plan.blocked.get(job.id, "")
    state = JobState.BLOCKED if blocked else job.state
    return Row(
        job=job,
        state=state,
        why=blocked or _reason(job) or plan.waiting.get(job.id, ""),
        needs=needs.by_job.get(job.id, ()),
        next_step="" if alive else _next_step(cause, plan),
    )


def _reason(job: Job) -> str:
    """Why a job stands as it does, with the end of a limit."""
    return f"{job.reason}, until {job.until.isoformat(timespec='minutes')}" if job.reason and job.until else job.reason


def _next_step(job: Job, plan: Plan) -> str:
    """The command that reaches the session from the repository; before there is one, that of the queue."""
    is_held = job.id in plan.blocked
    state = JobState.BLOCKED if is_held else job.state
    if state is JobState.BLOCKED and not is_held and job.base and job.base.unmerged:
        return " && ".join(_merging(job.base))
    if is_held:
        # adding it again names the problem and the ways on, and changes nothing if there is none any more
        return f"dualgate queue add {shlex.quote(job.spec)}" if not job.worktree else RUN
    if state in _BY_QUEUE or state is JobState.FAILED or not job.worktree:
        return job.way_on or RUN if state is JobState.BLOCKED else RUN
    command = "dualgate pr" if state is JobState.PROVEN else job.way_on or "dualgate status"
    return reaching(command, job.id)


def _merging(base: Base) -> Iterator[str]:
    """The commands that merge conflicting branches. Untracked files that git would not overwrite go to the stash."""
    if base.in_the_way:
        paths = " ".join(shlex.quote(f":/{path}") for path in base.in_the_way)
        yield f"git stash push --include-untracked -- {paths}"
    yield from (f"git merge --no-edit {shlex.quote(branch)}" for branch in base.unmerged)


_BY_QUEUE = frozenset({JobState.QUEUED, JobState.RUNNING, JobState.WAITING, JobState.PAUSED, JobState.LIMITED})


def total_use(queue: Queue) -> Use:
    return sum((job.use for job in queue.jobs), Use())


def queue_document(
    queue: Queue,
    rows: Sequence[Row],
    owner: Mapping[str, Any] | None,
    next_at: datetime | None,
    overlaps: Sequence[Overlap] = (),
) -> dict[str, Any]:
    """The object of `queue list --json` and of `queue run --json`; only the latter knows the overlaps."""
    return {
        "jobs": [_job(row) for row in rows],
        "owner": {name: owner[name] for name in ("pid", "since", "by")} if owner else None,
        "started": queue.started_at.isoformat() if queue.started_at else None,
        "ended": queue.ended or None,
        "next_at": next_at.isoformat() if next_at else None,
        "budget": {"since": queue.budget_at.isoformat(), **_use(queue.spent)} if queue.budget_at else None,
        "overlaps": [{"jobs": list(each.jobs), "paths": list(each.paths)} for each in overlaps],
        "totals": {
            **{f"{state.value.replace(' ', '_')}": sum(row.state is state for row in rows) for state in JobState},
            **_use(total_use(queue)),
        },
    }


def _job(row: Row) -> dict[str, Any]:
    job = row.job
    return {
        "id": job.id,
        "specification": job.spec,
        "state": row.state.value,
        "why": row.why or None,
        "needs": list(row.needs),
        "priority": job.priority,
        "agent": job.agent or None,
        "branch": job.branch or None,
        "worktree": job.worktree or None,
        "until": job.until.isoformat() if job.until else None,
        "conflicts": list(job.base.conflicts) if job.base else [],
        "next": row.next_step or None,
        **_use(job.use),
        "escalated": _use(job.escalated) if job.escalated.calls else None,
    }


def _use(use: Use) -> dict[str, Any]:
    return {
        "calls": use.calls,
        "tokens": use.tokens,
        "cost_usd": use.cost_usd,
        "calls_without_cost": use.calls_without_cost,
        "calls_without_tokens": use.calls_without_tokens,
    }


def queue_schema() -> Schema:
    used = {
        "calls": integer(),
        "tokens": integer(),
        "cost_usd": NUMBER,
        "calls_without_cost": integer(),
        "calls_without_tokens": integer(),
    }
    job = {
        "id": SOME_TEXT,
        "specification": SOME_TEXT,
        "state": words(JobState),
        "why": or_null(SOME_TEXT),
        "needs": list_of(SOME_TEXT),
        "priority": integer(),
        "agent": or_null(ANY_TEXT),
        "branch": or_null(SOME_TEXT),
        "worktree": or_null(SOME_TEXT),
        "until": or_null(MOMENT),
        "conflicts": list_of(SOME_TEXT),
        "next": or_null(SOME_TEXT),
        **used,
        "escalated": or_null(record(used)),
    }
    counts = {state.value.replace(" ", "_"): integer() for state in JobState}
    return record(
        {
            "jobs": list_of(record(job)),
            "owner": or_null(record({"pid": integer(), "since": MOMENT, "by": SOME_TEXT})),
            "started": or_null(MOMENT),
            "ended": or_null(SOME_TEXT),
            "next_at": or_null(MOMENT),
            "budget": or_null(record({"since": MOMENT, **used})),
            "overlaps": list_of(record({"jobs": list_of(SOME_TEXT), "paths": list_of(SOME_TEXT)})),
            "totals": record({**counts, **used}),
        }
    )
