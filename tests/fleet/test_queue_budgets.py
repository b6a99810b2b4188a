"""The budget of the queue over several runs: kills, ends, nights, and clocks that are set."""

from datetime import timedelta
from pathlib import Path

import pytest

from dualgate.core.queue.budget import Budget
from dualgate.core.queue.hours import read_hours
from dualgate.core.values.queue import JobState, Use
from dualgate.core.values.replacing import replace
from dualgate.core.values.spending import Spending, Used
from dualgate.core.values.vocabulary import Phase
from dualgate.fleet.queue.adding import remove_jobs
from dualgate.testing import a_state
from tests.fleet.scripted import EVENING, Scripted, Step, at_work, proven, used

NIGHT = read_hours("22:00-07:00")


@pytest.fixture
def world(tmp_path: Path) -> Scripted:
    """One job that goes on for ever, at a dollar a look."""
    world = Scripted(root=tmp_path, scripts={"a": [at_work(count, count) for count in range(1, 500)]})
    world.add("a")
    return world


def killed_after(world: Scripted, looks: int, budget: Budget, **options: bool) -> None:
    world.dies_after = world.looks + looks
    with pytest.raises(SystemExit):
        world.run(budget, **options)
    world.dies_after = None


def goes_on(world: Scripted) -> None:
    """The process of the job dies with the queue, and its session goes on where it was."""
    world.alive.clear()
    calls = world.states["a"].total_agent_calls
    world.scripts["a"] = [at_work(count, count) for count in range(calls + 1, 500)]


def cost(world: Scripted) -> float:
    return sum(job.use.cost_usd for job in world.file.read().jobs)


@pytest.mark.parametrize("looks", [1, 2, 5])
def test_a_queue_that_is_killed_and_started_again_for_ever_spends_its_budget_once(world: Scripted, looks: int) -> None:
    budget = Budget(max_cost=12)
    for _ in range(2):
        killed_after(world, looks, budget)
        goes_on(world)

    ended = world.run(budget)
    again = cost(world)

    assert ended.spent.startswith("the budget of the queue, $12.00 (--max-cost), is spent: $12.00")
    assert again == 12
    assert any(text.startswith("the budget goes on (the last run was killed): used $") for text in world.told)


def test_what_jobs_use_while_no_queue_runs_counts_after_a_kill(world: Scripted) -> None:
    killed_after(world, 2, Budget(max_cost=9))
    world.states["a"] = used(a_state(), 9, 9.0)  # its process outlived the queue

    assert world.run(Budget(max_cost=9)).spent.endswith("is spent: $9.00")


def test_a_run_after_one_that_ended_has_a_new_budget_and_what_a_person_used_between_them_is_not_of_it(
    world: Scripted,
) -> None:
    world.run(Budget(max_cost=3))
    world.states["a"] = used(world.states["a"], 50, 50.0)
    world.scripts["a"] = [at_work(count, count) for count in range(51, 99)]

    ended = world.run(Budget(max_cost=3))

    assert ended.spent.endswith("is spent: $3.00")
    assert cost(world) == 53
    assert world.told.count("new budget (the last run ended): used $0.00 of $3.00") == 1


def test_a_person_may_begin_a_new_budget_after_a_kill(world: Scripted) -> None:
    killed_after(world, 4, Budget(max_cost=5))
    goes_on(world)
    before = world.states["a"].spending.total.cost_usd

    world.run(Budget(max_cost=5), new_budget=True)

    assert cost(world) == before + 5
    assert "new budget (--new-budget): used $0.00 of $5.00" in world.told


def test_time_goes_on_over_a_kill_too(world: Scripted) -> None:
    killed_after(world, 4, Budget(duration=timedelta(hours=1)))

    ended = world.run(Budget(duration=timedelta(hours=1)))

    assert world.now <= EVENING + timedelta(minutes=80)
    assert ended.spent == "the time of the queue (--max-duration) is over; it began at 21:00"


def test_a_removed_job_does_not_give_its_cost_back(world: Scripted) -> None:
    world.scripts["b"] = [at_work()] * 9 + [proven()]
    world.add("b")
    world.at_look[4] = lambda: remove_jobs(world.file, world.root, ["a"], "me", lambda: world.now)

    world.run(Budget(max_cost=100), jobs=2)

    assert [job.id for job in world.file.read().jobs] == ["b"]
    assert world.file.read().spent.cost_usd >= 4


