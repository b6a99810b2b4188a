"""The request of a caller for a verification."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    project: Path
    """A folder of a git repository; only the tests in it and below are run."""
    base: str = ""
    """The merge-base with this ref; the main branch if empty."""
    head: str = ""
    """A ref; the work tree as it is if empty."""
    spec: Path | None = None
    session: bool = False
    """Whether results that the session of this project proved are used."""
    budget: float | None = None
    """Seconds for everything; steps that do not fit are named and leave the change not proven."""
    allow: Mapping[str, str] = field(default_factory=dict)
    """Ids of findings that a person accepts, with the reason."""
    test_command: str | None = None
    runner: str | None = None
    """How `test_command` reports."""
