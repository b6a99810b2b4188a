"""A person's request to a session -> sent to its run, or recorded in its journal. Terminals and dashboards use this.

A running session takes up the request and journals it; otherwise the event is appended to the journal at once.
"""

import time
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.machine.controls import ControlEvent, refusal, steps_to, trial_after
from dualgate.core.machine.requests import PAUSING, STOPPING, Request, RequestKind, control_of
from dualgate.core.values.approvals import WorkApproved
from dualgate.core.values.events import Event
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Decision, Status
from dualgate.errors import ControlRefused
from dualgate.session.finished import require_same_tree
from dualgate.session.host import Host
from dualgate.session.own import append_events
from dualgate.store.lease import owner_of
from dualgate.store.making_room import load_state
from dualgate.store.owners import is_owned, person
from dualgate.store.requests import send

_WAIT_SECONDS = 10.0
_HEARD_SECONDS = 60.0
"""A run looks for requests four times a second, but not while it saves a large work tree."""
_SHORT_WAIT_SECONDS = 2.0
"""Enough for a run between two turns. The time that a running turn still takes is unknown."""
_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Requester:
    """A person, the session that they steer, and the terminal or dashboard that they use."""

    host: Host
    folder: Path
    """The folder of the session."""
    origin: str

    def request(self, kind: RequestKind, text: str = "", target: str = "") -> Request:
        text = self.host.redactor.text(text)
        by = person(self.host.environment)
        return Request(kind=kind, at=self.host.now(), by=by, origin=self.origin, text=text, target=target)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """The run has heard the request, and takes it up after its present turn."""

    request: Request
    folder: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """The run has stopped as it was asked to."""

    kind: RequestKind
    state: LoopState
    folder: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """No run was active, and the event is in the journal."""

    event: ControlEvent
    state: LoopState
    folder: Path


Steered = Sent | Stopped | Recorded


def steer(requester: Requester, kind: RequestKind, text: str = "", target: str = "") -> Steered:
    """Send a request to the run of a session, or record it if none is active. Raises ControlRefused if it cannot be.

    `target` is the test whose amendment is approved or rejected; empty for finished work.
    """
    match kind:
        case RequestKind.PAUSE | RequestKind.PAUSE_NOW:
            return _stop(requester, kind)
        case RequestKind.ABORT | RequestKind.ABORT_NOW:
            return _stop(requester, kind) if is_running(requester) else record(requester, kind)
        case RequestKind.SKIP_WAIT:
            return _skip_wait(requester)
        case _:
            return _change(requester, kind, text, target)


def is_running(requester: Requester) -> bool:
    """Whether a run of the session is active."""
    running = running_session(requester.host)
    return running is not None and running.resolve() == requester.folder.resolve()


def running_session(host: Host) -> Path | None:
    """The folder of the session that runs in a work tree; None if none runs."""
    owner = owner_of(host.project, host.environment)
    return Path(owner["session"]) if owner and "session" in owner else None


def record(requester: Requester, kind: RequestKind, text: str = "", target: str = "") -> Recorded:
    """Append a person's event to the journal of a session that is not running."""
    host, folder = requester.host, requester.folder
    request = requester.request(kind, text, target)
    made: list[ControlEvent] = []

    def fitting(state: LoopState) -> tuple[Event, ...]:
        event = control_of(request, state, request.at, goes_on=False)
        if reason := refusal(state, event):
            raise ControlRefused(reason, "See where it stands with: dualgate status")
        if isinstance(event, WorkApproved):
            require_same_tree(host, folder)
        made.append(event)
        return steps_to(state, event)

    state = append_events(host, folder, fitting)
    return Recorded(event=made[0], state=state, folder=folder)


def _skip_wait(requester: Requester) -> Sent:
    """Ask the run to end its wait."""
    if not is_running(requester):
        raise ControlRefused("Nothing runs in this folder, so nothing waits.", "Go on with: dualgate resume")
    request = requester.request(RequestKind.SKIP_WAIT)
    if _heard(requester, request) is None:
        raise _ended_first(requester.folder)
    return Sent(request=request, folder=requester.folder)


def _stop(requester: Requester, kind: RequestKind) -> Sent | Stopped:
    """Ask the run to stop, and wait for it."""
    project, folder = requester.host.project, requester.folder
    if not is_running(requester):
        raise ControlRefused("Nothing runs in this folder.", "See how its session stands with: dualgate status")
    request = requester.request(kind)
    path = _heard(requester, request)
    if path is None:
        raise _ended_first(folder)
    deadline = time.monotonic() + (_WAIT_SECONDS if kind in STOPPING else _SHORT_WAIT_SECONDS)
    while is_owned(project) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
    if is_owned(project) and path.exists():
        if kind not in STOPPING:
            return Sent(request=request, folder=folder)
        raise ControlRefused(
            f"The run has not heard it within {_WAIT_SECONDS:g} s; it will at its next safe point.",
            "See how it stands with: dualgate status",
        )
    path.unlink(missing_ok=True)  # the run may have ended by itself before it read the request
    state = load_state(folder)
    if not _is_done(kind, state):
        raise _ended_first(folder)
    return Stopped(kind=kind, state=state, folder=folder)


def _ended_first(folder: Path) -> ControlRefused:
    status = load_state(folder).status
    return ControlRefused(f"The run ended by itself before it heard it: {status}.", "See: dualgate status")


def _is_done(kind: RequestKind, state: LoopState) -> bool:
    """Whether the stop took effect. A session whose breaker waits is not paused, but its run has ended."""
    if kind not in PAUSING:
        return state.ended_by is Decision.ABORTED
    return state.status is Status.PAUSED or trial_after(state) is not None


def _change(requester: Requester, kind: RequestKind, text: str, target: str) -> Sent | Recorded:
    """Ask the running session; if none runs, record the event."""
    if not is_running(requester):
        return record(requester, kind, text, target)
    request = requester.request(kind, text, target)
    path = _heard(requester, request)
    if path is None or (path.exists() and not is_owned(requester.host.project)):
        # the run ended before it took the request up
        if path is not None:
            path.unlink(missing_ok=True)
        return record(requester, kind, text, target)
    return Sent(request=request, folder=requester.folder)


def _heard(requester: Requester, request: Request) -> Path | None:
    """Send a request, and wait until the run has heard it: the run looks at the process that sends it."""
    deadline = time.monotonic() + _HEARD_SECONDS

    def waits() -> bool:
        if not is_owned(requester.host.project):
            return False
        if time.monotonic() > deadline:
            raise ControlRefused(
                f"The run has not heard it within {_HEARD_SECONDS:g} s, so it is withdrawn.",
                "See how it stands with 'dualgate status', and try again.",
            )
        time.sleep(_POLL_SECONDS)
        return True

    return send(requester.folder, request, waits)
