"""Whether an agent may stop: table of cases."""

from dataclasses import replace

import pytest

from dualgate.core.values.verification import Finding, Rule, Standing, Weight
from dualgate.hooks.deciding import Act, Answer, Seen, answer_unchanged, answer_verified, may_stop_unseen
from dualgate.hooks.payload import Stop
from tests.hooks.findings import BROKEN, LATE, NOTE, OLD, REGRESSED, UNTESTED, verification

STOP = Stop(message="Done.", event="e1")
SEEN = Seen(root="/r", tree="t0")
BLOCKED = Act.BLOCK

UNSEEN = [
    (Stop(message="Done."), False),
    (Stop(message="Which one?"), True),
    (Stop(message="Done.", in_plan_mode=True), True),
    (Stop(message="Done.", has_background_work=True), True),
    (Stop(), False),
]


@pytest.mark.parametrize(("stop", "unseen"), UNSEEN)
def test_plans_questions_and_background_work_are_no_end(stop: Stop, unseen: bool) -> None:
    assert may_stop_unseen(stop) is unseen


ACTS: list[tuple[tuple[Finding, ...], Act]] = [
    ((), Act.SILENT),
    ((NOTE,), Act.SILENT),
    ((REGRESSED,), Act.BLOCK),
    ((UNTESTED,), Act.BLOCK),
    ((OLD,), Act.NOTE),
    ((LATE,), Act.NOTE),
    ((BROKEN,), Act.NOTE),
    ((OLD, REGRESSED), Act.BLOCK),
    ((LATE, UNTESTED), Act.BLOCK),
    ((replace(REGRESSED, accepted="asked for"),), Act.SILENT),
    ((replace(OLD, weight=Weight.REFUSED),), Act.NOTE),
    ((Finding(rule=Rule.PASSES_ON_BASE, weight=Weight.NOT_PROVEN, text="t passes on the base"),), Act.NOTE),
]


@pytest.mark.parametrize(("findings", "act"), ACTS)
def test_only_what_the_agent_can_change_blocks(findings: tuple[Finding, ...], act: Act) -> None:
    answer, after = answer_verified(STOP, SEEN, "t1", verification(*findings))

    assert answer.act is act
    assert (after.tree, after.event, after.blocks) == ("t1", "e1", int(act is Act.BLOCK))
    assert (after.refused != "") is (act is Act.BLOCK)


def test_a_reason_names_the_test_the_file_and_what_to_do() -> None:
    answer, _ = answer_verified(STOP, SEEN, "t1", verification(REGRESSED, OLD))

    assert answer.text == (
        "dualgate: not done. tests/test_a.py::test_x passes on the base and fails now (tests/test_a.py:3). "
        "Fix the code; leave the test as it was."
    )


def test_after_two_blocks_the_agent_may_stop_and_the_person_reads_why() -> None:
    seen, acts = SEEN, []
    for tree in ("t1", "t2", "t3", "t4"):
        answer, seen = answer_verified(STOP, seen, tree, verification(REGRESSED))
        acts.append(answer.act)

    assert acts == [Act.BLOCK, Act.BLOCK, Act.NOTE, Act.NOTE]
    assert answer.text.startswith("dualgate: not proven. tests/test_a.py::test_x")


def test_verified_work_begins_a_new_count() -> None:
    _, seen = answer_verified(STOP, replace(SEEN, blocks=2, told=("x",)), "t1", verification())

    assert (seen.blocks, seen.told) == (0, ())


def test_code_without_a_test_blocks_once() -> None:
    first, seen = answer_verified(STOP, SEEN, "t1", verification(UNTESTED))
    second, _ = answer_verified(STOP, seen, "t2", verification(UNTESTED))

    assert (first.act, second.act) == (Act.BLOCK, Act.NOTE)


def test_the_same_stop_is_answered_once_and_the_next_with_a_note_for_the_person() -> None:
    _, seen = answer_verified(STOP, SEEN, "t1", verification(REGRESSED))

    again, same = answer_unchanged(STOP, seen)
    later, after = answer_unchanged(replace(STOP, event="e2"), seen)
    last, _ = answer_unchanged(replace(STOP, event="e3"), after)

    assert (again, same) == (Answer(), seen)
    assert later.act is Act.NOTE
    assert later.text.startswith("dualgate: not proven. tests/test_a.py::test_x passes")
    assert last == Answer()


def test_an_unusable_verification_without_findings_is_a_note() -> None:
    answer, _ = answer_verified(STOP, SEEN, "t1", verification(standing=Standing.UNUSABLE))

    assert answer == Answer(
        act=Act.NOTE, text="dualgate: not proven. Nothing shows that the change works. See: dualgate verify"
    )
