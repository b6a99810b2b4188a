"""A person's decisions on what waits for them: an amendment, finished work, a question of the agent."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from dualgate.core.values.control import Asked


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendmentAnswered:
    """A person approves or rejects the change of a frozen test. An approved one is proven before it is applied."""

    kind: ClassVar[str] = "amendment.answered"
    at: datetime
    by: str
    test_id: str
    approved: bool
    reason: str = ""
    """Why it is rejected."""
    goes_on: bool = False
    """Whether the run that reads the request continues at once."""
    asked: Asked | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkApproved:
    """A person approves finished work, and the session is completed. `tree` is the work tree that they approve."""

    kind: ClassVar[str] = "work.approved"
    at: datetime
    by: str
    tree: str
    asked: Asked | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkRejected:
    """A person rejects finished work: it goes back to the phase that fixes it, with the reason as guidance."""

    kind: ClassVar[str] = "work.rejected"
    at: datetime
    by: str
    reason: str
    tree: str = ""
    asked: Asked | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAnswered:
    """A person answers a question of the agent; the answer becomes guidance."""

    kind: ClassVar[str] = "question.answered"
    at: datetime
    by: str
    text: str
    goes_on: bool = False
    asked: Asked | None = None
