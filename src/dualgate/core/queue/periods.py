"""Queue, hours, the time -> the budget that a run of the queue counts by: a new one, or that of an earlier run."""

from dataclasses import dataclass
from datetime import datetime

from dualgate.core.queue.hours import Hours
from dualgate.core.values.queue import Queue


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    begins: bool
    """Whether a new budget begins."""
    why: str


def budget_period(queue: Queue, hours: Hours | None, now: datetime, wants_new: bool) -> Period:
    """The budget of a run that starts now, or whose hours begin now.

    A run that was killed must not have its budget a second time. With hours of the day there is one budget for them,
    however often the queue is started in them.
    """
    if wants_new:
        return Period(begins=True, why="--new-budget")
    if queue.budget_at is None:
        return Period(begins=True, why="no budget was begun before")
    if hours is not None:
        if hours.hold(queue.budget_at, now):
            return Period(begins=False, why=f"the hours {hours} have one budget")
        return Period(begins=True, why=f"the hours {hours} have begun")
    if queue.budget_over:
        return Period(begins=True, why="the last run ended")
    return Period(begins=False, why="the last run was killed")
