"""Where sessions lie, who owns a work tree, and how a finished session makes room for the next."""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from dualgate.core.history import SessionStarted
from dualgate.core.state import LoopState
from dualgate.core.vocabulary import Status
from dualgate.errors import SessionLocked, SessionMissing, SessionUnfinished
from dualgate.store.atomic import refused
from dualgate.store.journal import JOURNAL, fold, read_journal

FINISHED = frozenset({Status.COMPLETED, Status.HALTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The right to run in a work tree. The number grows with every owner, so that a stale one is known."""

    epoch: int
    descriptor: int
    path: Path

    def is_current(self) -> bool:
        """Whether the lock that is held is still the one that others see."""
        try:
            return os.path.samestat(os.fstat(self.descriptor), self.path.stat())
        except OSError:
            return False


def sessions_home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or Path.home()) / ".bp-sessions"


def session_folder(project: Path, environment: Mapping[str, str]) -> Path:
    """The session of a project: named after its folder, with a hash behind it where another project has the name."""
    if given := environment.get("PRP_SESSION_DIR"):
        return (project / given).resolve()
    home = sessions_home(environment)
    name = project.name or "root"
    plain = home / name
    return plain if _belongs_to(plain, project) else home / f"{name}-{_short_hash(project)}"


@contextmanager
def owned(project: Path, environment: Mapping[str, str], now: datetime) -> Iterator[Owner]:
    """Own a work tree, by its real path, until the block ends or the process dies."""
    path = sessions_home(environment) / ".owners" / f"{_short_hash(project)}.lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise refused(path, error) from error
    try:
        written = os.pread(descriptor, 4096, 0)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise _locked(project, written) from error
        epoch = _said(written).get("epoch", 0) + 1
        said = json.dumps({"epoch": epoch, "pid": os.getpid(), "since": now.isoformat(timespec="seconds")})
        os.pwrite(descriptor, said.encode().ljust(4096), 0)
        yield Owner(epoch=epoch, descriptor=descriptor, path=path)
    finally:
        os.close(descriptor)


def load_state(folder: Path) -> LoopState:
    return fold(read_journal(folder))


def make_room(folder: Path, fresh: bool) -> Path | None:
    """Move a finished session, or with `fresh` any, into the archive beside it. Answers where it went."""
    if not (folder / JOURNAL).exists():
        return None
    state = load_state(folder)
    if state.status not in FINISHED and not fresh:
        raise SessionUnfinished(
            f"The session in {folder} is {state.status} in {state.phase} and was not brought to an end.",
            "Look at it with 'dualgate status'; 'dualgate run … --fresh' puts it in the archive and starts anew.",
        )
    archive = folder / "archive" / f"{state.started_at:%Y%m%dT%H%M%S}-{state.session_id[:8]}"
    archive.mkdir(parents=True)
    for item in list(folder.iterdir()):
        if item.name != "archive":
            item.rename(archive / item.name)
    return archive


def _belongs_to(folder: Path, project: Path) -> bool:
    """Whether a session folder is free, or was last used by this project."""
    journals = [folder / JOURNAL, *sorted(folder.glob(f"archive/*/{JOURNAL}"), reverse=True)]
    used = next((journal.parent for journal in journals if journal.exists()), None)
    if used is None:
        return True
    try:
        first = next(read_journal(used), None)
    except SessionMissing:
        return True
    return first is not None and isinstance(first.event, SessionStarted) and first.event.project == str(project)


def _locked(project: Path, written: bytes) -> SessionLocked:
    said = _said(written)
    return SessionLocked(
        f"Another run owns {project}: process {said.get('pid', '?')}, since {said.get('since', '?')}.",
        "Watch it with 'dualgate status' or 'dualgate log'.",
    )


def _said(written: bytes) -> dict[str, int]:
    try:
        found = json.loads(written)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _short_hash(project: Path) -> str:
    return sha256(os.fsencode(project)).hexdigest()[:12]
