"""The live view on our terminal: a thread that draws it and reads keys, beside the run that writes its lines."""

import os
import select
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

from dualgate.agents.command import local_now
from dualgate.cli.keys import Key, KeyReader
from dualgate.cli.output import in_colour, in_unicode, our_redactor
from dualgate.cli.outside import request_of
from dualgate.cli.progress_line import BEGINNINGS, MERE_OUTPUT
from dualgate.cli.terminal import Terminal
from dualgate.core.machine.requests import RequestKind
from dualgate.core.record.records import View
from dualgate.core.record.run_facts import waits_for
from dualgate.core.values.control import WAITING, Activity
from dualgate.core.values.events import CallEnded, Event, SuiteEnded, TurnEnded
from dualgate.core.values.state import LoopState
from dualgate.display.view.drawing import ASCII, UNICODE, drawn
from dualgate.display.view.gathered import Gathered, first_gathered, gathered_after
from dualgate.display.view.rendering import rendered
from dualgate.display.view.run_view import Panel, TimeLimits, run_view
from dualgate.errors import DualgateError
from dualgate.session.record import Watcher
from dualgate.store.requests import Inbox

TICK_SECONDS = 1.0
SEQUENCE_SECONDS = 0.05
"""The rest of an escape sequence comes at once."""
BLOCKED_SECONDS = 1.0
LOG_LINES = 8
ENDINGS = (CallEnded, SuiteEnded, TurnEnded)
_NOT_YET = "the run is being set up; keys work when it has begun"
_ASKED = {
    "p": (RequestKind.PAUSE, "the run pauses after this iteration"),
    "q": (RequestKind.PAUSE_NOW, "the run stops the agent and pauses"),
    "s": (RequestKind.SKIP_WAIT, "the wait is skipped"),
}


class Screen:
    """The view of one run. `heard` only stores an activity: a terminal that blocks must not hold up a run."""

    def __init__(self, terminal: Terminal, limits: TimeLimits, now: Callable[[], datetime] = local_now) -> None:
        self._terminal = terminal
        self._limits = limits
        self._now = now
        self._glyphs = UNICODE if in_unicode() else ASCII
        self._lock = threading.RLock()
        self._gathered: Gathered | None = None
        self._activity: Activity | None = None
        self._activities: deque[str] = deque(maxlen=LOG_LINES)
        self._inbox: Inbox | None = None
        self._panel = Panel()
        self._shows_log = False
        self._is_resized = False
        self._keys = KeyReader()

    def over(self, watch: Watcher) -> Watcher:
        """Wrap a watcher so that its lines are written above the view."""

        def watching(event: Event, state: LoopState) -> None:
            with self._lock:
                self._terminal.clear()
                watch(event, state)
                self._note(event, state)
                self.draw()

        return watching

    def telling(self, tell: Callable[[str], None]) -> Callable[[str], None]:
        """Wrap a function that writes a message, as `over` does."""

        def told(text: str) -> None:
            with self._lock:
                self._terminal.clear()
                tell(text)
                self.draw()

        return told

    def recall(self, state: LoopState, view: View) -> None:
        """Begin with what the journal of a resumed session says."""
        self._gathered = first_gathered(state, view)

    def attach(self, inbox: Inbox) -> None:
        """Send the requests of keys here."""
        self._inbox = inbox

    def heard(self, activity: Activity) -> None:
        if activity.source == WAITING:
            return  # the view has a countdown of its own
        last = self._activity
        if last is not None and activity.source == MERE_OUTPUT:
            return
        if activity.text and (last is None or activity.text != last.text):
            text = our_redactor().text(activity.text)
            self._activities.append(f"{self._now():%H:%M:%S}  {activity.source}  {text}")
        self._activity = activity

    def draw(self) -> None:
        """Show the present view, unless the terminal is not ours now."""
        with self._lock:
            if self._gathered is None or self._terminal.is_lost:
                return
            if not self._terminal.is_ours:
                self._terminal.clear()
                return
            self._terminal.take()
            columns, rows = self._terminal.size
            view = run_view(self._gathered, self._redacted(), self._now(), self._limits, self._present_panel())
            lines = [rendered(line, in_colour()) for line in drawn(view, columns, rows, self._glyphs)]
            self._terminal.draw(lines, self._is_resized)
            self._is_resized = False

    def resized(self) -> None:
        self._is_resized = True

    def leave(self) -> None:
        """Clear the view and restore the terminal, also if a blocked terminal holds the lock."""
        is_free = self._lock.acquire(timeout=BLOCKED_SECONDS)
        try:
            self._terminal.release()
        finally:
            if is_free:
                self._lock.release()

    def press(self) -> None:
        """Read what was typed, and act on it."""
        typed = self._terminal.pressed()
        keys = self._keys.read(typed)
        if self._keys.is_waiting and not _is_readable(self._terminal.keyboard, SEQUENCE_SECONDS):
            keys += self._keys.settle()
        for key in keys:
            with self._lock:
                self._act(key)

    @property
    def keyboard(self) -> int | None:
        return self._terminal.keyboard if self._terminal.has_keys else None

    def _note(self, event: Event, state: LoopState) -> None:
        if isinstance(event, (*BEGINNINGS, *ENDINGS)):
            self._activity = None
        gathered = self._gathered
        self._gathered = first_gathered(state) if gathered is None else gathered_after(gathered, event, state)

    def _redacted(self) -> Activity | None:
        last = self._activity
        # before the text is cut: half a secret is not recognised
        return last and replace(last, text=our_redactor().text(last.text))

    def _present_panel(self) -> Panel:
        log = tuple(self._activities) or ("no activity yet",)
        return replace(self._panel, log=log if self._shows_log else (), has_keys=self._terminal.has_keys)

    def _act(self, key: str) -> None:
        if self._panel.guidance is not None:
            self._write(key)
            return
        self._panel = replace(self._panel, notice="")
        match key:
            case "?":
                self._panel = replace(self._panel, helps=not self._panel.helps)
            case "l":
                self._shows_log = not self._shows_log
            case "g" if self._inbox is not None:
                self._panel = replace(self._panel, guidance="")
            case "s" if self._gathered and waits_for(self._gathered.state, self._now()) is None:
                self._tell("the run is not waiting")
            case "p" | "q" | "s":
                kind, text = _ASKED[key]
                self._ask(kind, text)
            case "g":
                self._tell(_NOT_YET)
            case _:
                pass

    def _write(self, key: str) -> None:
        """One key of the line of guidance."""
        written = self._panel.guidance or ""
        match key:
            case Key.ESCAPE:
                self._panel = replace(self._panel, guidance=None)
            case Key.ENTER:
                self._panel = replace(self._panel, guidance=None)
                if written.strip():
                    self._ask(RequestKind.GUIDE, "the agent gets it with its next prompt", written.strip())
            case Key.BACKSPACE:
                self._panel = replace(self._panel, guidance=written[:-1])
            case Key.CLEAR:
                self._panel = replace(self._panel, guidance="")
            case _:
                self._panel = replace(self._panel, guidance=written + key)

    def _ask(self, kind: RequestKind, follows: str, text: str = "") -> None:
        if self._inbox is None:
            self._tell(_NOT_YET)
            return
        try:
            self._inbox.put(request_of(kind, text))
        except DualgateError as error:
            self._tell(error.message)
        else:
            self._tell(follows)

    def _tell(self, text: str) -> None:
        self._panel = replace(self._panel, notice=text)


