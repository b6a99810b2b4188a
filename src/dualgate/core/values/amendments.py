"""Amendments: the request to change a frozen test, its outcome, and who approved it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum


class AmendmentOutcome(StrEnum):
    ACCEPTED = "accepted"
    REFUSED = "refused"
    WAITING = "waiting"
    """Waiting for a person's answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendmentRequest:
    """An agent's request; parts that could not be read are empty."""

    test_id: str = ""
    reason: str = ""
    diff: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    outcome: AmendmentOutcome
    request: AmendmentRequest = field(default_factory=AmendmentRequest)
    reasons: tuple[str, ...] = ()
    """Why the request was refused, or why it is waiting."""
    approved_by: str = ""
    """The agent that approved the request."""
    notes: tuple[str, ...] = ()


def accepted(amendments: Iterable[Amendment]) -> tuple[Amendment, ...]:
    """The amendments that changed a proven test."""
    return tuple(each for each in amendments if each.outcome is AmendmentOutcome.ACCEPTED)
