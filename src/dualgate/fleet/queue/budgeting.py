"""The budget and the hours of one run of the queue: when they begin, and whether the queue may go on."""

from collections.abc import Callable
from datetime import datetime, timedelta
from enum import StrEnum

from dualgate.core.queue.budget import Budget, spent, unreported, usage_of_budget
from dualgate.core.queue.periods import Period, budget_period
from dualgate.core.values.queue import BudgetBegun, Queue, QueueEvent, QueueStarted
from dualgate.store.queue_file import QueueFile

CLOCK_SLACK = timedelta(minutes=1)
"""A clock that is set back by less does not end the hours of the queue."""


class Opening(StrEnum):
    """Whether jobs may run now, by the hours of the queue."""

    LATER = "later"
    OPEN = "open"
    OVER = "over"


class BudgetOfRun:
    def __init__(
        self,
        file: QueueFile,
        budget: Budget,
        wants_new: bool,
        now: Callable[[], datetime],
        tell: Callable[[str], None],
    ) -> None:
        self._file = file
        self._budget = budget
        self._wants_new = wants_new
        self._now = now
        self._tell = tell
        self._opened: datetime | None = None
        self._has_told = False

    def record_start(self, by: str, pid: int) -> None:
        """Record the start of the run, and of its budget. With hours, the budget begins when they do."""
        now = self._now()
        started = QueueStarted(at=now, by=by, pid=pid)
        if self._budget.hours is not None:
            self._file.append(started)
            return
        period = budget_period(self._file.read(), None, now, self._wants_new)
        # the budget first: after a kill between the two, the next run must not go on with an older budget
        events: tuple[QueueEvent, ...] = (BudgetBegun(at=now, why=period.why), started) if period.begins else (started,)
        self._tell_usage(self._file.append(*events), period)

    def opening(self, now: datetime) -> Opening:
        hours, opened = self._budget.hours, self._opened
        if hours is None or hours.contain(now) or (opened and timedelta() < opened - now < CLOCK_SLACK):
            return Opening.OPEN
        if opened and now >= opened:
            return Opening.OVER
        self._opened = None  # the clock was set back to before the hours
        return Opening.LATER

    def waits_for_hours(self, now: datetime) -> str:
        hours = self._budget.hours
        assert hours is not None
        return f"waiting until {hours.next_begin(now):%H:%M}, when the hours of the queue ({hours}) begin"

    def begin_with_hours(self, queue: Queue, now: datetime) -> Queue:
        """The queue with the budget of its hours: each time that they begin, if the queue runs for days."""
        hours = self._budget.hours
        if hours is None:
            return queue
        period = budget_period(queue, hours, now, self._wants_new)
        if period.begins:
            queue = self._file.append(BudgetBegun(at=now, why=period.why))
        if period.begins or self._opened is None:
            self._tell_usage(queue, period)
        self._opened, self._wants_new = self._opened or now, False
        return queue

    def spent(self, queue: Queue, under_way: int) -> str:
        """Why no job may start or go on; empty if one may."""
        text = unreported(self._budget, queue.spent, under_way)
        if text and not self._has_told:
            self._has_told = True
            self._tell(text)
        now = self._now()
        return spent(self._budget, queue.spent, queue.budget_at or now, now)

    def _tell_usage(self, queue: Queue, period: Period) -> None:
        now = self._now()
        text = usage_of_budget(self._budget, queue.spent, queue.budget_at or now, now)
        if not text:
            return
        if period.begins:
            self._tell(f"new budget ({period.why}): used {text}")
        else:
            self._tell(f"the budget goes on ({period.why}): used {text}. Begin a new one with --new-budget")
