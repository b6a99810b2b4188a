"""Kept sessions as lines for people and as objects for programs."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from dualgate.core.values.vocabulary import Phase, Status
from dualgate.display.snapshots import sized

SHORT = 8


class ShownSession(Protocol):
    """The fields of a session that are shown."""

    @property
    def id(self) -> str: ...
    @property
    def folder(self) -> Path: ...
    @property
    def archived(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    @property
    def project(self) -> str: ...
    @property
    def status(self) -> Status | None: ...
    @property
    def phase(self) -> Phase | None: ...
    @property
    def proven(self) -> bool: ...
    @property
    def started(self) -> datetime | None: ...
    @property
    def last_activity(self) -> datetime | None: ...
    @property
    def alive(self) -> bool: ...
    @property
    def problem(self) -> str: ...


def session_record(session: ShownSession) -> dict[str, Any]:
    return {
        "id": session.id,
        "project": session.project or None,
        "status": session.status and session.status.value,
        "phase": session.phase and session.phase.value,
        "proven": session.proven,
        "started": session.started and session.started.isoformat(),
        "last_activity": session.last_activity and session.last_activity.isoformat(),
        "bytes": session.bytes,
        "alive": session.alive,
        "archived": session.archived,
        "folder": str(session.folder),
        "problem": session.problem or None,
    }


def session_lines(sessions: Sequence[ShownSession], with_projects: bool) -> Iterator[str]:
    if not sessions:
        yield "There is no session here. Start one with: dualgate run SPEC …"
        return
    yield f"{'ID':{SHORT}}  {'place':7}  {'begun':16}  {'last event':16}  {'size':>7}  standing"
    for session in sessions:
        place = "archive" if session.archived else "present"
        project = f"  {session.project or session.folder}" if with_projects else ""
        last = f"{session.last_activity:%Y-%m-%d %H:%M}" if session.last_activity else f"{'-':16}"
        yield (
            f"{session.id[:SHORT]:{SHORT}}  {place}  {_started(session)}  {last}  {sized(session.bytes):>7}  "
            f"{_status_text(session)}{project}"
        )
    count = "1 session" if len(sessions) == 1 else f"{len(sessions)} sessions"
    yield f"{count}, {sized(sum(session.bytes for session in sessions))}"


def _started(session: ShownSession) -> str:
    return f"{session.started:%Y-%m-%d %H:%M}" if session.started else f"{'-':16}"


def _status_text(session: ShownSession) -> str:
    if session.problem:
        return f"cannot be read: {session.problem}"
    match session.status:
        case Status.COMPLETED:
            return "completed and proven" if session.proven else "completed, not proven"
        case Status.RUNNING if not session.alive:
            return f"interrupted in {session.phase}: its process is gone"
        case _:
            return f"{session.status} in {session.phase}"
