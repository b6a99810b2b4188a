"""Request, LoopState -> events: the run itself carries out a person's requests.

Terminals, dashboards and fleets send the same requests. STOPPING requests act at once, the others between two turns.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from dualgate.core.machine.controls import MANUAL, ControlEvent, refusal, steps_to
from dualgate.core.values.control import Asked, RequestRefused, WaitSkipped
from dualgate.core.values.events import (
    Event,
    GuidanceGiven,
    GuidanceWithdrawn,
    PhaseSkipped,
    SessionAborted,
    SessionPaused,
    SessionReset,
)
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Decision, Phase, Status


class RequestKind(StrEnum):
    PAUSE = "pause"
    PAUSE_NOW = "pause-now"
    ABORT = "abort"
    ABORT_NOW = "abort-now"
    RESET = "reset"
    SKIP = "skip"
    GUIDE = "guide"
    WITHDRAW = "withdraw"
    SKIP_WAIT = "skip-wait"
    ATTEMPT = "attempt"
    """A command that was refused inside a call; the run records it."""


STOPPING = frozenset({RequestKind.PAUSE_NOW, RequestKind.ABORT_NOW})
"""Requests that do not wait for the end of a turn."""
PAUSING = frozenset({RequestKind.PAUSE, RequestKind.PAUSE_NOW})
ENDING = PAUSING | {RequestKind.ABORT, RequestKind.ABORT_NOW}
SKIPPING = frozenset({RequestKind.SKIP_WAIT})
LEADING_ON = frozenset({RequestKind.RESET, RequestKind.SKIP})
"""Requests that let a halted session continue."""
RESUMED = "The session was resumed after it was asked."


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    kind: RequestKind
    at: datetime
    by: str
    """user@host"""
    origin: str = ""
    """The terminal and the process that sent the request."""
    text: str = ""
    """The guidance that is given or withdrawn, or the phase to skip; empty to withdraw all guidance.

    Of an attempt, the words of the command.
    """


def events_of(request: Request, state: LoopState, now: datetime) -> tuple[Event, ...]:
    """Return the journal events for a request; one that does not fit is recorded as refused, so none is lost."""
    asked = Asked(at=request.at, origin=request.origin)
    match request.kind:
        case RequestKind.PAUSE | RequestKind.PAUSE_NOW:
            if state.status is not Status.RUNNING:
                return (refused(request, now, f"The session is {state.status}."),)
            return (SessionPaused(at=now, reason=MANUAL, by=request.by, asked=asked),)
        case RequestKind.ABORT | RequestKind.ABORT_NOW:
            return _fitting(request, state, SessionAborted(at=now, by=request.by, asked=asked))
        case RequestKind.RESET:
            reset = SessionReset(at=now, by=request.by, guidance=request.text, goes_on=True, asked=asked, returns=True)
            return _fitting(request, state, reset)
        case RequestKind.SKIP if request.text not in Phase.__members__:
            return (refused(request, now, f"There is no phase {request.text!r}."),)
        case RequestKind.SKIP:
            skipped = PhaseSkipped(at=now, by=request.by, phase=Phase(request.text), goes_on=True, asked=asked)
            return _fitting(request, state, skipped)
        case RequestKind.GUIDE:
            return _fitting(request, state, GuidanceGiven(at=now, by=request.by, text=request.text, asked=asked))
        case RequestKind.WITHDRAW:
            return _fitting(request, state, GuidanceWithdrawn(at=now, by=request.by, text=request.text, asked=asked))
        case RequestKind.SKIP_WAIT:
            return _fitting(request, state, WaitSkipped(at=now, by=request.by, asked=asked))
        case RequestKind.ATTEMPT:
            return (refused(request, now, "It was refused inside a call already."),)


def is_open(state: LoopState) -> bool:
    """Whether requests made before a halt still apply; after an abort they do not."""
    return state.status is Status.HALTED and state.ended_by is not Decision.ABORTED


def _fitting(request: Request, state: LoopState, event: ControlEvent) -> tuple[Event, ...]:
    reason = refusal(state, event)
    return steps_to(state, event) if reason is None else (refused(request, event.at, reason),)


def refused(request: Request, now: datetime, reason: str) -> RequestRefused:
    asked = Asked(at=request.at, origin=request.origin)
    return RequestRefused(at=now, by=request.by, request=request.kind, reason=reason, asked=asked)
