"""Jobs, needs, policy, the time -> Plan: the jobs that can start, in order, and why each of the others does not.

A job is not tried again in one run of the queue: a person decides about what is halted, blocked or failed.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from dualgate.core.queue.needs import Needs
from dualgate.core.queue.reserve import kept_for_person
from dualgate.core.values.queue import Job, JobState

ENDED = frozenset(
    {
        JobState.PROVEN,
        JobState.NOT_PROVEN,
        JobState.NOT_COMMITTED,
        JobState.APPROVAL,
        JobState.HALTED,
        JobState.BLOCKED,
        JobState.LIMITED,
        JobState.FAILED,
    }
)
"""States in which nothing happens any more in this run of the queue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    jobs: int = 1
    """How many run at once."""
    accept_unproven: bool = False
    """Whether a job that is completed, not proven, is a base for others."""
    agent: str = ""
    """The agent of jobs that name none."""
    reserve: int = 0
    """Percent of the limits that agents report which stay for the person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    start: tuple[str, ...] = ()
    """Jobs to start or resume now, the first one first."""
    ready: tuple[str, ...] = ()
    """All jobs that could start if there were places for them."""
    pause: tuple[str, ...] = ()
    """Running jobs that wait for a limit, and whose places others can use meanwhile."""
    hold: tuple[str, ...] = ()
    """Running jobs whose agent has used all but the reserve of the person."""
    waiting: Mapping[str, str] = field(default_factory=dict)
    """Jobs that can start later by themselves, with the reason."""
    blocked: Mapping[str, str] = field(default_factory=dict)
    """Jobs that cannot start before a person acts, with the reason."""
    causes: Mapping[str, str] = field(default_factory=dict)
    """Of the blocked jobs those that another one blocks, with its id."""
    next_at: datetime | None = None
    """When the first of the limits that jobs wait for ends."""

    @property
    def is_over(self) -> bool:
        """Whether nothing can start any more, now or later; jobs that run may still change that."""
        return not (self.ready or self.waiting)


def plan(jobs: Sequence[Job], needs: Needs, policy: Policy, now: datetime, alive: Collection[str] = ()) -> Plan:
    """The next steps of the queue; `alive` are the jobs whose processes run."""
    by_id = {job.id: job for job in jobs}
    going = {job.id for job in jobs if job.state in ENDED or job.id in alive}
    blocked, causes = _blocked(by_id, needs, policy, going)
    limits = agent_limits(jobs, policy, now)
    kept = kept_for_person(jobs, policy.reserve, policy.agent, now)
    waiting: dict[str, str] = {}
    ready: list[Job] = []
    for job in jobs:
        if job.id in going or job.id in blocked:
            continue
        if missing := [each for each in needs.by_job.get(job.id, ()) if not is_base(by_id[each], policy)]:
            waiting[job.id] = f"waits for {', '.join(missing)}"
        elif until := limits.get(agent_of(job, policy)):
            waiting[job.id] = f"waits for a limit of its agent until {until.isoformat(timespec='minutes')}"
        elif reserved := kept.get(agent_of(job, policy)):
            waiting[job.id] = f"waits: {reserved.text}"
        else:
            ready.append(job)
    ranks = _ranks(by_id, needs)
    ready.sort(key=lambda job: (ranks[job.id], job.state is JobState.QUEUED, job.number))
    places = max(0, policy.jobs - len(alive))
    idle = [job.id for job in jobs if job.id in alive and job.state is JobState.WAITING]
    return Plan(
        start=tuple(job.id for job in ready[:places]),
        ready=tuple(job.id for job in ready),
        pause=tuple(idle[: max(0, len(ready) - places)]),
        hold=tuple(job.id for job in jobs if job.id in alive and agent_of(job, policy) in kept),
        waiting=waiting,
        blocked=blocked,
        causes=causes,
        next_at=min((*limits.values(), *(each.until for each in kept.values())), default=None),
    )


def all_waiting(jobs: Sequence[Job], planned: Plan, alive: Collection[str]) -> bool:
    """Whether nothing happens before a limit ends: each job that could run waits for one."""
    states = {job.state for job in jobs if job.id in alive}
    return not planned.ready and states <= {JobState.WAITING} and (planned.next_at is not None or bool(states))


def agent_of(job: Job, policy: Policy) -> str:
    return job.agent or policy.agent


def agent_limits(jobs: Sequence[Job], policy: Policy, now: datetime) -> dict[str, datetime]:
    """Agents that met a limit which has not ended: another job of such an agent would meet it too."""
    found: dict[str, datetime] = {}
    for job in jobs:
        if job.until and job.until > now and job.state is JobState.WAITING:
            agent = agent_of(job, policy)
            found[agent] = max(job.until, found.get(agent, job.until))
    return found


def is_base(job: Job, policy: Policy) -> bool:
    return job.state is JobState.PROVEN or (policy.accept_unproven and job.state is JobState.NOT_PROVEN)


def _blocked(
    jobs: Mapping[str, Job], needs: Needs, policy: Policy, going: Collection[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Open jobs with a problem, or that need a job which ended in another way, or which is blocked itself; and by
    which job they are blocked.
    """
    found = {job_id: text for job_id, text in needs.problems.items() if job_id not in going}
    causes: dict[str, str] = {}
    for _ in jobs:  # each round blocks those that need what the round before blocked
        for job_id in (each for each in jobs if each not in found and each not in going):
            reasons = ((each, _why_never(jobs[each], each in found, policy)) for each in needs.by_job.get(job_id, ()))
            if first := next(((needed, why) for needed, why in reasons if why), None):
                found[job_id] = f"it needs {first[0]}, which {first[1]}"
                causes[job_id] = first[0]
    return found, causes


def _why_never(needed: Job, is_blocked: bool, policy: Policy) -> str:
    if is_blocked:
        return "cannot start"
    if needed.state not in ENDED or is_base(needed, policy):
        return ""
    return _WHY_NEVER.get(needed.state, f"is {needed.state}")


_WHY_NEVER = {
    JobState.FAILED: "could not start",
    JobState.LIMITED: "met a limit",
    JobState.NOT_PROVEN: "is completed, not proven",
    JobState.NOT_COMMITTED: "is proven, but not committed",
    JobState.APPROVAL: "waits for your approval",
}


def _ranks(jobs: Mapping[str, Job], needs: Needs) -> dict[str, int]:
    """The priority of each job: its own, or that of a job that waits for it, if that is more urgent."""
    ranks = {job_id: job.priority for job_id, job in jobs.items()}
    for _ in jobs:
        for job_id, needed in needs.by_job.items():
            for each in needed:
                ranks[each] = min(ranks[each], ranks[job_id])
    return ranks
