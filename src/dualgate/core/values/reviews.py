"""What reviews asked for, and what became of it."""

from dataclasses import dataclass
from enum import StrEnum

from dualgate.core.values.fix_request import FixRequest


class Route(StrEnum):
    """Where a fix goes: to the GREEN that follows, to its REFACTOR, or, for a test, to those who may amend one."""

    IMPLEMENTER = "implementer"
    REFACTORER = "refactorer"
    AMENDMENT = "amendment"


class FindingState(StrEnum):
    OPEN = "open"
    CLOSED = "closed"
    ADVICE = "advice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One FixRequest and what became of it; its id is its own in the whole session."""

    request: FixRequest
    state: FindingState
    review: int
    """The review that last raised it, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviews:
    """What the reviews of a session came to."""

    count: int = 0
    """Reviews that counted, the rejections and the approval."""
    tree: str = ""
    """The tree that the last of them looked at which named its findings; one that named none looked at nothing."""
    findings: tuple[Finding, ...] = ()
    touched: tuple[str, ...] = ()
    """Paths that changed since then."""

    @property
    def open(self) -> tuple[FixRequest, ...]:
        """In the order of work."""
        return tuple(finding.request for finding in self.findings if finding.state is FindingState.OPEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """The findings of one review: those that count, and those that are advice."""

    is_first: bool = True
    counting: tuple[FixRequest, ...] = ()
    advice: tuple[FixRequest, ...] = ()

    @property
    def blocking(self) -> tuple[FixRequest, ...]:
        return tuple(request for request in self.counting if request.is_blocking)
