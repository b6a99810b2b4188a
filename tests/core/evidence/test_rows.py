"""Parameters: rows may be added after the proven ones, which stay as they are."""

import pytest

from dualgate.core.evidence.comparison import compare
from dualgate.core.evidence.rows import only_adds_rows
from dualgate.testing import passed

NAME = "tests/test_x.py::a"
PROVEN = "abc rows 1,2|3"
ADDED = ["abc rows 1,2,4|3", "abc rows 1,2|3,5,6", "abc rows 1,2,4|3,5"]
OTHER = [
    PROVEN,
    "abd rows 1,2,4|3",
    "abc rows 1,4|3",
    "abc rows 2,1|3",
    "abc rows 4,1,2|3",
    "abc rows 1,2,4",
    "abc",
    "",
]


@pytest.mark.parametrize("after", ADDED)
def test_rows_are_added_after_the_proven_ones(after: str) -> None:
    assert only_adds_rows(PROVEN, after)


@pytest.mark.parametrize("after", OTHER)
def test_a_changed_test_or_row_is_no_addition(after: str) -> None:
    assert not only_adds_rows(PROVEN, after)


def test_a_table_that_was_empty_may_get_rows() -> None:
    assert only_adds_rows("abc rows ", "abc rows 1")
    assert not only_adds_rows("abc", "abc rows 1")


def test_a_test_with_more_rows_is_changed_but_not_altered() -> None:
    found = compare([passed("a", digest=PROVEN)], [passed("a", digest=ADDED[0]), passed("b", digest=ADDED[0])])

    assert (found.changed, found.extended, found.altered) == ((NAME,), (NAME,), ())
