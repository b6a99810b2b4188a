"""Brief: what a prompt needs beside the state, read from disk for each call."""

from dataclasses import dataclass

from dualgate.core.values.answer import Recalled
from dualgate.core.values.changes import FileDiff
from dualgate.core.values.suite import Suite


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    suites: tuple[Suite, ...] = ()
    """The commands that run the tests, with the interpreter that the loop uses."""
    checks: tuple[str, ...] = ()
    """Commands that the loop runs before a review, beside the tests."""
    instructions: tuple[str, ...] = ()
    """Files of the project with instructions for those who work on it."""
    ticks: bool = False
    """Whether dualgate ticks the boxes of a task list."""
    recalled: tuple[Recalled, ...] = ()
    """Entries of earlier sessions that fit this call."""
    diffs: tuple[FileDiff, ...] = ()
    """In a review: what the run changed, by file."""
    diff_command: str = ""
    """The command that shows all that the run changed in a file, whose path follows."""
