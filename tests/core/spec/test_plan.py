import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.spec.plan import newly_done, read_plan, ticked, without_boxes, without_new_ticks
from dualgate.core.spec.reading import read_specification
from dualgate.core.values.specification import Plan

LISTS = [
    ("- [ ] a\n- [x] b\n", ("a",), ("b",)),
    ("* [ ] a\n+ [X] b\n", ("a",), ("b",)),
    ("1. [ ] a\n2) [x] b\n", ("a",), ("b",)),
    ("-  [ ] a\n", ("a",), ()),
    ("- [x] a\r\n- [ ] b\r\n", ("b",), ("a",)),
    ("- [x] a\n    - [ ] a.1\n\t- [x] a.2\n", ("a.1",), ("a", "a.2")),
    ("- [~] begun\n", ("begun",), ()),
    ("- [2026-01-16] a note\n- [x] a\n", (), ("a",)),
    ("- [link](x.md)\n- [ ]glued\n", (), ()),
    ("- [] a\n> - [ ] b\n- [\u00a0] c\n", ("a", "b", "c"), ()),
    ("- [x] a\n```\n- [ ] in code\n```\n", (), ("a",)),
    ("- [x] a\n## Optional parameters\n- [ ] b\n", ("b",), ("a",)),
    ("- [x] a\n## **Optional** (later)\n- [ ] b\n", (), ("a",)),
    ("- [x] a\n## Optional tasks\n- [ ] b\n", (), ("a",)),
    ("- [x] a\n## Optional Enhancements: later\n- [ ] b\n", (), ("a",)),
    ("- [x] a\n## Optional work items of the parser\n- [ ] b\n", ("b",), ("a",)),
    ("# Plan\nFree text.\n", (), ()),
    ("- [x] a\n## Optional\n- [ ] b\n### Deeper\n- [ ] c\n- [x] d\n## Next\n- [ ] e\n", ("e",), ("a", "d")),
    ("- [x] a\n## Future work\n- [ ] b\n", ("b",), ("a",)),
    ("## Optional: later ##\n- [ ] b\n# Top\n- [ ] c\n", ("c",), ()),
]


@pytest.mark.parametrize(("text", "open_", "done"), LISTS)
def test_tasks_are_read_by_their_boxes(text: str, open_: tuple[str, ...], done: tuple[str, ...]) -> None:
    plan = read_plan(text)

    assert (plan.open, plan.done) == (open_, done)
    assert plan.is_known == bool(open_ or done)
    assert plan.is_done == (bool(done) and not open_)


def test_stories_are_read_from_a_prd() -> None:
    stories = [{"id": "US-001", "title": "Log in", "passes": True}, {"title": "Log out", "passes": "yes"}, {}, 7]

    plan = read_plan(json.dumps({"project": "x", "userStories": stories}))

    assert plan == Plan(open=("Log out", "a story without a name"), done=("US-001 Log in",), stories=True)


@pytest.mark.parametrize("text", ['[{"id": "A", "done": true}]', '{"stories": [{"id": "A", "passes": true}]}'])
def test_stories_are_read_in_other_shapes(text: str) -> None:
    assert read_plan(text) == Plan(done=("A",), stories=True)


@pytest.mark.parametrize("text", ['{"userStories": 3}', "{broken", '{"other": []}', "{" * 5000])
def test_json_without_stories_holds_no_tasks(text: str) -> None:
    assert not read_plan(text).is_known


@given(st.text())
def test_any_text_is_a_plan(text: str) -> None:
    assert not read_plan(text).stories


NEWLY_DONE = [
    (None, None, None),
    (None, "no boxes", None),
    (None, "- [x] a\n- [ ] b\n", 1),
    ("- [x] a\n- [ ] b\n", "- [x] a\n- [x] b\n", 1),
    ("- [x] a\n- [ ] b\n", "- [x] b\n", 1),
    ("- [ ] a\n- [ ] a\n", "- [x] a\n- [x] a\n", 2),
    ("- [x] a\n", "- [ ] a\n", 0),
]


@pytest.mark.parametrize(("before", "now", "count"), NEWLY_DONE)
def test_tasks_that_a_call_ticked_are_counted(before: str | None, now: str | None, count: int | None) -> None:
    plans = [read_plan(text) if text is not None else None for text in (before, now)]

    assert newly_done(*plans) == count


def test_a_plan_is_told_in_one_line() -> None:
    plan = replace(read_plan("- [x] a\n- [ ] b\n- [ ] c\n"), file="fix_plan.md")

    assert plan.summary == "fix_plan.md: 1 done, 2 open"


def test_tasks_without_a_box_are_told_apart_from_those_that_have_one() -> None:
    spec = read_specification("# X\n\n## Tasks\n\n- [ ] a\n- [x] b\n\n## Next steps\n\n1. write it\n2. try it\n")

    assert without_boxes(spec) == ("write it", "try it")
    assert without_boxes(read_specification('{"userStories": [{"id": "US-1", "title": "a"}]}')) == ()


def test_a_list_without_boxes_says_that_nothing_is_seen() -> None:
    plain, mixed = Plan(unmarked=("a", "b"), file="x.md"), Plan(done=("c",), unmarked=("a",), file="x.md")

    assert plain.summary == "x.md: 2 without a tick box: what is done cannot be seen"
    assert mixed.summary == "x.md: 1 done, 0 open; 1 without a tick box: what is done cannot be seen"
    assert (plain.is_done, mixed.is_done) == (False, False)


LIST = "# Work\r\n- [ ] one\n* [~] two  \n```\n- [ ] one\n```\n- [x] old\n## Optional\n- [ ] three\n"


def test_a_tick_changes_the_box_of_its_task_and_nothing_else() -> None:
    assert ticked(LIST, ["one", "two", "three"]) == LIST.replace("- [ ] one", "- [x] one", 1).replace("[~]", "[x]")
    assert ticked("- [ ] a\n- [ ] a", ["a"]) == "- [x] a\n- [ ] a"


def test_new_ticks_are_taken_back_and_known_ones_stay() -> None:
    now = LIST.replace("- [ ] one", "- [x] one", 1) + "- [X] new\n"

    assert without_new_ticks(LIST, now) == LIST + "- [ ] new\n"
    assert without_new_ticks(LIST, LIST) == LIST
