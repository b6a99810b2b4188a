"""Events of the queue -> its jobs."""

from datetime import UTC, datetime

from dualgate.core.queue.history import job_named, queue_of
from dualgate.core.values.queue import (
    QUEUE_KINDS,
    Base,
    BaseMade,
    JobAdded,
    JobRemoved,
    JobStarted,
    JobState,
    JobStood,
    QueueEnded,
    QueueEvent,
    QueueStarted,
    Use,
)

AT = datetime(2026, 1, 1, tzinfo=UTC)


def added(name: str, **values: object) -> JobAdded:
    return JobAdded(at=AT, by="me", id=name, spec=f"{name}.md", **values)  # type: ignore[arg-type]


def test_a_job_goes_from_queued_to_proven() -> None:
    events: list[QueueEvent] = [
        added("a"),
        QueueStarted(at=AT, by="me", pid=1),
        BaseMade(at=AT, id="a", base=Base(commit="c")),
        JobStarted(at=AT, id="a", worktree="/w", branch="b"),
        JobStood(at=AT, id="a", state=JobState.PAUSED, reason="why", use=Use(calls=2), way_on="dualgate resume"),
        JobStarted(at=AT, id="a"),
        JobStood(at=AT, id="a", state=JobState.PROVEN, use=Use(calls=5)),
        QueueEnded(at=AT, reason="all jobs ended"),
    ]

    queue = queue_of(events)
    (job,) = queue.jobs

    assert (job.state, job.worktree, job.branch, job.starts, job.use.calls) == (JobState.PROVEN, "/w", "b", 2, 5)
    assert (job.reason, job.way_on, job.base) == ("", "", Base(commit="c"))
    assert (queue.ended, queue.started_at) == ("all jobs ended", AT)
    assert {type(event).kind for event in events} | {JobRemoved.kind} == QUEUE_KINDS.keys()


def test_a_job_that_is_added_again_keeps_its_id_its_place_and_its_state() -> None:
    queue = queue_of(
        [
            added("a"),
            added("b"),
            JobStood(at=AT, id="a", state=JobState.PAUSED),
            added("a", priority=1, after=("b",)),
        ]
    )

    job = queue.jobs[0]
    assert (job.id, job.number, job.state, job.priority, job.after) == ("a", 1, JobState.PAUSED, 1, ("b",))


def test_the_number_of_a_removed_job_is_not_given_again() -> None:
    queue = queue_of([added("a"), JobRemoved(at=AT, by="me", id="a"), added("a")])

    assert [job.number for job in queue.jobs] == [2]
    assert job_named(queue, "b") is None


def test_usage_adds_up_without_binary_fractions() -> None:
    assert Use(cost_usd=0.1, calls=1) + Use(cost_usd=0.2, tokens=2) == Use(cost_usd=0.3, calls=1, tokens=2)
