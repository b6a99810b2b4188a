"""Spans: what took how long in a session, as values. Their ids follow from the session and the journal alone."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from hashlib import sha256

Attribute = str | bool | int | float | tuple[str, ...]
Attributes = Mapping[str, Attribute]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Level(StrEnum):
    """The subject of a span. Levels with spans inside come first, outer before inner."""

    SESSION = "session"
    PHASE = "phase"
    BASELINE = "baseline"
    ITERATION = "iteration"
    TRIAL = "trial"
    CALL = "call"
    SUITE = "suite"
    CHECK = "check"
    PROBES = "probes"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanEvent:
    """A moment inside a span, named by the kind of its event."""

    name: str
    at: datetime
    attributes: Attributes = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A span that has ended. `seq` is the number of the event that ended it."""

    trace_id: str
    span_id: str
    parent_id: str
    """Empty for the first span of a session."""
    level: Level
    name: str
    start: datetime
    end: datetime
    seq: int
    attributes: Attributes
    events: tuple[SpanEvent, ...] = ()
    error: str = ""
    """The kind of failure; empty if it did not fail."""


def trace_id(session_id: str) -> str:
    return _digest(f"trace {session_id}", 16)


def span_id(session_id: str, seq: int, level: Level) -> str:
    """The id of the span of a level that the event with this number began."""
    return _digest(f"span {session_id} {seq} {level}", 8)


def _digest(text: str, size: int) -> str:
    return sha256(text.encode()).digest()[:size].hex()


def nanoseconds(at: datetime) -> int:
    """Nanoseconds since 1970, without the rounding of a float."""
    return (at - _EPOCH) // _MICROSECOND * 1000
