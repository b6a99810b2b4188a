"""What is kept of an amendment: what was asked for, who approved it, and what came of it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum


class AmendmentOutcome(StrEnum):
    ACCEPTED = "accepted"
    REFUSED = "refused"
    WAITING = "waiting"
    """For a person to answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendmentRequest:
    """What an agent filed; what could not be read of it is empty."""

    test_id: str = ""
    reason: str = ""
    diff: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    outcome: AmendmentOutcome
    request: AmendmentRequest = field(default_factory=AmendmentRequest)
    reasons: tuple[str, ...] = ()
    """Why it was refused, or what it waits for."""
    approved_by: str = ""
    """The agent that approved it."""
    notes: tuple[str, ...] = ()


def accepted(amendments: Iterable[Amendment]) -> tuple[Amendment, ...]:
    """The amendments that changed a proven test."""
    return tuple(each for each in amendments if each.outcome is AmendmentOutcome.ACCEPTED)