def test_each_night_has_one_budget_however_often_the_queue_is_started_in_it(world: Scripted) -> None:
    budget = Budget(max_cost=5, hours=NIGHT)
    killed_after(world, 9, budget)  # waits for 22:00, then works
    goes_on(world)
    ended = world.run(budget)
    in_the_first_night = cost(world)
    again = world.run(budget)

    assert ended.spent == again.spent
    assert (in_the_first_night, cost(world)) == (5, 5)
    goes_on(world)
    world.now = EVENING + timedelta(days=1)
    world.run(budget)

    assert cost(world) == 10
    told = [text for text in world.told if "budget" in text and "used" in text]
    assert told[0] == "new budget (no budget was begun before): used $0.00 of $5.00"
    assert told[2].startswith("the budget goes on (the hours 22:00-07:00 have one budget): used $5.00 of $5.00.")
    assert told[3] == "new budget (the hours 22:00-07:00 have begun): used $0.00 of $5.00"


def test_a_machine_that_sleeps_over_the_end_of_the_hours_works_in_the_next_with_their_budget(world: Scripted) -> None:
    world.now = EVENING + timedelta(hours=1)
    world.at_look[3] = lambda: setattr(world, "now", EVENING + timedelta(days=1, hours=1))

    ended = world.run(Budget(max_cost=5, hours=NIGHT))

    assert ended.spent.endswith("is spent: $5.00")
    assert cost(world) > 5


def test_jobs_that_outlived_the_queue_are_paused_outside_its_hours(world: Scripted) -> None:
    world.now = EVENING + timedelta(hours=1)
    killed_after(world, 3, Budget(hours=NIGHT))
    world.now = EVENING + timedelta(hours=14)
    world.at_look[5] = lambda: world.told.append(f"alive: {sorted(world.alive)}")

    world.run(Budget(hours=NIGHT, max_calls=8))

    assert world.told.count("a: paused outside the hours of the queue") == 1
    assert "alive: []" in world.told
    assert world.started == ["run a", "resume a"]


@pytest.mark.parametrize(("back", "pauses"), [(timedelta(minutes=10, seconds=30), 0), (timedelta(hours=3), 1)])
def test_a_clock_that_is_set_back_to_before_the_hours_does_not_end_the_night(
    world: Scripted, back: timedelta, pauses: int
) -> None:
    world.now = EVENING + timedelta(hours=1)
    world.at_look[1] = lambda: setattr(world, "now", world.now - back)

    ended = world.run(Budget(hours=NIGHT, max_calls=20))

    assert "--max-calls" in ended.spent
    assert world.told.count("a: paused outside the hours of the queue") == pauses


def test_a_call_of_unknown_cost_is_named_once_and_in_the_reason(world: Scripted) -> None:
    def after(calls: int) -> Step:
        unknown = min(calls, 3)
        used = Used(calls=calls, cost_usd=float(calls - unknown), without_cost=unknown)
        state = replace(a_state(), total_agent_calls=calls, spending=Spending(phases={Phase.RED: used}))
        return lambda _: state

    world.scripts["a"] = [after(count) for count in range(1, 99)]

    ended = world.run(Budget(max_cost=4))

    assert ended.spent == (
        "the budget of the queue, $4.00 (--max-cost), is spent: at least $4.00 and 3 calls of unknown size"
    )
    named = [text for text in world.told if "did not report" in text]
    assert named == [
        "1 call did not report what --max-cost counts; the budget counts the others only. "
        "No call reported it so far: limit the queue with --max-calls."
    ]


def test_a_queue_of_before_budgets_were_recorded_begins_a_new_one(world: Scripted) -> None:
    line = (
        '{"format":1,"kind":"queue.started","data":{"at":"2025-12-31T22:00:00+00:00","by":"me","pid":7}}\n'
        '{"format":1,"kind":"job.stood","data":{"at":"2025-12-31T23:00:00+00:00","id":"a","state":"paused",'
        '"use":{"calls":7,"cost_usd":9.0}}}\n'
    )
    with world.file.path.open("a") as opened:
        opened.write(line)
    world.states["a"] = used(a_state(), 7, 9.0)
    world.scripts["a"] = [at_work(count, count + 2) for count in range(8, 99)]

    ended = world.run(Budget(max_cost=3))

    assert ended.spent.endswith("is spent: $3.00")
    job = ended.queue.jobs[0]
    assert (job.state, job.use) == (JobState.PAUSED, Use(calls=10, cost_usd=12.0))
