"""What is being done, on one line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.values.control import Activity
from dualgate.display.lines import activity_line, shown_count, shown_time, width

EDIT = Activity(source="claude", text="Edit src/x.py", tokens=12_345)
LINES = [
    (EDIT, 80.2, 80, "claude  Edit src/x.py  12.3k tokens  1m20s"),
    (EDIT, 80.2, 36, "claude  Edit s…  12.3k tokens  1m20s"),
    (Activity(source="agent", text=""), 3, 80, "agent  no output yet  3s"),
    (Activity(source="tests", text="x.py::test_a", done=3, total=120), 9, 80, "tests  3/120  x.py::test_a  9s"),
    (Activity(source="tests", text="", done=3, total=3), 9, 80, "tests  3/3  9s"),
    (Activity(source="codex", text="shell \x1b[2Jrm\r\n"), 1, 80, "codex  shell  [2Jrm  1s"),
]


@pytest.mark.parametrize(("activity", "seconds", "columns", "line"), LINES)
def test_a_line_says_who_what_how_much_and_since_when(
    activity: Activity, seconds: float, columns: int, line: str
) -> None:
    assert activity_line(activity, seconds, columns) == line


@given(st.text(), st.integers(0, 10**9), st.integers(1, 100))
def test_a_line_never_breaks_and_never_steers_the_terminal(text: str, tokens: int, columns: int) -> None:
    shown = activity_line(Activity(source="claude", text=text, tokens=tokens), 7200, columns)

    assert width(shown) <= columns
    assert shown.isprintable()


@pytest.mark.parametrize(
    ("count", "shown"), [(0, "0"), (950, "950"), (1_000, "1.0k"), (12_345, "12.3k"), (1_234_567, "1.2M")]
)
def test_counts_are_short(count: int, shown: str) -> None:
    assert shown_count(count) == shown


@pytest.mark.parametrize(("seconds", "shown"), [(0.9, "0s"), (59, "59s"), (80, "1m20s"), (3725, "1h02m")])
def test_times_are_short(seconds: float, shown: str) -> None:
    assert shown_time(seconds) == shown
