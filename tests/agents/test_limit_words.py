"""Limits by the parts of their sentences: what an account has, the state of it, and how it comes back."""

from datetime import UTC, datetime, timedelta

import pytest

from dualgate.agents.limits import limit_in
from dualgate.core.values.answer import CallEnd, Trouble
from tests.agents.recordings import read_bytes

NOW = datetime(2026, 11, 15, 18, 42, tzinfo=UTC)
FAILED = CallEnd(now=NOW, exit_code=1)
SUBJECTS = (
    *("usage limit", "daily quota", "message cap", "credits", "token budget", "request allowance", "capacity", "plan"),
    *("requests", "messages", "prompts", "tokens", "weekly hours", "compute", "API calls", "premium requests"),
    *("usage window", "bandwidth", "concurrent sessions", "fair use threshold", "generations"),
)
STATES = (
    "reached",
    "hit",
    "exceeded",
    "exhausted",
    "used up",
    "depleted",
    "consumed",
    "drained",
    "maxed out",
    "crossed",
)


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("state", STATES)
def test_nothing_left_of_what_an_account_has_is_a_limit_in_any_order_of_the_words(subject: str, state: str) -> None:
    is_are, has_have = ("are", "have") if subject.endswith("s") else ("is", "has")
    said = (
        f"Your {subject} {is_are} {state}.",
        f"Your {subject} {has_have} been {state}.",
        f"You have {state} your {subject}.",
        f"{subject.capitalize()} {state}.",
        f"Error: {subject} {state}",
        f"The {subject} of your account {has_have} been {state}",
    )

    kinds = {words: failure.kind for words in said if (failure := read_bytes(f"{words}\n".encode(), FAILED).failure)}

    assert {words for words, kind in kinds.items() if kind is Trouble.CRASH} == set()


WITHOUT_A_LIMIT = [
    ("Please come back at 7pm.", timedelta(minutes=18)),
    ("Next window opens in 3h 12m.", timedelta(hours=3, minutes=12)),
    ("Unlocks in 3h.", timedelta(hours=3)),
    ("Next refill: 21:00 UTC", timedelta(hours=2, minutes=18)),
    ("Your access returns at 9:00 PM.", timedelta(hours=2, minutes=18)),
    ("You'll be able to send messages again at 9pm.", timedelta(hours=2, minutes=18)),
    ("Please check back in 2 hours.", timedelta(hours=2)),
    ("Try later: 2026-11-15 21:00 UTC", timedelta(hours=2, minutes=18)),
    ("Your next session starts at 21:00.", timedelta(hours=2, minutes=18)),
    ("Your usage returns in 2 days.", timedelta(days=2)),
    ("Next renewal: Dec 1, 2026", timedelta(days=15, hours=5, minutes=18)),
    ("Not available right now; ready again at 21:00 UTC", timedelta(hours=2, minutes=18)),
    ("nextRetryAt: 2026-11-15T21:00:00Z", timedelta(hours=2, minutes=18)),
    ('{"error":"blocked","unblockAt":"2026-11-15T21:00:00Z"}', timedelta(hours=2, minutes=18)),
    ('{"error":{"message":"rejected","next_available_at":1794776400}}', timedelta(hours=2, minutes=18)),
    ("Use of this model is possible again on Monday.", timedelta(hours=5, minutes=18)),
    ("Paused. Resuming at 21:00 UTC.", timedelta(hours=2, minutes=18)),
    ("Locked for your account until 21:00 UTC.", timedelta(hours=2, minutes=18)),
    ("所有可用账号暂时不可用，请 78 秒后重试", timedelta(seconds=78)),
]


@pytest.mark.parametrize(("said", "after"), WITHOUT_A_LIMIT)
def test_a_time_at_which_access_comes_back_is_the_end_of_a_limit_that_has_no_name(said: str, after: timedelta) -> None:
    named = limit_in(said, NOW)

    assert named is not None
    assert named.resets_at == NOW + after


OF_OTHERS = [
    "Error: maintenance until 20:00 UTC",
    "database is locked; opens at 19:30",
    "Deploy window opens in 3h 12m.",
    "Certificate renewed on Dec 1, 2026",
    "Error: token refresh failed at 2026-11-16T03:00:00Z",
    "Connection lost. Retrying in 5 seconds...",
    "Test database reset at 21:00 UTC",
    "Cache entry valid until 21:00.",
    "Session cookie expires in 2 hours.",
]


@pytest.mark.parametrize("said", OF_OTHERS)
def test_a_time_at_which_something_of_the_project_comes_back_is_no_end_of_a_limit(said: str) -> None:
    assert limit_in(said, NOW) is None


SAID_OF_OTHERS_TOO = [
    "The upstream provider is rate limited",
    "The organization is over its quota",
    "The provider rejected the request: rate limit exceeded",
    "The Pro plan's weekly hours are used up",
    "You have used 50 of 50 messages",
]


@pytest.mark.parametrize("said", SAID_OF_OTHERS_TOO)
def test_a_limit_of_the_account_is_waited_for_when_a_sentence_names_it_with_an_article(said: str) -> None:
    failure = read_bytes(f"Looking.\n{said}\n".encode(), FAILED).failure

    assert failure is not None
    assert failure.kind is not Trouble.CRASH


SPOKEN_OF = [
    "An error is raised if the daily limit is exceeded.",
    "The calls of the client that met a rate limit are counted.",
    "On a 429 the proxy reads the headers and classifies the exhaustion.",
    "Mark the account rate-limited for the window of the header.",
    "Emitted when a 429 response triggers another attempt.",
    "Two requests hit the cache of your app.",
    "The body exceeds the limit of 32 MB",
    "Your build is exhausted by too many snapshots.",
    "You have exhausted every option of the parser.",
    "5 of 5 messages translated.",
    "12/12 requests answered.",
    "The next booking of the room is used up.",
]


@pytest.mark.parametrize("said", SPOKEN_OF)
def test_a_limit_that_is_only_spoken_of_is_not_waited_for(said: str) -> None:
    failure = read_bytes(f"Looking.\n{said}\n".encode(), FAILED).failure

    assert failure is not None
    assert failure.kind is Trouble.CRASH
