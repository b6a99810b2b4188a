"""Control: passed to every blocking function, with a deadline, a way to stop it and a callback for progress.

It holds functions and never a clock of its own, so that core stays free of time.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import ClassVar, Protocol

from dualgate.errors import Interrupted


class Cancel(Protocol):
    """The interface of `threading.Event` that is used here."""

    def is_set(self) -> bool: ...

    def wait(self, timeout: float | None = None) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Either:
    """A cancel signal: set from outside, or by the caller for a part of its work."""

    outside: Cancel
    inside: Cancel

    def is_set(self) -> bool:
        return self.inside.is_set() or self.outside.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        return self.outside.wait(timeout) or self.inside.is_set()


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """A sign of progress from a long operation."""

    source: str
    text: str
    done: int = 0
    total: int = 0
    """`done` of `total` steps; 0 if unknown."""
    tokens: int = 0
    """Tokens used so far; 0 if unknown."""


WAITING = "waiting"
"""The source of activities that are reported while waiting."""


def never_suspended() -> float:
    return 0.0


def ignore_activity(activity: Activity) -> None:
    del activity


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    cancel: Cancel
    clock: Callable[[], float]
    deadline: float | None = None
    idle: float | None = None
    """Seconds without activity after which a process is stopped."""
    on_activity: Callable[[Activity], None] = ignore_activity
    suspended: Callable[[], float] = never_suspended
    """Seconds for which a person suspended the run since the last call of this function."""

    def within(self, seconds: float | None) -> "Control":
        """Return the same control with a deadline at most this many seconds away."""
        if seconds is None:
            return self
        mine = self.clock() + seconds
        return replace(self, deadline=mine if self.deadline is None else min(mine, self.deadline))

    def remaining(self) -> float | None:
        return None if self.deadline is None else max(0.0, self.deadline - self.clock())

    def check(self) -> None:
        """Raise Interrupted if a stop was requested."""
        if self.cancel.is_set():
            raise Interrupted("The run was asked to stop.")

    def wait(self, seconds: float) -> None:
        """Wait, or raise Interrupted at once on a stop."""
        if self.cancel.wait(seconds):
            self.check()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """When and from where a person sent a request to a run."""

    at: datetime
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitSkipped:
    """A person ends the wait for a limit, a retry or a cool-down: the next call starts at once."""

    kind: ClassVar[str] = "wait.skipped"
    at: datetime
    by: str
    asked: Asked | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRefused:
    """A request did not fit the session when the run read it, or did not come from a person."""

    kind: ClassVar[str] = "request.refused"
    at: datetime
    by: str
    request: str
    reason: str
    asked: Asked | None = None
    inside: bool = False
    """Whether a program inside a call or a test run sent it: a violation."""
