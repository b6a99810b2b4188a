"""What providers say when they refuse, and when that ends."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.agents.refusals import (
    error_in,
    from_iso,
    reset_in_error,
    reset_in_sentence,
    trouble_of_error,
    trouble_of_sentence,
    trouble_of_status,
    usage_limit,
)
from dualgate.agents.reset_times import from_epoch, later
from dualgate.core.values.answer import Trouble
from tests.agents.recordings import ANY_JSON

NOW = datetime(2026, 11, 15, 18, 33, 20, tzinfo=UTC)

RESETS = [
    ("or try again at 8:03 PM.", datetime(2026, 11, 15, 20, 3, tzinfo=UTC)),
    ("Try again at 12:05 AM.", datetime(2026, 11, 15, 0, 5, tzinfo=UTC)),
    ("Try again at 12:00 PM.", datetime(2026, 11, 15, 12, 0, tzinfo=UTC)),
    ("try again at Nov 20th, 2026 9:51 AM.", datetime(2026, 11, 20, 9, 51, tzinfo=UTC)),
    ("try again at Dec 1st, 2026 12:00 AM.", datetime(2026, 12, 1, tzinfo=UTC)),
    ("Please try again in 1s.", NOW + timedelta(seconds=1)),
    ("Please try again in 250ms.", NOW + timedelta(milliseconds=250)),
    ("Try again in 3 days 4 hours 12 minutes.", NOW + timedelta(days=3, hours=4, minutes=12)),
    ("Suggested retry after 1.5s.", NOW + timedelta(seconds=1.5)),
    ("Your quota will reset after 20h8m37s.", NOW + timedelta(hours=20, minutes=8, seconds=37)),
    ("Try again later.", None),
    ("try again at 8:03", datetime(2026, 11, 15, 8, 3, tzinfo=UTC)),
    ("try again at 8:99 PM", None),
    ("try again at Foo 20th, 2026 9:51 AM", None),
    ("try again at Feb 30th, 2026 9:51 AM", None),
    ("try again in 999999999 days", None),
    ("try again in 5 parsecs", None),
]


@pytest.mark.parametrize(("sentence", "resets_at"), RESETS)
def test_the_end_of_a_limit_is_read_from_its_sentence(sentence: str, resets_at: datetime | None) -> None:
    assert reset_in_sentence(sentence, NOW) == resets_at


def test_a_limit_that_ends_in_the_current_minute_is_not_moved_to_tomorrow() -> None:
    assert reset_in_sentence("try again at 6:33 PM", NOW) == datetime(2026, 11, 15, 18, 33, tzinfo=UTC)


def test_clock_times_are_in_the_zone_of_now() -> None:
    zone = timezone(timedelta(hours=-5))

    resets_at = reset_in_sentence("try again at 8:03 PM", NOW.astimezone(zone))

    assert resets_at == datetime(2026, 11, 16, 1, 3, tzinfo=UTC)


@given(st.text() | st.from_regex(r"try again (at|in) \w{3} \d{1,9}(st|th), \d{4} \d+:\d\d ?[AP]M", fullmatch=True))
def test_any_sentence_gets_an_aware_time_or_none(sentence: str) -> None:
    resets_at = reset_in_sentence(sentence, NOW)

    assert resets_at is None or resets_at.tzinfo is not None


@given(ANY_JSON)
def test_any_value_gets_an_aware_time_or_none(value: Any) -> None:
    times = [from_epoch(value), from_iso(value), later(NOW, value), reset_in_error({"resets_at": value}, NOW)]

    assert all(time is None or time.tzinfo is not None for time in times)


def test_times_out_of_reach_are_none() -> None:
    times = [from_epoch(0), from_epoch(1e30), from_epoch(True), from_iso("2026-11-15T18:00:00"), later(NOW, 1e30)]

    assert times == [None] * 5


STATUSES: list[tuple[object, Trouble | None]] = [
    (401, Trouble.AUTHENTICATION),
    (403, Trouble.AUTHENTICATION),
    (404, Trouble.MODEL_UNKNOWN),
    (429, Trouble.RATE_LIMIT),
    (500, Trouble.SERVER_ERROR),
    (503, Trouble.OVERLOADED),
    (529, Trouble.OVERLOADED),
    (400, None),
    (200, None),
    (True, None),
    ("429", None),
    (None, None),
]


@pytest.mark.parametrize(("status", "kind"), STATUSES)
def test_a_status_names_its_trouble(status: object, kind: Trouble | None) -> None:
    assert trouble_of_status(status) == kind


SENTENCES = [
    ("The usage limit has been reached", Trouble.USAGE_LIMIT),
    ("You exceeded your current quota, please check your plan and billing details.", Trouble.QUOTA),
    ("Your credit balance is too low to access the Anthropic API.", Trouble.QUOTA),
    ("Rate limit reached for fake-model in organization org-fake on tokens per min", Trouble.RATE_LIMIT),
    ("Overloaded", Trouble.OVERLOADED),
    ("prompt is too long: 213462 tokens > 200000 maximum", Trouble.CONTEXT_FULL),
    ("This model's maximum context length is 128000 tokens.", Trouble.CONTEXT_FULL),
    ("invalid x-api-key", Trouble.AUTHENTICATION),
    ("The model `x` does not exist or you do not have access to it.", Trouble.MODEL_UNKNOWN),
    ("models/x is not found for API version v1beta", Trouble.MODEL_UNKNOWN),
    ("Something else", None),
]


@pytest.mark.parametrize(("sentence", "kind"), SENTENCES)
def test_a_providers_sentence_names_its_trouble(sentence: str, kind: Trouble | None) -> None:
    assert trouble_of_sentence(sentence) == kind


BODIES: list[tuple[object, Trouble | None]] = [
    ('{"error": {"type": "usage_limit_reached", "code": null}}', Trouble.USAGE_LIMIT),
    ('{"error": {"type": "invalid_request_error", "code": "context_length_exceeded"}}', Trouble.CONTEXT_FULL),
    ('{"error": {"type": "overloaded_error"}}', Trouble.OVERLOADED),
    ('{"error": {"type": ["x"], "code": {}}}', None),
    ('{"error": "x"}', None),
    ('{"error": ', None),
    ('{"error": ' * 100_000, None),
    ("[]", None),
    (17, None),
]


@pytest.mark.parametrize(("body", "kind"), BODIES)
def test_a_providers_body_names_its_trouble(body: object, kind: Trouble | None) -> None:
    assert trouble_of_error(error_in(body)) == kind


def test_a_limit_that_ends_days_later_is_the_weekly_one() -> None:
    kinds = [usage_limit(end, NOW) for end in (None, NOW + timedelta(hours=5), NOW + timedelta(days=4))]

    assert kinds == [Trouble.USAGE_LIMIT, Trouble.USAGE_LIMIT, Trouble.WEEKLY_LIMIT]
