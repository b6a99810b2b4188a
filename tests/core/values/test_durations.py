from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.values.notation import LONGEST, read_duration, show_duration

LEGAL = [
    ("30m", 1800.0),
    ("8h", 28800.0),
    ("90s", 90.0),
    ("1h30m", 5400.0),
    ("1h 30m", 5400.0),
    ("250ms", 0.25),
    ("1.5h", 5400.0),
    ("2d", 172800.0),
    ("90", 90.0),
    (" 0.5 ", 0.5),
    (90, 90.0),
    (0.5, 0.5),
    (0, 0.0),
]
ILLEGAL = ["", " ", "soon", "-3", "-3s", "1e3", "30 m", "30M", "5m1h", "1m1m", "nan", "inf", "1h30", "٣s", "400d"]
NOT_TEXT: list[object] = [True, None, -1, float("nan"), float("inf"), 10**400, [], {}]


@pytest.mark.parametrize(("value", "seconds"), LEGAL)
def test_durations_are_read_as_people_write_them(value: object, seconds: float) -> None:
    assert read_duration(value) == pytest.approx(seconds)


@pytest.mark.parametrize("value", [*ILLEGAL, *NOT_TEXT], ids=repr)
def test_what_is_no_duration_is_refused(value: object) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the message is made by whoever knows the key
        read_duration(value)
    assert len(caught.value.args) == 1


@given(st.integers(min_value=0, max_value=int(LONGEST * 1000)))
def test_a_shown_duration_is_read_as_the_same(thousandths: int) -> None:
    assert read_duration(show_duration(thousandths / 1000)) == pytest.approx(thousandths / 1000)


@given(st.text())
def test_any_text_is_a_duration_or_refused(text: str) -> None:
    with suppress(ValueError):
        assert read_duration(text) >= 0
