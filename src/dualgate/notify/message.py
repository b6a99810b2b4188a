"""A notice in the form that channels send, and the error of a channel that could not."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from dualgate.core.values.vocabulary import Moment
from dualgate.errors import DualgateError

URGENT = frozenset({Moment.HALTED, Moment.BLOCKED, Moment.APPROVAL})
"""Moments at which nothing happens any more until a person acts."""


class NotDelivered(DualgateError):
    """A notification could not be delivered, or a command at a moment of the run failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    moment: Moment
    title: str
    text: str
    document: Mapping[str, Any]
    """The JSON object for webhooks and commands."""


class Channel(Protocol):
    """One way to notify a person."""

    @property
    def name(self) -> str: ...

    def send(self, message: Message) -> None:
        """Deliver a message, or raise NotDelivered."""
        ...
