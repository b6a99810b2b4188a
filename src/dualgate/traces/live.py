"""A run -> its spans, sent while it goes on. A thread reads the journal and sends; the run never waits for it.

Spans are sent when an iteration has ended. At the end of the run a last send gets a few seconds. A mark beside the
journal holds the last event whose spans were accepted: after kill -9 or a failure, the next run sends the rest.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dualgate.core.record.traces.span import Span
from dualgate.core.values.events import BaselineTaken, Event, ProvenAgain, TurnEnded
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Status
from dualgate.errors import DualgateError, SettingError
from dualgate.session.host import Host
from dualgate.session.record import Watcher
from dualgate.settings import Settings
from dualgate.store.atomic import read_whole, write_whole
from dualgate.store.sessions import TRACED
from dualgate.traces.reading import SpanReader
from dualgate.traces.sending import BATCH, Otlp, Sender, require_library

MOST_WAITING = 8192
"""Spans that wait for a collector that does not answer; the oldest are dropped above it."""
LATER = "Send them with: dualgate traces export"


class _Traces(threading.Thread):
    def __init__(self, folder: Path, host: Host, open_sender: Callable[[], Sender]) -> None:
        super().__init__(name="traces", daemon=True)
        self._folder = folder
        self._host = host
        self._open_sender = open_sender
        self._sender: Sender | None = None
        self._wake = threading.Event()
        self._is_over = False
        self._has_warned = False
        self._waiting: deque[Span] = deque(maxlen=MOST_WAITING)

    def wake(self) -> None:
        self._wake.set()

    def end(self, patience: float) -> None:
        """Send what is left, for at most this time."""
        self._is_over = True
        self._wake.set()
        self.join(patience)
        if self.is_alive():
            self._warn("the collector does not answer in time")
            if self._sender:
                self._sender.stop()

    def run(self) -> None:
        reader, mark = SpanReader(self._folder), read_mark(self._folder)
        while True:
            self._wake.wait()
            self._wake.clear()
            is_last = self._is_over
            try:
                self._waiting.extend(span for span in reader.new() if span.seq > mark)
                if reader.is_nested:
                    return
                self._send_waiting(reader.seq)
            except DualgateError as error:
                self._warn(error.message, error.next_step or LATER)
                if isinstance(error, SettingError):
                    return
            if is_last:
                return

    def _send_waiting(self, seq: int) -> None:
        while self._waiting:
            self._sender = self._sender or self._open_sender()
            batch = tuple(self._waiting)[:BATCH]
            self._sender.send(self._host.redactor.value(batch))
            for _ in batch:
                self._waiting.popleft()
        write_mark(self._folder, seq)

    def _warn(self, why: str, next_step: str = LATER) -> None:
        if not self._has_warned:
            self._has_warned = True
            self._host.tell(f"traces are not sent: {self._host.redactor.text(why).rstrip('.')}. {next_step}")


@contextmanager
def sent(watch: Watcher, settings: Settings, host: Host) -> Iterator[Watcher]:
    """The watcher of a run; if traces are configured, its spans are sent as well."""
    otel = settings.otel
    if not otel.enabled and otel.endpoint is None:
        yield watch
        return

    def open_sender() -> Sender:
        require_library()
        return Otlp(otel.endpoint, otel.timeout)

    running: list[_Traces] = []

    def watching(event: Event, state: LoopState) -> None:
        watch(event, state)
        if not running:
            running.append(_Traces(host.folder(), host, open_sender))
            running[0].start()
        if isinstance(event, BaselineTaken | TurnEnded | ProvenAgain) or state.status is not Status.RUNNING:
            running[0].wake()

    try:
        yield watching
    finally:
        for each in running:
            each.end(otel.timeout)


def read_mark(folder: Path) -> int:
    """The number of the last event whose spans were sent; 0 if none was, or the mark cannot be read."""
    try:
        return int(read_whole(folder / TRACED))
    except (OSError, ValueError):
        return 0


def write_mark(folder: Path, seq: int) -> None:
    """A mark that cannot be written is missing: spans are then sent once more, with the same ids."""
    with suppress(DualgateError):
        write_whole(folder / TRACED, f"{seq}\n".encode())
