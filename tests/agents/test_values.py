"""What readers of events may count on, whatever the events hold."""

from typing import Any

import pytest
from hypothesis import given

from dualgate.agents.output import TEXT_KEPT
from dualgate.agents.values import NAMES_KEPT, TextTail, amount, count, mapping, remember, remember_questions, string
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


def test_names_are_kept_once_and_not_without_end() -> None:
    names: list[str] = []
    for number in range(3 * NAMES_KEPT):
        remember(names, "first")
        remember(names, f"name {number}")

    assert (len(names), names[0]) == (NAMES_KEPT, "first")


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
