"""Amendments: the request to change a frozen test, its outcome, and who approved it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from dualgate.core.values.suite import CaseResult

SELF_APPROVED = "approved by the agent that filed it, as no other can be asked"
"""A note in journals from before such a request waited for a person."""


class AmendmentOutcome(StrEnum):
    ACCEPTED = "accepted"
    REFUSED = "refused"
    WAITING = "waiting"
    """Waiting for a person's answer."""
    APPROVED = "approved"
    """Approved by a person, and not proven yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendmentRequest:
    """An agent's request; parts that could not be read are empty."""

    test_id: str = ""
    reason: str = ""
    diff: str = ""
    code: str = ""
    """The whole new function, if it was given instead of a diff; empty once the diff that it makes is known."""

    @property
    def change(self) -> str:
        """The change as people and reviewers read it."""
        return self.diff or self.code


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    outcome: AmendmentOutcome
    request: AmendmentRequest = field(default_factory=AmendmentRequest)
    reasons: tuple[str, ...] = ()
    """Why the request was refused, or why it is waiting."""
    approved_by: str = ""
    """The agent or the person that approved the request."""
    notes: tuple[str, ...] = ()


def why_self_approved(amendments: Iterable[Amendment]) -> tuple[str, ...]:
    """Why a run with these amendments is not proven: an agent approved its own change of a test."""
    own = [each.request.test_id for each in accepted(amendments) if SELF_APPROVED in each.notes]
    return tuple(f"the agent that asked to change {name} approved the change itself" for name in own)


def accepted(amendments: Iterable[Amendment]) -> tuple[Amendment, ...]:
    """The amendments that changed a proven test."""
    return tuple(each for each in amendments if each.outcome is AmendmentOutcome.ACCEPTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendmentTried:
    """The work tree is about to be switched to RED's tree for a test run; `tree` is restored after it."""

    kind: ClassVar[str] = "amendment.tried"
    at: datetime
    test_id: str
    tree: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendmentDecided:
    """The decision on an amendment; if accepted, the test's proven results and the trees that contain it."""

    kind: ClassVar[str] = "amendment.decided"
    at: datetime
    amendment: Amendment
    function: str = ""
    results: tuple[CaseResult, ...] = ()
    red_tree: str = ""
    proven_tree: str = ""
    green_tree: str = ""
    tree: str = ""
    """The work tree after the decision."""
