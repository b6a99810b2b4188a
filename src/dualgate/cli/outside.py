"""Refuse commands that change a session if they are called from inside a call or a test run, and record the attempt."""

import os
import sys
from pathlib import Path

from dualgate.agents.command import local_now
from dualgate.cli.output import here, our_redactor
from dualgate.core.machine.requests import Request, RequestKind
from dualgate.core.values.events import SessionStarted
from dualgate.errors import ControlRefused, DualgateError, SessionMissing, StoreFailed
from dualgate.processes.origin import origin_of
from dualgate.store.callers import Target, boxes_above, refusing_marks, running_above
from dualgate.store.owners import person
from dualgate.store.reading import first_record
from dualgate.store.requests import ask
from dualgate.store.sessions import session_folder


def require_person(words: str, place: Path | None = None, session: Path | None = None) -> None:
    """Raise ControlRefused if a program of a run calls this command, of which `words` are the name and the arguments.

    `place` is the folder or file that the command changes; without it, that is the folder of a session, by default
    the session of the current folder.
    """
    origin = origin_of(os.getpid())
    if not origin.marks:
        return
    project = here()
    target = Target(project=project, place=place) if place else _session_of(project, session)
    marks = refusing_marks(target, origin)
    if not marks:
        return
    places = tuple(running_above(origin, marks)) or tuple(boxes_above(origin, marks))
    is_recorded = [_is_recorded(place, words) for place in places]
    raise ControlRefused(
        f"'dualgate {words}' was called from inside a call or a test run."
        + (" The attempt is recorded." if any(is_recorded) else ""),
        "Requests come from people. Do the work that the prompt asks for; a person decides about the run.",
    )


def _is_recorded(place: Path, words: str) -> bool:
    try:
        ask(place, request_of(RequestKind.ATTEMPT, words))
    except StoreFailed:
        return False
    return True


def request_of(kind: RequestKind, text: str = "") -> Request:
    """A request of this process."""
    redacted = our_redactor().text(text)
    return Request(kind=kind, at=local_now(), by=person(os.environ), origin=our_origin(), text=redacted)


def our_origin() -> str:
    """The terminal and this process, as the journal names them."""
    try:
        terminal = os.ttyname(sys.stdin.fileno())
    except (OSError, ValueError, AttributeError):
        terminal = "no terminal"
    return f"{terminal}, process {os.getpid()}"


def _session_of(project: Path, given: Path | None) -> Target:
    """The given session, or that of a project; without one the project itself, in which anybody may begin one."""
    folder = given or session_folder(project, os.environ)
    try:
        first = first_record(folder)
    except SessionMissing:
        return Target(project=project, place=project)
    except DualgateError:
        return Target(project=project, place=folder)
    inside = first.event.inside if first and isinstance(first.event, SessionStarted) else ()
    return Target(project=project, place=folder, begun_inside=inside)
