"""The bottom line of a terminal, which shows the present activity; without a terminal, an occasional log line."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TextIO

from dualgate.cli.output import columns_of, our_redactor, show, silence
from dualgate.core.values.checks import CheckStarted
from dualgate.core.values.control import WAITING, Activity, Control
from dualgate.core.values.events import CallDelayed, CallStarted, Event, SuiteStarted
from dualgate.core.values.probes import ProbesStarted
from dualgate.display.lines import Line, Tone, activity_line
from dualgate.errors import OutputLost

if TYPE_CHECKING:
    from dualgate.core.values.state import LoopState
    from dualgate.session.record import Watcher

CLEAR = "\r\x1b[K"
SCREEN_SECONDS = 0.25
LOG_SECONDS = 60.0
LOG_COLUMNS = 200
BEGINNINGS = (CallDelayed, CallStarted, SuiteStarted, CheckStarted, ProbesStarted)
# only a sign of life: any other activity says more
MERE_OUTPUT = "output"


class ProgressLine:
    """Shows the latest activity below the events; it is never journaled.

    `heard` only stores an activity and `draw` writes it, since a terminal that blocks for a while (Ctrl+S) must not
    keep a run from its deadlines.
    """

    def __init__(self, write: Callable[[Activity, float], None], clear: Callable[[], None]) -> None:
        self._write = write
        self._clear = clear
        self._since = time.monotonic()
        self._last: Activity | None = None
        self._lock = threading.RLock()

    def over(self, watch: "Watcher") -> "Watcher":
        """Wrap a watcher so that the line is cleared before an event is written."""

        def watching(event: Event, state: "LoopState") -> None:
            with self._lock:
                self.clear()
                watch(event, state)
            if isinstance(event, BEGINNINGS):
                self._since = time.monotonic()
            if isinstance(event, SuiteStarted):
                self.heard(Activity(source="tests", text=""))

        return watching

    def heard(self, activity: Activity) -> None:
        last = self._last
        if last is None or activity.source != MERE_OUTPUT or last.source == MERE_OUTPUT:
            self._last = activity
        if activity.source == WAITING != (last and last.source):
            self._since = time.monotonic()

    def draw(self) -> None:
        """Show the present activity, if there is one, and the elapsed time."""
        with self._lock:
            if (last := self._last) is not None:
                # before the text is cut: half a secret is not recognised
                told = replace(last, text=our_redactor().text(last.text))
                self._write(told, time.monotonic() - self._since)

    def clear(self) -> None:
        with self._lock:
            self._clear()
            self._last = None


@contextmanager
def progress_line(control: Control, in_log: bool, on_screen: bool = True) -> Iterator[tuple[ProgressLine, Control]]:
    """The line, and a control that reports activities to it. `in_log`: whether it is logged without a screen."""
    if on_screen and is_terminal(sys.stderr):
        screen = _Screen(sys.stderr)
        live, every = ProgressLine(screen.write, screen.clear), SCREEN_SECONDS
    else:
        live, every = ProgressLine(QuietLog().write if in_log else _nothing, lambda: None), LOG_SECONDS / 4
    with _drawn(live, every):
        yield live, replace(control, on_activity=live.heard)


@contextmanager
def _drawn(live: ProgressLine, every: float) -> Iterator[None]:
    """Redraw the line regularly: the elapsed time shows that a long silent test is not a dead run."""
    over = threading.Event()

    def draw() -> None:
        while not over.wait(every):
            live.draw()

    threading.Thread(target=draw, name="live line", daemon=True).start()
    try:
        yield
    finally:
        over.set()
        live.clear()


class _Screen:
    """Overwrites one line of a terminal; stops writing, without an error, if the terminal is lost."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._shown = ""
        self._lost = False

    def write(self, activity: Activity, seconds: float) -> None:
        line = activity_line(activity, seconds, columns_of(self._stream) - 1)
        if line != self._shown:
            self._put(f"{CLEAR}\x1b[2m{line}\x1b[0m")
            self._shown = line

    def clear(self) -> None:
        if self._shown:
            self._put(CLEAR)
            self._shown = ""

    def _put(self, text: str) -> None:
        if self._lost:
            return
        encoding = self._stream.encoding or "utf-8"
        try:
            self._stream.write(text.encode(encoding, "replace").decode(encoding))
            self._stream.flush()
        except OSError:
            self._lost = True


class QuietLog:
    """Logs the activity at most every LOG_SECONDS, and only activities that take at least as long."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = clock()

    def write(self, activity: Activity, seconds: float) -> None:
        now = self._clock()
        if min(seconds, now - self._last) >= LOG_SECONDS:
            self._last = now
            try:
                show([Line(text=activity_line(activity, seconds, LOG_COLUMNS), tone=Tone.QUIET)])
            except OutputLost:
                silence()


def is_terminal(stream: TextIO) -> bool:
    """Whether a stream is a terminal whose lines can be overwritten."""
    return stream.isatty() and os.environ.get("TERM") not in ("", "dumb", None)


def _nothing(activity: Activity, seconds: float) -> None:
    del activity, seconds
