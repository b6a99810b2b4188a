"""A time limit on work in this process, for hosts that end a hook without asking."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from dualgate.errors import DualgateError
from dualgate.processes.stop_flag import StopFlag

_GRACE = 1.1
"""The work has its own budget; the limit stops work that does not keep it."""
_CLEANING = 0.05
"""The share of the budget in which stopped work may clean up, before it is broken off."""
_UNWINDING = 1.0
"""Seconds before work that goes on all the same is broken off again. No alarm comes while handlers are restored."""


class OutOfTime(DualgateError):
    pass


@dataclass(slots=True)
class Limit:
    stop: StopFlag = field(default_factory=StopFlag)
    """Set when the time is over, or when the host ends us."""
    is_over: bool = False


@contextmanager
def limited(seconds: float, cleaning: float | None = None) -> Iterator[Limit]:
    """Set the flag a little after these seconds, or when the host ends us; raise OutOfTime if that stops nothing."""
    limit = Limit()
    grace = seconds * _CLEANING if cleaning is None else cleaning

    def late(_number: int, _frame: FrameType | None) -> None:
        signal.setitimer(signal.ITIMER_REAL, max(grace, _UNWINDING) if limit.is_over else grace)
        if limit.is_over:
            raise OutOfTime("The time is over.")
        limit.is_over = True
        limit.stop.set()

    def ended(_number: int, _frame: FrameType | None) -> None:
        limit.stop.set()

    before = (signal.signal(signal.SIGALRM, late), signal.signal(signal.SIGTERM, ended))
    signal.setitimer(signal.ITIMER_REAL, seconds * _GRACE)
    try:
        try:
            yield limit
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:  # also where the last alarm came while the work ended
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before[0])
        signal.signal(signal.SIGTERM, before[1])
        limit.stop.close()
