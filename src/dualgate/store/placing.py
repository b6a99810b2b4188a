"""Records of a journal -> each with the states around it and its place in the session."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dualgate.core.machine.history import apply, begin
from dualgate.core.record.iterations import Place, place_of
from dualgate.core.values.events import SessionStarted, TurnEnded
from dualgate.core.values.state import LoopState
from dualgate.store.codec import Record


class Placed(NamedTuple):
    """A record, the state before and after it, and its place."""

    record: Record
    before: LoopState
    after: LoopState
    place: Place


def placed(records: Iterable[Record], last: Placed | None = None) -> Iterator[Placed]:
    """Each record in its place; `last` is the one before them, if they continue a session."""
    for record in records:
        if last is None and not isinstance(record.event, SessionStarted):
            continue
        last = _first(record) if last is None else _next(last, record)
        yield last


def _first(record: Record) -> Placed:
    assert isinstance(record.event, SessionStarted)
    state = begin(record.event)
    return Placed(record, state, state, place_of(record.event, state, 1))


def _next(last: Placed, record: Record) -> Placed:
    number = last.place.number + isinstance(last.record.event, TurnEnded)
    return Placed(record, last.after, apply(last.after, record.event), place_of(record.event, last.after, number))
