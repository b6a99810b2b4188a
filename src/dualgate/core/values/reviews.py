"""Findings of reviews and their states."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from dualgate.core.values.fix_request import FixRequest


class Route(StrEnum):
    """The receiver of a fix: the next GREEN, the next REFACTOR, or, for a frozen test, an amendment."""

    IMPLEMENTER = "implementer"
    REFACTORER = "refactorer"
    AMENDMENT = "amendment"


class FindingState(StrEnum):
    OPEN = "open"
    CLOSED = "closed"
    ADVICE = "advice"


class Again(StrEnum):
    """Why a review is asked for once more, instead of being followed."""

    PACKETS = "packets"
    CONTRADICTION = "contradiction"
    FILES = "files"
    TESTS = "tests"
    """Answers about removed, skipped and weakened tests are missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One FixRequest and its state; its id is unique in the session."""

    request: FixRequest
    state: FindingState
    review: int
    """Number of the review that last raised it, from 1."""
    by: str = ""
    """The agent, or the check, that last raised it."""
    raised_at: datetime | None = None
    closed_at: datetime | None = None
    closed_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviews:
    """All reviews of a session."""

    count: int = 0
    """Number of reviews that rejected or approved."""
    tree: str = ""
    """The tree of the last review that named its findings; a rejection without findings does not change it."""
    findings: tuple[Finding, ...] = ()
    touched: tuple[str, ...] = ()
    """Paths that changed since the last review."""
    asked: tuple[Again, ...] = ()
    """Why the present review was asked for once more."""

    @property
    def open(self) -> tuple[FixRequest, ...]:
        """Open fix requests, in the order of work."""
        return tuple(finding.request for finding in self.findings if finding.state is FindingState.OPEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """The findings of one review: those that count, and those that are advice."""

    is_first: bool = True
    counting: tuple[FixRequest, ...] = ()
    advice: tuple[FixRequest, ...] = ()
    unfounded: tuple[FixRequest, ...] = ()
    """Requests that name a file which does not exist."""
    unanswered: tuple[str, ...] = ()
    """Why answers about removed, skipped and weakened tests are missing or cannot be followed."""
    unjustified: tuple[FixRequest, ...] = ()
    """Fixes for tests whose removal or change the reviewer calls not justified."""
    asked: tuple[Again, ...] = ()
    """Why this review was asked for once more before."""

    @property
    def blocking(self) -> tuple[FixRequest, ...]:
        return tuple(request for request in self.counting if request.is_blocking)
