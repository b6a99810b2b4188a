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
from dualgate.core.values.control import WAITING, Activity, Cancel, Control, RequestRefused
from dualgate.core.values.events import Event
from dualgate.core.values.notation import show_duration
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Status
from dualgate.processes.origin import mark_of, origin_of
from dualgate.store.atomic import write_whole
from dualgate.store.codec import UNREADABLE
from dualgate.store.home import attempt_box
from dualgate.store.screening import Screening, decode_request, empty_folder
from dualgate.store.seals import heard_list
from dualgate.store.senders import heard_place, sent

REQUESTS = "requests"
LOOK_SECONDS = 0.25
ALL = frozenset(RequestKind)


def ask(folder: Path, request: Request) -> Path:
    """Write a request to a session. Its file exists until the run handles it."""
    path = _place(folder, request)
    write_whole(path, msgspec.json.encode(request))
    return path


def send(folder: Path, request: Request, waits: Callable[[], bool]) -> Path | None:
    """Write a request to a running session, and let the run see who sent it until it has heard it.

    `waits` waits a moment, and says whether to wait any longer. Returns None if the run has not heard the request by
    then; it is withdrawn.
    """
    path = _place(folder, request)
    with sent(path, msgspec.json.encode(request)):
        heard = heard_place(path)
        try:
            while path.exists() and not heard.exists():
                if not waits():
                    path.unlink()
                    return None
        except FileNotFoundError:
            return path  # taken up meanwhile
        except BaseException:
            path.unlink(missing_ok=True)
            raise
    return path


def _place(folder: Path, request: Request) -> Path:
    return folder / REQUESTS / f"{request.at:%Y%m%dT%H%M%S%f}-{os.getpid()}-{request.kind}.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbox:
    """The requests of one session, oldest first."""

    folder: Path | None = None
    screening: Screening | None = None
    """Tells the requests of people from others; None if every request counts."""
    attempts: Path | None = None
    """The folder in which programs in a sandbox leave requests, all of which are refused."""

    def put(self, request: Request) -> None:
        """Write a request of this process itself, from a person at its terminal. It is known by its content."""
        if self.folder is None:
            return
        path, content = _place(self.folder, request), msgspec.json.encode(request)
        if self.screening is not None:
            self.screening.vouch(path, content)
        write_whole(path, content)

    def refusals(self, now: datetime) -> tuple[RequestRefused, ...]:
        """The requests from inside a call or a test run, refused, since the last call of this method."""
        if self.screening is None:
            return ()
        self.screening.watch()
        self.asks_for(ALL)
        if self.attempts is not None:
            self.screening.refuse_all(self.attempts / REQUESTS)
        return self.screening.refused(now)

    def take_up(
        self,
        state: LoopState,
        record: Callable[[Event], LoopState],
        now: Callable[[], datetime],
        kinds: Collection[RequestKind] = ALL,
    ) -> LoopState:
        """Journal the requests and delete their files. Stop once the session is no longer running."""
        for refusal in self.screening.refused(now()) if self.screening else ():
            state = record(refusal)
        for path in self._files(kinds):
            state = _taken_up(path, state, record, now())
            if state.status is not Status.RUNNING:
                break
        return state

    def close(self, state: LoopState, record: Callable[[Event], LoopState], now: Callable[[], datetime]) -> LoopState:
        """At the end of a run, handle all requests to end it, so that none of them stops the next run."""
        for refusal in self.refusals(now()):
            state = record(refusal)
        for path in self._files(ENDING):
            state = _taken_up(path, state, record, now())
        return state

    def reopen(self, record: Callable[[Event], LoopState], now: Callable[[], datetime]) -> None:
        """Refuse pauses that were requested before the session was resumed."""
        for path in self._files(PAUSING):
            with suppress(OSError, *UNREADABLE):
                record(refused(decode_request(path.read_bytes()), now(), RESUMED))
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
        every = [path.name for path in self._files(ALL)]  # all of them are screened as soon as they are seen
        return any(name.endswith(_endings(kinds)) for name in every)

    def _files(self, kinds: Collection[RequestKind]) -> Iterator[Path]:
        """The requests of people. Others are refused."""
        if self.folder is None:
            return
        try:
            found = sorted((self.folder / REQUESTS).iterdir())
        except OSError:
            return
        named = (path for path in found if path.name.endswith(_endings(kinds)) and not path.name.startswith("."))
        files = (path for path in named if path.is_file() and not path.is_symlink())  # reading a pipe would block
        yield from (path for path in files if self.screening is None or self.screening.passes(path))


def _endings(kinds: Collection[RequestKind]) -> tuple[str, ...]:
    return tuple(f"-{kind}.json" for kind in kinds)


def opened_inbox(folder: Path, project: Path, trusts: bool, home: Path | None = None) -> Inbox:
    """The requests to a run of this process; `trusts` says whether those that are there already count."""
    mark = mark_of(project)

    def is_inside(pid: int) -> bool:
        origin = origin_of(pid)
        return os.getpid() in origin.ancestors or mark in origin.marks

    attempts = attempt_box(home, mark) if home else None
    if attempts is not None:
        empty_folder(attempts / REQUESTS)  # of a run that ended
    inbox = Inbox(folder=folder, screening=Screening(is_inside, trusts, heard_list(folder)), attempts=attempts)
    inbox.asks_for(ALL)
    return inbox


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
            if self.inbox.screening is not None:
                self.inbox.screening.watch()
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
    heard_place(path).unlink(missing_ok=True)
    return state


def _events(path: Path, state: LoopState, now: datetime) -> tuple[Event, ...]:
    try:
        return events_of(decode_request(path.read_bytes()), state, now)
    except FileNotFoundError:
        return ()  # withdrawn by its sender
    except (OSError, *UNREADABLE) as error:
        return (RequestRefused(at=now, by="somebody", request=path.name, reason=f"It cannot be read: {error}"),)
