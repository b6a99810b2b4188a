"""A time limit on work in this process, for hosts that end a hook without asking."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from dualgate.errors import DualgateError, Interrupted

_GRACE = 1.15
"""The work has its own budget; this limit ends what does not keep it."""


class OutOfTime(DualgateError):
    pass


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise OutOfTime a little after these seconds, and Interrupted if the host ends us: both let work clean up."""

    def late(_number: int, _frame: FrameType | None) -> None:
        raise OutOfTime("The time is over.")

    def ended(_number: int, _frame: FrameType | None) -> None:
        raise Interrupted("The host ended the hook.")

    before = (signal.signal(signal.SIGALRM, late), signal.signal(signal.SIGTERM, ended))
    signal.setitimer(signal.ITIMER_REAL, seconds * _GRACE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before[0])
        signal.signal(signal.SIGTERM, before[1])
