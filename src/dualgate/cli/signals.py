"""Signals -> Control: Ctrl+C and SIGTERM pause a run, Ctrl+Z suspends it, a lost terminal does not stop it.

Ctrl+\\ kills it with all its processes.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime

from dualgate.core.values.control import Control
from dualgate.core.values.events import SessionPaused
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Status
from dualgate.errors import ControlRefused, DualgateError
from dualgate.processes.jobs import Jobs
from dualgate.processes.stop_flag import StopFlag
from dualgate.session.host import Host

Handler = Callable[[int, object], None]


@contextmanager
def stoppable(jobs: Jobs) -> Iterator[Control]:
    """A control that Ctrl+C and SIGTERM stop. A second Ctrl+C does not wait for processes to end."""
    cancel = StopFlag()
    rest = _Rest(jobs)

    def stop(number: int, frame: object) -> None:
        del frame
        if cancel.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        cancel.set()

    def quit_at_once(number: int, frame: object) -> None:
        del frame
        jobs.kill()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    handlers: dict[signal.Signals, Handler] = {signal.SIGINT: stop, signal.SIGTERM: stop}
    # a signal that our parent ignores stays ignored; we ignore none ourselves, since our children would inherit it
    unless_ignored: dict[signal.Signals, Handler] = {
        signal.SIGHUP: _go_on,
        signal.SIGTSTP: rest.begin,
        signal.SIGQUIT: quit_at_once,
    }
    handlers |= {number: to for number, to in unless_ignored.items() if signal.getsignal(number) != signal.SIG_IGN}
    handlers[signal.SIGCONT] = rest.end
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield Control(cancel=cancel, clock=rest.clock, suspended=rest.taken)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        cancel.close()


@contextmanager
def paused_even_at_once(host: Host) -> Iterator[None]:
    """Record the session as paused even if a second Ctrl+C breaks off the run.

    It reads the journal again, since the state in memory may be in the middle of an event.
    """
    try:
        yield
    except KeyboardInterrupt:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            from dualgate.session.own import append_events  # needed here only

            with suppress(DualgateError):
                append_events(host, host.folder(), lambda state: (_interrupted(state, host.now()),))
        finally:
            signal.signal(signal.SIGINT, before)
        raise


class _Rest:
    """Suspends us and our jobs, which have their own process sessions, on Ctrl+Z. That time counts for no limit."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._since: float | None = None
        self._total = 0.0
        self._told = 0.0

    def clock(self) -> float:
        now = time.monotonic()
        return now - self._total - (0.0 if self._since is None else now - self._since)

    def taken(self) -> float:
        """The suspended seconds since the last call of this method."""
        told, self._told = self._told, self._total
        return self._total - told

    def begin(self, number: int, frame: object) -> None:
        del number, frame
        self._jobs.suspend()
        self._since = time.monotonic()
        os.kill(os.getpid(), signal.SIGSTOP)

    def end(self, number: int, frame: object) -> None:
        del number, frame
        if self._since is not None:
            self._total += time.monotonic() - self._since
            self._since = None
        self._jobs.go_on()


def _go_on(number: int, frame: object) -> None:
    del number, frame


def _interrupted(state: LoopState, now: datetime) -> SessionPaused:
    if state.status is not Status.RUNNING:
        raise ControlRefused(f"The session is {state.status} already.")
    return SessionPaused(at=now, reason="user_interrupt")
