"""What readers of events may count on, whatever the events hold."""

from typing import Any

import pytest
from hypothesis import given

from dualgate.agents.output import TEXT_KEPT
from dualgate.agents.values import (
    LONGEST_NAME,
    NAMES_KEPT,
    TextTail,
    added,
    amount,
    count,
    mapping,
    remember,
    remember_questions,
    string,
    usage_in,
)
from dualgate.core.values.answer import Usage
from tests.agents.recordings import ANY_JSON


@given(ANY_JSON)
def test_any_value_becomes_one_of_the_wanted_type(value: Any) -> None:
    assert count(value) >= 0
    assert isinstance(mapping(value), dict)
    assert isinstance(string(value), str | None)
    assert isinstance(amount(value), float | None)


AMOUNTS: list[tuple[object, float | None]] = [
    (0, 0.0),
    (0.25, 0.25),
    (True, None),
    (-1, None),
    (float("nan"), None),
    (float("inf"), None),
    ("1", None),
]


@pytest.mark.parametrize(("value", "expected"), AMOUNTS)
def test_an_amount_is_a_number_that_can_be_added_up(value: object, expected: float | None) -> None:
    assert amount(value) == expected


USAGES: list[tuple[list[dict[str, Any]], Usage | None]] = [
    ([{"in": 3, "out": 4, "cache": 2}], Usage(input=5, output=4, cached=2)),
    ([{"in": 3}, {"in": 4, "out": 0, "cache": None, "other": -1}], Usage(input=7)),
    ([], None),
    ([{"other": 3}], None),
]
WRONG: list[object] = [-1, 1.5, "4", True, 10**13, float("nan"), []]


@pytest.mark.parametrize(("told", "expected"), [*USAGES, *(([{"in": 3, "out": each}], None) for each in WRONG)])
def test_what_was_used_is_known_only_where_every_number_of_it_can_be_meant(
    told: list[dict[str, Any]], expected: Usage | None
) -> None:
    assert usage_in(told, read=["in", "cache"], wrote=["out"], cached=["cache"]) == expected


def test_steps_add_up_as_far_as_they_were_told() -> None:
    once = Usage(input=1, output=2, cached=1)

    assert (added(None, once), added(once, None)) == (once, once)
    assert added(once, once) == Usage(input=2, output=4, cached=2)


def test_names_are_kept_once_and_not_without_end() -> None:
    names: list[str] = []
    for number in range(3 * NAMES_KEPT):
        remember(names, "first")
        remember(names, f"name {number}" * LONGEST_NAME)

    assert (len(names), names[0], max(map(len, names))) == (NAMES_KEPT, "first", LONGEST_NAME)


def test_questions_may_be_anything() -> None:
    asked: list[str] = []
    for questions in ([{"question": "A?"}, {"question": 1}, "B?", None], "C?", None):
        remember_questions(asked, questions)

    assert asked == ["A?"]


def test_of_a_text_in_pieces_the_end_is_kept() -> None:
    tail = TextTail()
    for _ in range(20):
        tail.add("x" * (1 << 20))
    tail.add_apart("the end")

    assert len(tail.text()) == TEXT_KEPT
    assert tail.text().endswith("x\nthe end")


def test_pieces_apart_each_begin_on_a_line() -> None:
    tail = TextTail()
    for piece in ("one", "two\n", "", "three"):
        tail.add_apart(piece)

    assert tail.text() == "one\ntwo\nthree"
