"""Checks: approved commands that prove a criterion, their runs, and the events of these runs."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRun:
    """One run of the command of a check."""

    command: str
    exit_code: int | None
    """None if the command did not end by itself."""
    printed: tuple[str, ...] = ()
    """Texts that the command must print for some criterion, and did print."""
    output: str = ""
    """The end of its output."""
    problem: str = ""
    """Why the run proves nothing: it ran into its time limit, or changed the work tree."""
    tree: str = ""
    written: tuple[str, ...] = ()
    """Paths the run wrote into the work tree besides known test outputs."""
    seconds: float = 0.0

    @property
    def last_line(self) -> str:
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        return lines[-1] if lines else "no output"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckStarted:
    kind: ClassVar[str] = "check.started"
    at: datetime
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckEnded:
    kind: ClassVar[str] = "check.ended"
    at: datetime
    check: CheckRun
    known: bool = False
    """Whether the result was reused because the tree is unchanged."""
