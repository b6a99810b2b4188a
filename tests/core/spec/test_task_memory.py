import pytest

from dualgate.core.spec.task_memory import edited_by_person, remembered
from dualgate.core.values.specification import Plan

BOTH = Plan(open=("Add a fee", "Round it"), file="fix_plan.md")


def read(*readings: Plan, start: Plan = BOTH) -> Plan:
    plan: Plan | None = start
    for now in readings:
        plan = remembered(plan, now)
    assert plan is not None
    return plan


def test_a_task_that_was_seen_ticked_may_leave_the_list() -> None:
    plan = read(Plan(open=("Round it",), done=("Add a fee",)), Plan(done=("Round it",)), Plan())

    assert (plan.lost, plan.finished) == ((), ("Add a fee", "Round it"))
    assert (plan.is_done, plan.ticked) == (True, 2)


def test_an_open_task_that_leaves_the_list_is_lost_until_it_is_back() -> None:
    without, back = Plan(done=("Add a fee",)), Plan(done=("Add a fee",), open=("Round it",))

    assert (read(without).lost, read(without, without).lost) == (("Round it",), ("Round it",))
    assert read(without, back).lost == ()
    ticked = read(without, Plan(done=("Add a fee", "Round it")))
    assert (ticked.lost, ticked.finished) == ((), ("Add a fee", "Round it"))


def test_one_of_two_equal_tasks_is_missed() -> None:
    twice = Plan(open=("Test it", "Test it"))

    assert read(Plan(done=("Test it",)), start=twice).lost == ("Test it",)


REWORDED = [
    ("Round it", "Round it to whole cents (half up)", ()),
    ("Round it", "~~Round it~~", ()),
    ("Write the parser of fees", "Write a parser for the fees", ()),
    ("Round it", "Update the README", ("Round it",)),
    ("Round it", "Round it (won't do)", ("Round it",)),
    ("Round it", "Round it: deferred", ("Round it",)),
    ("Round it later", "Round it later than that", ()),
]


@pytest.mark.parametrize(("old", "new", "lost"), REWORDED)
def test_a_task_that_is_reworded_is_recognised_unless_it_is_withdrawn(old: str, new: str, lost: tuple[str]) -> None:
    plan = read(Plan(done=(new,)), start=Plan(open=(old,)))

    assert (plan.lost, plan.finished) == (lost, () if lost else (new,))


def test_one_new_text_stands_for_one_task() -> None:
    plan = read(Plan(done=("Add a fee and round it",)), start=Plan(open=("Add a fee", "round it")))

    assert len(plan.lost) == 1


def test_a_task_that_is_open_again_is_not_finished() -> None:
    assert read(Plan(done=("Add a fee",), open=("Round it",)), BOTH).finished == ()


def test_tasks_that_a_person_removes_are_not_lost() -> None:
    edited = edited_by_person(BOTH, ("fix_plan.md",))

    assert edited is not None
    assert read(Plan(open=("Round it",)), start=edited).lost == ()
    assert edited_by_person(BOTH, ("other.md",)) is BOTH
    assert edited_by_person(None, ("fix_plan.md",)) is None


def test_a_first_reading_and_a_list_that_is_gone_are_taken_as_they_are() -> None:
    gone = Plan(open=BOTH.open, is_gone=True)

    assert remembered(None, BOTH) is BOTH
    assert remembered(BOTH, gone) is gone
    assert remembered(BOTH, None) is None
