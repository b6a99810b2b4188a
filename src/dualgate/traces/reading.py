"""The journal of a session -> its spans, as far as they have ended."""

from collections.abc import Iterator
from pathlib import Path

from dualgate.core.machine.history import first_of
from dualgate.core.record.traces.span import Span
from dualgate.core.record.traces.tracing import Tracing, begin_tracing, traced
from dualgate.store.codec import Record
from dualgate.store.reading import read_journal, tail


def spans_of(folder: Path, alive: bool) -> Iterator[Span]:
    """All spans of a session. If no process is at work in it, those that are still open end with the last event."""
    tracing: Tracing | None = None
    for record in read_journal(folder):
        tracing = _after(tracing, record)
        yield from tracing.ended
    if tracing is not None and not alive:
        yield from tracing.cut_off.ended


class SpanReader:
    """Reads the spans of a session that is growing. Lines that were read are not read again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tracing: Tracing | None = None
        self.seq = 0
        """The number of the last event that was read."""

    @property
    def is_nested(self) -> bool:
        """Whether the session was started inside of another run, as by tests that call dualgate."""
        return self._tracing is not None and bool(self._tracing.started.inside)

    def new(self) -> Iterator[Span]:
        """The spans that ended since the last call."""
        for record in tail(self._folder, self.seq):
            self._tracing = _after(self._tracing, record)
            self.seq = record.seq
            yield from self._tracing.ended


def _after(tracing: Tracing | None, record: Record) -> Tracing:
    if tracing is None:
        return begin_tracing(first_of(record.event), record.epoch)
    return traced(tracing, record.seq, record.epoch, record.event)
