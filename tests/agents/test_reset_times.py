"""Times as CLIs print them."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.agents.reset_times import from_epoch, read_reset

NOW = datetime(2026, 11, 15, 18, 42, 30, tzinfo=UTC)
SAID = [
    ("resets 8:11pm (UTC)", datetime(2026, 11, 15, 20, 11, tzinfo=UTC)),
    ("resets 12am (UTC)", datetime(2026, 11, 16, 0, 0, tzinfo=UTC)),
    ("resets 12pm (UTC)", datetime(2026, 11, 16, 12, 0, tzinfo=UTC)),
    ("resets 3pm (America/Anchorage)", datetime(2026, 11, 16, 0, 0, tzinfo=UTC)),
    ("resets 8:30am (Asia/Tokyo)", datetime(2026, 11, 15, 23, 30, tzinfo=UTC)),
    ("try again at 8:03 PM.", datetime(2026, 11, 15, 20, 3, tzinfo=UTC)),
    ("try again at Nov 20th, 2026 9:51 AM.", datetime(2026, 11, 20, 9, 51, tzinfo=UTC)),
    ("resets Jul 31, 2am (UTC)", datetime(2026, 7, 31, 2, tzinfo=UTC)),
    ("resets Jan 2 at 7pm", datetime(2027, 1, 2, 19, tzinfo=UTC)),
]


@pytest.mark.parametrize(("sentence", "when"), SAID)
def test_a_time_is_read_with_its_day_and_zone(sentence: str, when: datetime) -> None:
    assert read_reset(f"You've hit your limit · {sentence}", NOW) == when


def test_a_time_without_a_zone_is_in_the_zone_of_now() -> None:
    now = NOW.astimezone(timezone(timedelta(hours=-5)))

    assert read_reset("try again at 8:03 PM", now) == datetime(2026, 11, 16, 1, 3, tzinfo=UTC)


def test_the_minute_that_is_just_over_is_not_tomorrows() -> None:
    assert read_reset("try again at 6:42 PM", NOW) == datetime(2026, 11, 15, 18, 42, tzinfo=UTC)


NOT_SAID = ["resets soon", "resets 13:00pm (UTC)", "resets 0am", "resets 8:75pm", "resets Feb 30, 2am", "at 8pm we met"]
NO_ZONES = ["resets 8pm (Nowhere/Land)", "resets 8pm (America)", "resets 8pm (../x)", "resets 8pm XQST"]


@pytest.mark.parametrize("sentence", [*NOT_SAID, *NO_ZONES])
def test_what_is_no_time_gives_none(sentence: str) -> None:
    assert read_reset(sentence, NOW) is None


@pytest.mark.parametrize("value", [1794773490, 1794773490.0, 1794773490000])
def test_seconds_and_milliseconds_are_told_apart(value: float) -> None:
    assert from_epoch(value) == datetime(2026, 11, 15, 20, 11, 30, tzinfo=UTC)


@pytest.mark.parametrize("value", [0, -1, True, None, "1794773490", float("nan"), float("inf"), 10**400, [1]])
def test_what_is_no_number_of_seconds_gives_none(value: Any) -> None:
    assert from_epoch(value) is None


@given(st.from_regex(r"resets ([A-Z][a-z]{2} \d{1,2}, (\d{4} )?)?\d{1,2}(:\d\d)?[ap]m( \(.{1,9}\))?") | st.text())
def test_any_sentence_gets_an_answer(sentence: str) -> None:
    assert read_reset(sentence, NOW) is None or isinstance(read_reset(sentence, NOW), datetime)
