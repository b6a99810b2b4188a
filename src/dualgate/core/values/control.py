"""Control: what a caller says to everything that blocks. Until when, stop now, and tell me what you see.

It holds functions and never a clock of its own, so that core stays free of time.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from dualgate.errors import Interrupted


class Cancel(Protocol):
    """What `threading.Event` is; anything else that can be set and waited for will do."""

    def is_set(self) -> bool: ...

    def wait(self, timeout: float | None = None) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """A sign of life from something that takes long."""

    source: str
    text: str
    done: int = 0
    total: int = 0
    """How many of how many, where that is known; else 0."""
    tokens: int = 0
    """What a model has used so far, where that is known; else 0."""


WAITING = "waiting"
"""The source of what is told while nothing but time has to pass."""


def no_rest() -> float:
    return 0.0


def ignore_activity(activity: Activity) -> None:
    del activity


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    cancel: Cancel
    clock: Callable[[], float]
    deadline: float | None = None
    idle: float | None = None
    """Seconds without a sign of life after which a process is stopped."""
    on_activity: Callable[[Activity], None] = ignore_activity
    rested: Callable[[], float] = no_rest
    """Seconds for which a person let everything rest, since this was last asked."""

    def within(self, seconds: float | None) -> "Control":
        """The same control with a deadline at most so many seconds away."""
        if seconds is None:
            return self
        mine = self.clock() + seconds
        return replace(self, deadline=mine if self.deadline is None else min(mine, self.deadline))

    def remaining(self) -> float | None:
        return None if self.deadline is None else max(0.0, self.deadline - self.clock())

    def check(self) -> None:
        """Raise Interrupted where a stop was asked for."""
        if self.cancel.is_set():
            raise Interrupted("The run was asked to stop.")

    def wait(self, seconds: float) -> None:
        """Let time pass, ended at once by a stop."""
        if self.cancel.wait(seconds):
            self.check()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """When and from where a person asked a run for what it then took up."""

    at: datetime
    origin: str
