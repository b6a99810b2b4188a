"""QueueEvent -> Queue: the jobs as the queue's file describes them."""

from collections.abc import Iterable

from dualgate.core.values.queue import (
    BaseMade,
    BudgetBegun,
    Job,
    JobAdded,
    JobRemoved,
    JobStarted,
    JobState,
    JobStood,
    Queue,
    QueueEnded,
    QueueEvent,
    QueueStarted,
    Use,
)
from dualgate.core.values.replacing import replace


def queue_of(events: Iterable[QueueEvent]) -> Queue:
    queue = Queue()
    for event in events:
        queue = queue_after(queue, event)
    return queue


def queue_after(queue: Queue, event: QueueEvent) -> Queue:
    match event:
        case JobAdded():
            return _added(queue, event)
        case JobRemoved():
            return replace(queue, jobs=tuple(job for job in queue.jobs if job.id != event.id))
        case QueueStarted():
            return replace(queue, started_at=event.at, ended="")
        case QueueEnded():
            return replace(queue, ended=event.reason, budget_over=True)
        case BudgetBegun():
            return replace(queue, budget_at=event.at, budget_over=False, spent=Use())
        case BaseMade() | JobStarted() | JobStood():
            jobs = tuple(_after(job, event) if job.id == event.id else job for job in queue.jobs)
            return replace(queue, jobs=jobs, spent=queue.spent + _more_use(queue, event))


def _more_use(queue: Queue, event: BaseMade | JobStarted | JobStood) -> Use:
    """The usage that an event adds. A session that was begun again starts from nothing."""
    job = job_named(queue, event.id)
    if job is None or not isinstance(event, JobStood):
        return Use()
    return event.use if event.use.calls < job.use.calls else event.use - job.use


def job_named(queue: Queue, job_id: str) -> Job | None:
    return next((job for job in queue.jobs if job.id == job_id), None)


def _added(queue: Queue, event: JobAdded) -> Queue:
    """A new job at the end; a job that is there already keeps its id, its place and its state."""
    known = job_named(queue, event.id)
    before = known or Job(id=event.id, spec=event.spec, number=queue.added + 1)
    job = replace(
        before,
        spec=event.spec,
        priority=event.priority,
        after=event.after,
        done=event.done,
        words=event.words,
        agent=event.agent,
    )
    if known:
        return replace(queue, jobs=tuple(job if each is known else each for each in queue.jobs))
    return replace(queue, jobs=(*queue.jobs, job), added=queue.added + 1)


def _after(job: Job, event: BaseMade | JobStarted | JobStood) -> Job:
    match event:
        case BaseMade():
            return replace(job, base=event.base)
        case JobStarted():
            begun = replace(job, state=JobState.RUNNING, reason="", until=None, way_on="", starts=job.starts + 1)
            return replace(begun, worktree=event.worktree or job.worktree, branch=event.branch or job.branch)
        case JobStood():
            return replace(
                job,
                state=event.state,
                reason=event.reason,
                until=event.until,
                use=event.use,
                escalated=event.escalated if _is_newer(event, job) else job.escalated,
                way_on=event.way_on,
                reports=event.reports or job.reports,
                worktree=event.worktree or job.worktree,
                branch=event.branch or job.branch,
                commit=event.commit or job.commit,
            )


def _is_newer(event: JobStood, job: Job) -> bool:
    """Whether an event knows who took over: those that the queue makes itself do not, and a new session has none."""
    return bool(event.escalated.calls) or event.use.calls < job.use.calls