@contextmanager
def running(screen: Screen) -> Iterator[Screen]:
    """Draw the view and read keys until the block ends, whatever ends it."""
    awake, waker = os.pipe()
    os.set_blocking(waker, False)
    over = threading.Event()

    def wake() -> None:
        with suppress(BlockingIOError):  # the thread is awake already
            os.write(waker, b".")

    thread = threading.Thread(target=_keep_drawn, args=(screen, awake, over), name="live view", daemon=True)
    with _signals(screen, wake):
        thread.start()
        try:
            yield screen
        finally:
            over.set()
            wake()
            thread.join(BLOCKED_SECONDS)
            screen.leave()
    if not thread.is_alive():
        os.close(awake)
    os.close(waker)


def _keep_drawn(screen: Screen, awake: int, over: threading.Event) -> None:
    while not over.is_set():
        keyboard = screen.keyboard
        watched = [awake] if keyboard is None else [awake, keyboard]
        ready, _, _ = select.select(watched, [], [], TICK_SECONDS)
        if over.is_set():
            return
        if awake in ready:
            os.read(awake, 1024)
        if keyboard in ready:
            screen.press()
        screen.draw()


@contextmanager
def _signals(screen: Screen, wake: Callable[[], None]) -> Iterator[None]:
    """Redraw at a resize; leave the terminal as it was before a stop (Ctrl+Z) or a quit, and come back to it after."""
    before: dict[int, Any] = {}

    def earlier(number: int, frame: object) -> None:
        handler = before[number]
        if callable(handler):
            handler(number, frame)

    def resize(number: int, frame: object) -> None:
        screen.resized()
        wake()
        earlier(number, frame)

    def leave(number: int, frame: object) -> None:
        screen.leave()
        earlier(number, frame)

    def come_back(number: int, frame: object) -> None:
        earlier(number, frame)
        screen.resized()
        wake()

    def quit_at_once(number: int, frame: object) -> None:
        screen.leave()
        earlier(number, frame)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    handlers = {
        signal.SIGWINCH: resize,
        signal.SIGTSTP: leave,
        signal.SIGCONT: come_back,
        signal.SIGQUIT: quit_at_once,
    }
    handlers = {number: to for number, to in handlers.items() if signal.getsignal(number) != signal.SIG_IGN}
    for number, handler in handlers.items():
        before[number] = signal.signal(number, handler)
    try:
        yield
    finally:
        for number in handlers:
            signal.signal(number, before[number])


def _is_readable(descriptor: int | None, seconds: float) -> bool:
    return descriptor is not None and bool(select.select([descriptor], [], [], seconds)[0])
