"""The account of a queue in words, and the notices that carry it."""

from datetime import UTC, datetime

import pytest
from jsonschema import Draft202012Validator

from dualgate.core.queue.account import MOST_NAMED, account_lines, idle_text, shown_use
from dualgate.core.queue.document import queue_document, queue_rows
from dualgate.core.queue.needs import Needs
from dualgate.core.queue.notices import is_news, moment_of_end, queue_notice_document
from dualgate.core.queue.planning import Plan, all_waiting
from dualgate.core.report.schemas import schema
from dualgate.core.values.queue import Job, JobState, Overlap, Queue, Use
from dualgate.core.values.replacing import replace
from dualgate.core.values.vocabulary import QUEUE_MOMENTS, Moment

AT = datetime(2026, 1, 1, tzinfo=UTC)


def a_job(name: str, state: JobState, **values: object) -> Job:
    return Job(id=name, spec=f"{name}.md", number=1, state=state, **values)  # type: ignore[arg-type]


def lines(*jobs: Job, reason: str = "all jobs ended", overlaps: tuple[Overlap, ...] = ()) -> list[str]:
    return list(account_lines(queue_rows(Queue(jobs=jobs), Needs(), Plan()), reason, overlaps))


def test_an_account_counts_the_states_and_names_what_needs_a_person_with_the_command() -> None:
    jobs = (
        a_job("a", JobState.PROVEN, use=Use(calls=3, cost_usd=1.5)),
        a_job("b", JobState.BLOCKED, worktree="/w/b", reason="needs a key", way_on="dualgate resume"),
        a_job("c", JobState.NOT_PROVEN, worktree="/w/c"),
        a_job("d", JobState.PAUSED),
    )

    assert lines(*jobs, overlaps=(Overlap(jobs=("a", "c"), paths=("f.py",)),)) == [
        "4 jobs: 1 paused, 1 proven, 1 not proven, 1 blocked; 3 calls, $1.50; all jobs ended",
        "b: blocked: needs a key. Next: dualgate resume --worktree b",
        "c: not proven. Next: dualgate status --worktree c",
        "a and c conflict in f.py: merge one of them, then resolve the other",
        "Go on with 1 job: dualgate queue run",
    ]


def test_what_stronger_agents_used_is_counted_apart() -> None:
    used = {"use": Use(calls=4, cost_usd=2.3), "escalated": Use(calls=1, cost_usd=2.0)}
    jobs = (a_job("a", JobState.PROVEN, **used), a_job("b", JobState.PROVEN, use=Use(calls=1, cost_usd=1.0)))

    assert lines(*jobs) == [
        "2 jobs: 2 proven; 5 calls, $3.30 (1 call, $2.00 after a takeover); all jobs ended",
    ]


def test_a_job_without_a_call_has_no_usage() -> None:
    assert shown_use(Use()) == "-"


def test_an_account_of_proven_jobs_asks_for_nothing_and_one_of_many_is_cut() -> None:
    assert lines(a_job("a", JobState.PROVEN, use=Use(calls=1, calls_without_cost=1))) == [
        "1 job: 1 proven; 1 call, cost unknown; all jobs ended"
    ]
    many = [a_job(str(number), JobState.FAILED) for number in range(MOST_NAMED + 3)]
    assert lines(*many)[-1] == "and 3 more: dualgate queue list"


GO_ON = "go on with 1 job: dualgate queue run"
IDLE = [
    (JobState.QUEUED, "", GO_ON),
    (JobState.QUEUED, "all jobs ended", GO_ON),
    (JobState.QUEUED, "all jobs ended; a program changed the file", f"a program changed the file; {GO_ON}"),
    (JobState.PAUSED, "the budget of $5 is spent", f"the budget of $5 is spent; {GO_ON}"),
    (JobState.PROVEN, "all jobs ended", "all jobs ended"),
    (JobState.HALTED, "the budget of $5 is spent", "the budget of $5 is spent"),
]


@pytest.mark.parametrize(("state", "ended", "text"), IDLE)
def test_an_idle_queue_names_the_command_while_a_job_can_go_on(state: JobState, ended: str, text: str) -> None:
    rows = queue_rows(Queue(jobs=(a_job("a", state),)), Needs(), Plan())

    assert idle_text(rows, ended) == text


@pytest.mark.parametrize("moment", sorted(QUEUE_MOMENTS))
def test_a_notice_fits_its_schema(moment: Moment) -> None:
    queue = queue_document(Queue(budget_at=AT, spent=Use(calls=1)), (), None, None)

    document = queue_notice_document(moment, ("1 job: 1 proven", "more"), AT, "/p", queue)

    assert Draft202012Validator(schema("queue-notice")).is_valid(document)
    assert document["text"] == "dualgate: 1 job: 1 proven"


def test_a_person_who_stops_the_queue_is_not_notified_of_it() -> None:
    assert moment_of_end(True, "") is None
    assert moment_of_end(False, "the budget is spent") is Moment.QUEUE_PAUSED
    assert moment_of_end(False, "") is Moment.QUEUE_ENDED


def test_a_run_that_changed_nothing_and_ended_as_the_last_is_no_news() -> None:
    queue = Queue(jobs=(a_job("a", JobState.PAUSED),), ended="the budget is spent")

    assert not is_news(Queue(), Queue(ended="all jobs ended"))
    assert not is_news(queue, queue)
    assert is_news(queue, replace(queue, ended="all jobs ended"))
    assert is_news(queue, replace(queue, jobs=(a_job("a", JobState.PAUSED, starts=1),)))


def test_all_wait_only_if_nothing_else_can_happen() -> None:
    waiting, running = a_job("a", JobState.WAITING), a_job("b", JobState.RUNNING)

    assert all_waiting([waiting, running], Plan(), ["a"])
    assert all_waiting([waiting], Plan(next_at=AT), [])
    assert not all_waiting([waiting], Plan(), [])
    assert not all_waiting([waiting, running], Plan(next_at=AT), ["a", "b"])
    assert not all_waiting([waiting], Plan(ready=("c",), next_at=AT), ["a"])
