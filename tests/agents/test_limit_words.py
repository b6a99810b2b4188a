"""Limits by the parts of their sentences: what an account has, the state of it, and how it comes back."""

from datetime import UTC, datetime

import pytest

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
