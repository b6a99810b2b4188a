"""Requests to a running session: one small file each, beside the journal, deleted once journaled."""

import os
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import ceil
from pathlib import Path

import msgspec

from dualgate.core.machine.requests import ENDING, PAUSING, RESUMED, STOPPING, Request, RequestKind, events_of, refused
from dualgate.core.values.control import WAITING, Activity, Cancel, Control
from dualgate.core.values.events import Event, RequestRefused
from dualgate.core.values.notation import show_duration
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Status
from dualgate.store.atomic import write_whole

REQUESTS = "requests"
LOOK_SECONDS = 0.25
ALL = frozenset(RequestKind)


def ask(folder: Path, request: Request) -> Path:
    """Write a request to a session. Its file exists until the run handles it."""
    name = f"{request.at:%Y%m%dT%H%M%S%f}-{os.getpid()}-{request.kind}.json"
    path = folder / REQUESTS / name
    write_whole(path, msgspec.json.encode(request))
    return path


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbox:
    """The requests of one session, oldest first."""

    folder: Path | None = None

    def take_up(
        self,
        state: LoopState,
        record: Callable[[Event], LoopState],
        now: Callable[[], datetime],
        kinds: Collection[RequestKind] = ALL,
    ) -> LoopState:
        """Journal the requests and delete their files. Stop once the session is no longer running."""
        for path in self._files(kinds):
            state = _taken_up(path, state, record, now())
            if state.status is not Status.RUNNING:
                break
        return state

    def close(self, state: LoopState, record: Callable[[Event], LoopState], now: Callable[[], datetime]) -> LoopState:
        """At the end of a run, handle all requests to end it, so that none of them stops the next run."""
        for path in self._files(ENDING):
            state = _taken_up(path, state, record, now())
        return state

    def reopen(self, record: Callable[[Event], LoopState], now: Callable[[], datetime]) -> None:
        """Refuse pauses that were requested before the session was resumed."""
        for path in self._files(PAUSING):
            with suppress(OSError, msgspec.MsgspecError):
                record(refused(_DECODER.decode(path.read_bytes()), now(), RESUMED))
            path.unlink(missing_ok=True)

    def quiet_for(self, seconds: float, control: Control, kinds: Collection[RequestKind] = ALL) -> bool:
        """Wait, and report the time left. Returns False as soon as there is a request."""
        until = control.clock() + seconds
        while (left := until - control.clock()) > 0:
            if self.asks_for(kinds):
                return False
            control.on_activity(Activity(source=WAITING, text=f"{show_duration(ceil(left))} left"))
            control.wait(min(LOOK_SECONDS, left))
        return True

    def heeded(self, control: Control) -> Control:
        """A control that is also stopped by a request to stop."""
        return replace(control, cancel=_Heeding(inbox=self, signal=control.cancel))

    def asks_for(self, kinds: Collection[RequestKind]) -> bool:
        return next(self._files(kinds), None) is not None

    def _files(self, kinds: Collection[RequestKind]) -> Iterator[Path]:
        if self.folder is None:
            return
        try:
            found = sorted((self.folder / REQUESTS).iterdir())
        except OSError:
            return
        endings = tuple(f"-{kind}.json" for kind in kinds)
        named = (path for path in found if path.name.endswith(endings) and not path.name.startswith("."))
        yield from (path for path in named if path.is_file())  # reading a pipe would block


@dataclass(slots=True, kw_only=True)
class _Heeding:
    """A cancel signal that also checks for stop requests, at most four times a second and without a thread."""

    inbox: Inbox
    signal: Cancel
    seen: bool = False
    looked: float = field(default=float("-inf"))

    def is_set(self) -> bool:
        if self.signal.is_set() or self.seen:
            return True
        if time.monotonic() - self.looked >= LOOK_SECONDS:
            self.looked = time.monotonic()
            self.seen = self.inbox.asks_for(STOPPING)
        return self.seen

    def wait(self, timeout: float | None = None) -> bool:
        until = None if timeout is None else time.monotonic() + timeout
        while not self.is_set():
            left = LOOK_SECONDS if until is None else min(LOOK_SECONDS, until - time.monotonic())
            if left <= 0:
                return False
            self.signal.wait(left)
        return True


def _taken_up(path: Path, state: LoopState, record: Callable[[Event], LoopState], now: datetime) -> LoopState:
    for event in _events(path, state, now):
        state = record(event)
    path.unlink(missing_ok=True)
    return state


def _events(path: Path, state: LoopState, now: datetime) -> tuple[Event, ...]:
    try:
        return events_of(_DECODER.decode(path.read_bytes()), state, now)
    except FileNotFoundError:
        return ()  # withdrawn by its sender
    except (OSError, msgspec.MsgspecError) as error:
        return (RequestRefused(at=now, by="somebody", request=path.name, reason=f"It cannot be read: {error}"),)


_DECODER = msgspec.json.Decoder(Request)
