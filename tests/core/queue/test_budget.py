"""One budget for all jobs, the hours of the day, and the reserve of an hour that stays for the person."""

from datetime import UTC, datetime, time, timedelta

import pytest

from dualgate.core.queue.budget import (
    NOT_MEASURABLE,
    Budget,
    Hourly,
    Reserve,
    hourly_share,
    read_reserve,
    spent,
    unreported,
    usage_of_budget,
)
from dualgate.core.queue.hours import Hours, read_hours
from dualgate.core.values.queue import Use

NOW = datetime(2026, 1, 1, 22, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("budget", "used", "text"),
    [
        (Budget(), Use(cost_usd=1e6, calls=10**6), ""),
        (Budget(max_cost=5), Use(cost_usd=4.99), ""),
        (Budget(max_cost=5), Use(cost_usd=5), "the budget of the queue, $5.00 (--max-cost), is spent: $5.00"),
        (Budget(max_calls=3), Use(calls=4), "the budget of the queue, 3 calls (--max-calls), is spent: 4 calls"),
        (Budget(max_tokens=3), Use(tokens=3), "the budget of the queue, 3 tokens (--max-tokens), is spent: 3 tokens"),
        (
            Budget(max_cost=3),
            Use(cost_usd=3, calls=4, calls_without_cost=2),
            "the budget of the queue, $3.00 (--max-cost), is spent: at least $3.00 and 2 calls of unknown size",
        ),
        (Budget(duration=timedelta(hours=1, seconds=1)), Use(), ""),
        (
            Budget(duration=timedelta(hours=1)),
            Use(),
            "the time of the queue (--max-duration) is over; it began at 21:00",
        ),
    ],
)
def test_a_spent_budget_is_named(budget: Budget, used: Use, text: str) -> None:
    assert spent(budget, used, NOW - timedelta(hours=1), NOW) == text


def test_the_usage_of_a_budget_is_shown_against_each_limit() -> None:
    budget = Budget(max_cost=5, max_calls=9, max_tokens=100, duration=timedelta(hours=8))
    used = Use(cost_usd=2, calls=3, tokens=50, calls_without_tokens=1)

    assert usage_of_budget(Budget(), used, NOW, NOW) == ""
    assert usage_of_budget(budget, used, NOW - timedelta(minutes=95), NOW) == (
        "$2.00 of $5.00, 3 calls of 9 calls, 50 tokens of 100 tokens and 1 call of unknown size, 1:35 h of 8:00 h"
    )


def test_calls_that_a_budget_cannot_count_are_named_when_they_are_over() -> None:
    used = Use(calls=5, cost_usd=2, calls_without_cost=2)

    assert unreported(Budget(max_calls=9), used, 0) == ""
    assert unreported(Budget(max_cost=9), used, 2) == ""
    assert unreported(Budget(max_cost=9), used, 1) == (
        "1 call did not report what --max-cost counts; the budget counts the others only."
    )
    assert unreported(Budget(max_cost=9), Use(calls=1, calls_without_cost=1), 0).endswith("--max-calls.")


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("22:00-07:00", ["22:00", "23:59", "00:00", "06:59"], ["07:00", "12:00", "21:59"]),
        ("9:30 - 17:00", ["09:30", "16:59"], ["09:29", "17:00", "03:00"]),
    ],
)
def test_hours_may_go_over_midnight(text: str, inside: list[str], outside: list[str]) -> None:
    hours = read_hours(text)

    assert all(hours.contain(at(each)) for each in inside)
    assert not any(hours.contain(at(each)) for each in outside)


def test_the_next_begin_is_in_the_future() -> None:
    hours = Hours(begin=time(22), end=time(7))

    assert hours.next_begin(at("12:00")) == at("22:00")
    assert hours.next_begin(at("22:00")) == at("22:00") + timedelta(days=1)
    assert str(hours) == "22:00-07:00"


@pytest.mark.parametrize("text", ["", "22-07", "25:00-07:00", "07:00-07:00", "at night"])
def test_other_texts_are_no_hours(text: str) -> None:
    with pytest.raises(ValueError, match="such as 22:00-07:00"):
        read_hours(text)


def test_a_reserve_is_a_share_or_a_number_of_an_hour() -> None:
    assert read_reserve("20%") == Reserve(percent=20)
    assert read_reserve("10 calls") == Reserve(calls=10)
    assert read_reserve("1 call") == Reserve(calls=1)
    assert read_reserve(" 50000 Tokens ") == Reserve(tokens=50000)


@pytest.mark.parametrize("text", ["", "100%", "-5%", "some", "3", "20 dollars"])
def test_other_texts_are_no_reserve(text: str) -> None:
    with pytest.raises(ValueError, match="such as 20%"):
        read_reserve(text)


def test_jobs_share_an_hour_without_its_reserve() -> None:
    assert hourly_share(Hourly(calls=100, tokens=1000), Reserve(percent=20), 3) == Hourly(calls=26, tokens=266)
    assert hourly_share(Hourly(calls=100), Reserve(calls=10), 1) == Hourly(calls=90)
    assert hourly_share(Hourly(tokens=100), Reserve(tokens=10), 1) == Hourly(tokens=90)
    assert hourly_share(Hourly(), Reserve(), 3) == Hourly()


@pytest.mark.parametrize(
    ("limits", "reserve"),
    [
        (Hourly(), Reserve(percent=20)),
        (Hourly(tokens=5), Reserve(calls=1)),
        (Hourly(calls=5), Reserve(tokens=1)),
    ],
)
def test_a_reserve_of_a_limit_that_is_not_set_cannot_be_measured(limits: Hourly, reserve: Reserve) -> None:
    with pytest.raises(ValueError, match="claude and codex") as found:
        hourly_share(limits, reserve, 1)

    assert str(found.value) == NOT_MEASURABLE


def test_a_share_needs_no_own_limit_if_the_agents_report_theirs() -> None:
    assert hourly_share(Hourly(), Reserve(percent=20), 2, is_reported=True) == Hourly()
    with pytest.raises(ValueError, match="claude and codex"):
        hourly_share(Hourly(), Reserve(calls=1), 2, is_reported=True)


def test_a_reserve_that_leaves_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="leaves nothing of 5 an hour for 6 at once"):
        hourly_share(Hourly(calls=5), Reserve(), 6)


def at(text: str) -> datetime:
    hour, _, minute = text.partition(":")
    return NOW.replace(hour=int(hour), minute=int(minute))
