"""Request, LoopState -> events: the run itself carries out a person's requests.

Terminals, dashboards and fleets send the same requests. STOPPING requests act at once, the others between two turns.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from dualgate.core.machine.controls import MANUAL, ControlEvent, refusal, steps_to
from dualgate.core.values.approvals import AmendmentAnswered, QuestionAnswered, WorkApproved, WorkRejected
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
    APPROVE = "approve"
    REJECT = "reject"
    ANSWER = "answer"
    ATTEMPT = "attempt"
    """A command that was refused inside a call; the run records it."""


STOPPING = frozenset({RequestKind.PAUSE_NOW, RequestKind.ABORT_NOW})
"""Requests that do not wait for the end of a turn."""
PAUSING = frozenset({RequestKind.PAUSE, RequestKind.PAUSE_NOW})
ENDING = PAUSING | {RequestKind.ABORT, RequestKind.ABORT_NOW}
SKIPPING = frozenset({RequestKind.SKIP_WAIT})
DECIDING = frozenset({RequestKind.APPROVE, RequestKind.REJECT, RequestKind.ANSWER})
"""A person's decisions on what waits for them."""
LEADING_ON = DECIDING | {RequestKind.RESET, RequestKind.SKIP}
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
    """The guidance that is given or withdrawn, the phase to skip, the reason of a rejection, or an answer.

    Empty to withdraw all guidance. Of an attempt, the words of the command.
    """
    target: str = ""
    """The test whose amendment is approved or rejected; empty for finished work."""


def events_of(request: Request, state: LoopState, now: datetime) -> tuple[Event, ...]:
    """Return the journal events for a request; one that does not fit is recorded as refused, so none is lost."""
    match request.kind:
        case RequestKind.PAUSE | RequestKind.PAUSE_NOW:
            if state.status is not Status.RUNNING:
                return (refused(request, now, f"The session is {state.status}."),)
            return (SessionPaused(at=now, reason=MANUAL, by=request.by, asked=_asked(request)),)
        case RequestKind.SKIP if request.text not in Phase.__members__:
            return (refused(request, now, f"There is no phase {request.text!r}."),)
        case RequestKind.ATTEMPT:
            return (refused(request, now, "It was refused inside a call already."),)
        case _:
            event = control_of(request, state, now, goes_on=True)
            reason = refusal(state, event)
            return steps_to(state, event) if reason is None else (refused(request, event.at, reason),)


def control_of(request: Request, state: LoopState, now: datetime, *, goes_on: bool) -> ControlEvent:
    """The event that carries out a request that neither pauses nor was an attempt inside a call.

    `goes_on` says whether a run reads it, which continues at once.
    """
    who: Mapping[str, Any] = {"at": now, "by": request.by, "asked": _asked(request)}
    leads: Mapping[str, Any] = {**who, "goes_on": goes_on}
    made: Mapping[RequestKind, Callable[[], ControlEvent]] = {
        RequestKind.RESET: lambda: SessionReset(**leads, guidance=request.text, returns=True),
        RequestKind.SKIP: lambda: PhaseSkipped(**leads, phase=Phase(request.text)),
        RequestKind.GUIDE: lambda: GuidanceGiven(**who, text=request.text),
        RequestKind.WITHDRAW: lambda: GuidanceWithdrawn(**who, text=request.text),
        RequestKind.SKIP_WAIT: lambda: WaitSkipped(**who),
        RequestKind.APPROVE: lambda: (
            AmendmentAnswered(**leads, test_id=request.target, approved=True)
            if request.target
            else WorkApproved(**who, tree=state.finished_tree)
        ),
        RequestKind.REJECT: lambda: (
            AmendmentAnswered(**leads, test_id=request.target, approved=False, reason=request.text)
            if request.target
            else WorkRejected(**who, reason=request.text, tree=state.finished_tree)
        ),
        RequestKind.ANSWER: lambda: QuestionAnswered(**leads, text=request.text),
    }
    return made.get(request.kind, lambda: SessionAborted(**who))()


def _asked(request: Request) -> Asked:
    return Asked(at=request.at, origin=request.origin)


def is_open(state: LoopState) -> bool:
    """Whether requests made before a halt still apply; after an abort they do not."""
    return state.status is Status.HALTED and state.ended_by is not Decision.ABORTED


def refused(request: Request, now: datetime, reason: str) -> RequestRefused:
    return RequestRefused(at=now, by=request.by, request=request.kind, reason=reason, asked=_asked(request))
