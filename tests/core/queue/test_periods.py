"""The budget of a run: a new one, or that of an earlier run."""

from datetime import datetime, timedelta, timezone

import pytest

from dualgate.core.queue.hours import read_hours
from dualgate.core.queue.periods import budget_period
from dualgate.core.values.queue import Queue

SUMMER, WINTER = timezone(timedelta(hours=2)), timezone(timedelta(hours=1))
TEN = datetime(2026, 10, 24, 22, 0, tzinfo=SUMMER)
NIGHT = read_hours("22:00-07:00")


def test_a_killed_run_has_no_second_budget_and_one_after_an_end_has() -> None:
    killed, ended = Queue(budget_at=TEN), Queue(budget_at=TEN, budget_over=True)

    assert budget_period(Queue(), None, TEN, False).begins
    assert budget_period(ended, None, TEN, False).begins
    assert budget_period(killed, None, TEN + timedelta(days=9), True).begins
    found = budget_period(killed, None, TEN + timedelta(days=9), False)
    assert (found.begins, found.why) == (False, "the last run was killed")


@pytest.mark.parametrize(
    ("began", "now", "begins"),
    [
        (TEN, TEN, False),
        (TEN, TEN + timedelta(hours=8), False),
        (TEN, datetime(2026, 10, 25, 6, 59, tzinfo=WINTER), False),
        (TEN.replace(tzinfo=WINTER), datetime(2026, 10, 25, 6, 59, tzinfo=SUMMER), False),
        (TEN, datetime(2026, 10, 25, 22, 0, tzinfo=WINTER), True),
        (TEN - timedelta(minutes=1), TEN, True),
        (TEN + timedelta(minutes=20), TEN, False),  # the clock was set back
        (TEN + timedelta(days=900), TEN, True),
    ],
)
@pytest.mark.parametrize("is_over", [True, False])
def test_hours_have_one_budget_each_time_whatever_happens_to_the_clock_and_however_a_run_ended(
    began: datetime, now: datetime, begins: bool, is_over: bool
) -> None:
    assert budget_period(Queue(budget_at=began, budget_over=is_over), NIGHT, now, False).begins is begins


def test_each_answer_says_why() -> None:
    cases = [
        budget_period(Queue(), NIGHT, TEN, False),
        budget_period(Queue(budget_at=TEN), NIGHT, TEN, False),
        budget_period(Queue(budget_at=TEN), NIGHT, TEN + timedelta(days=1), False),
        budget_period(Queue(budget_at=TEN), NIGHT, TEN, True),
        budget_period(Queue(budget_at=TEN, budget_over=True), None, TEN, False),
    ]

    assert [each.why for each in cases] == [
        "no budget was begun before",
        "the hours 22:00-07:00 have one budget",
        "the hours 22:00-07:00 have begun",
        "--new-budget",
        "the last run ended",
    ]
