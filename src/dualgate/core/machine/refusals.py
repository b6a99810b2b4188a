"""Request -> the refusal of one that no person sent, and the violation that it is."""

from dataclasses import replace
from datetime import datetime

from dualgate.core.machine.requests import Request, RequestKind, refused
from dualgate.core.values.changes import REQUEST, Violation
from dualgate.core.values.control import RequestRefused
from dualgate.core.values.notation import in_line
from dualgate.core.values.vocabulary import Phase

INSIDE = "requests come from people; a program inside a call or a test run sent this one"
UNSENT = "requests are sent by commands of dualgate; no command sent this one"
_WORDS_LENGTH = 200


def refused_inside(request: Request, now: datetime, reason: str) -> RequestRefused:
    """The refusal of a request that no person sent."""
    words = request.text if request.kind is RequestKind.ATTEMPT else f"{request.kind} {request.text}"
    told = in_line(words.strip())[:_WORDS_LENGTH]
    return replace(refused(request, now, reason), request=told, inside=True)


def violation_of(event: RequestRefused, phase: Phase) -> Violation:
    """A refused request as a violation, by which it reaches the next prompt and the reviewer."""
    return Violation(path=f"{REQUEST}{event.request}", rule=event.reason, phase=phase, reverted=False)
