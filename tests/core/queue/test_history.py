"""Events of the queue -> its jobs."""

from datetime import UTC, datetime

from dualgate.core.queue.history import job_named, queue_after, queue_of
from dualgate.core.values.queue import (
    QUEUE_KINDS,
    Base,
    BaseMade,
    BudgetBegun,
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
        BudgetBegun(at=AT, why="first"),
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


def test_what_stronger_agents_used_is_kept_until_the_session_begins_again() -> None:
    stood = JobStood(at=AT, id="a", state=JobState.HALTED, use=Use(calls=4), escalated=Use(calls=1))
    begun = queue_of((JobAdded(at=AT, by="me", id="a", spec="a.md"), stood))

    reopened = queue_after(begun, JobStood(at=AT, id="a", state=JobState.PAUSED, use=Use(calls=4)))
    again = queue_after(begun, JobStood(at=AT, id="a", state=JobState.RUNNING, use=Use(calls=1)))

    assert [queue.jobs[0].escalated for queue in (begun, reopened, again)] == [Use(calls=1), Use(calls=1), Use()]


def test_usage_adds_up_without_binary_fractions() -> None:
    assert Use(cost_usd=0.1, calls=1) + Use(cost_usd=0.2, tokens=2) == Use(cost_usd=0.3, calls=1, tokens=2)


def test_what_is_spent_is_the_usage_since_the_budget_began_with_that_of_removed_and_begun_again_jobs() -> None:
    def stood(name: str, **used: float) -> JobStood:
        return JobStood(at=AT, id=name, state=JobState.RUNNING, use=Use(**used))  # type: ignore[arg-type]

    queue = queue_of(
        [
            added("a"),
            added("b"),
            stood("a", calls=5, cost_usd=5.0),
            BudgetBegun(at=AT, why="first"),
            stood("a", calls=7, cost_usd=6.0, calls_without_cost=1),
            stood("a", calls=7, cost_usd=6.5),
            stood("b", calls=1, cost_usd=0.5),
            JobStood(at=AT, id="b", state=JobState.QUEUED),
            stood("b", calls=2, cost_usd=0.25),
            JobRemoved(at=AT, by="me", id="a"),
            stood("gone", calls=9),
        ]
    )

    assert queue.spent == Use(calls=5, cost_usd=2.25)
    assert (queue.budget_at, queue.budget_over) == (AT, False)
    assert queue_of([BudgetBegun(at=AT, why="first"), QueueEnded(at=AT, reason="all")]).budget_over
