"""Which job starts next, and why the others do not."""

from datetime import UTC, datetime, timedelta

import pytest

from dualgate.core.queue.needs import Needs, needs_of
from dualgate.core.queue.planning import Plan, Policy, plan
from dualgate.core.values.queue import Job, JobState

NOW = datetime(2026, 1, 1, 22, 0, tzinfo=UTC)


def a_job(name: str, number: int = 1, **values: object) -> Job:
    return Job(id=name, spec=f"{name}.md", number=number, **values)  # type: ignore[arg-type]


def planned(*jobs: Job, alive: tuple[str, ...] = (), **policy: object) -> Plan:
    return plan(jobs, needs_of(jobs, {}), Policy(**policy), NOW, alive)  # type: ignore[arg-type]


def test_jobs_start_in_the_order_of_priority_then_as_they_were_added() -> None:
    found = planned(a_job("a", 1), a_job("b", 2, priority=1), a_job("c", 3, priority=1), jobs=2)

    assert found.ready == ("b", "c", "a")
    assert found.start == ("b", "c")


def test_a_job_that_an_urgent_one_waits_for_is_as_urgent() -> None:
    found = planned(a_job("a", 1), a_job("b", 2), a_job("c", 3, priority=1, after=("b",)))

    assert found.start == ("b",)
    assert found.waiting == {"c": "waits for b"}


def test_a_paused_job_is_resumed_before_a_new_one_of_its_priority_starts() -> None:
    assert planned(a_job("a", 1), a_job("b", 2, state=JobState.PAUSED)).start == ("b",)


def test_places_of_running_jobs_are_taken() -> None:
    jobs = (a_job("a", state=JobState.RUNNING), a_job("b"), a_job("c"))

    assert planned(*jobs, alive=("a",), jobs=2).start == ("b",)
    assert planned(*jobs, alive=("a",)).start == ()


def test_a_job_whose_process_died_is_started_again() -> None:
    assert planned(a_job("a", state=JobState.RUNNING)).start == ("a",)


def test_a_proven_job_lets_those_start_that_need_it() -> None:
    assert planned(a_job("a", state=JobState.PROVEN), a_job("b", after=("a",))).start == ("b",)


def test_completed_but_not_proven_is_no_base_unless_a_person_says_so() -> None:
    jobs = (a_job("a", state=JobState.NOT_PROVEN), a_job("b", after=("a",)))

    assert planned(*jobs).blocked == {"b": "it needs a, which is completed, not proven"}
    assert planned(*jobs, accept_unproven=True).start == ("b",)


def test_a_proven_job_that_is_not_committed_is_no_base() -> None:
    jobs = (a_job("a", state=JobState.NOT_COMMITTED), a_job("b", after=("a",)))

    assert planned(*jobs, accept_unproven=True).blocked == {"b": "it needs a, which is proven, but not committed"}


ENDED_OTHERWISE = [
    (JobState.HALTED, "is halted"),
    (JobState.BLOCKED, "is blocked"),
    (JobState.FAILED, "could not start"),
    (JobState.LIMITED, "met a limit"),
]


@pytest.mark.parametrize(("state", "why"), ENDED_OTHERWISE)
def test_a_job_that_ended_without_proof_blocks_all_that_need_it_and_no_other(state: JobState, why: str) -> None:
    found = planned(a_job("a", state=state), a_job("c", after=("b",)), a_job("b", after=("a",)), a_job("d"))

    assert found.blocked == {"b": f"it needs a, which {why}", "c": "it needs b, which cannot start"}
    assert found.start == ("d",)
    assert not found.is_over


def test_jobs_with_a_problem_are_blocked_unless_they_ended_or_run() -> None:
    jobs = (a_job("a"), a_job("b", state=JobState.PROVEN), a_job("c", state=JobState.RUNNING))
    needs = Needs(by_job={}, problems=dict.fromkeys("abc", "gone"))

    found = plan(jobs, needs, Policy(jobs=2), NOW, ("c",))

    assert found.blocked == {"a": "gone"}
    assert found.is_over


def test_jobs_of_an_agent_that_met_a_limit_wait_and_others_take_their_places() -> None:
    until = NOW + timedelta(hours=2)
    jobs = (
        a_job("a", state=JobState.WAITING, until=until, agent="claude"),
        a_job("e", state=JobState.WAITING, until=NOW + timedelta(hours=1), agent="claude"),
        a_job("b", agent="claude"),
        a_job("c"),
        a_job("d", state=JobState.WAITING, until=NOW, agent="codex"),
    )

    found = planned(*jobs, alive=("a",), agent="gemini")

    assert found.ready == ("d", "c")
    assert found.pause == ("a",)
    assert found.start == ()
    assert found.waiting["b"] == "waits for a limit of its agent until 2026-01-02T00:00+00:00"
    assert found.next_at == until


def test_a_waiting_job_keeps_its_place_if_no_other_can_use_it() -> None:
    job = a_job("a", state=JobState.WAITING, until=NOW + timedelta(hours=2))

    assert planned(job, a_job("b"), alive=("a",)).pause == ()
