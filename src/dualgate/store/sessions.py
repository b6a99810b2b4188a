"""Where sessions lie, who owns a work tree, and how a finished session makes room for the next."""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from dualgate.core.history import SessionStarted
from dualgate.core.state import LoopState
from dualgate.core.vocabulary import Status
from dualgate.errors import JournalDamaged, SessionLocked, SessionMissing, SessionUnfinished, SettingError
from dualgate.store.atomic import refused, write_whole
from dualgate.store.journal import JOURNAL, fold, read_journal

OF_A_SESSION = ("calls", "objects", "loop-state.json", JOURNAL)
OWN_FOLDER = "Give a folder of its own."
FINISHED = frozenset({Status.COMPLETED, Status.HALTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The right to run in a work tree. The number grows with every owner, so that a stale one is known."""

    epoch: int
    record: Path

    def is_current(self) -> bool:
        """Whether nobody has taken over since."""
        return _epoch(_said(self.record)) == self.epoch


def sessions_home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or Path.home()) / ".bp-sessions"


def session_folder(project: Path, environment: Mapping[str, str]) -> Path:
    """The session of a project: named after its folder, with a hash behind it where another project has the name."""
    if given := environment.get("PRP_SESSION_DIR"):
        folder = (project / given).resolve()
        if project.is_relative_to(folder):
            raise SettingError(f"PRP_SESSION_DIR is {folder}, which holds the project itself.", OWN_FOLDER)
        if _is_foreign(folder):
            raise SettingError(f"PRP_SESSION_DIR is {folder}, which holds files of somebody else.", OWN_FOLDER)
        return folder
    home = sessions_home(environment)
    name = project.name or "root"
    plain = home / name
    return plain if _belongs_to(plain, project) else home / f"{name}-{_short_hash(project)}"


def _is_foreign(folder: Path) -> bool:
    """Whether a folder is in use and no session was ever in it."""
    try:
        names = {item.name for item in folder.iterdir()}
    except OSError:
        return False
    ours = {JOURNAL, "archive"} | {name for name in names if name.startswith("owner-")}
    return bool(names) and names.isdisjoint(ours)


@contextmanager
def owned(project: Path, folder: Path, environment: Mapping[str, str], now: datetime) -> Iterator[Owner]:
    """Own a work tree and a session folder until the block ends or the process dies.

    The work tree is locked by its own folder, so that another home or session directory does not make another lock.
    """
    with ExitStack() as held:
        record = _record(project, _made(folder), environment)
        for place in (project, folder):
            _locked(place, record, held)
        epoch = _epoch(_said(record)) + 1
        said = {"epoch": epoch, "pid": os.getpid(), "since": now.isoformat(timespec="seconds")}
        write_whole(record, json.dumps(said).encode())
        yield Owner(epoch=epoch, record=record)


def is_owned(project: Path) -> bool:
    """Whether a run is alive in a work tree."""
    descriptor = os.open(project, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def load_state(folder: Path) -> LoopState:
    return fold(read_journal(folder))


def make_room(folder: Path, fresh: bool) -> Path | None:
    """Move a finished session, or with `fresh` any, into the archive beside it. Answers where it went."""
    if not (folder / JOURNAL).exists():
        return None
    name = f"unreadable-{os.getpid()}"
    try:
        state = load_state(folder)
        name = f"{state.started_at:%Y%m%dT%H%M%S}-{state.session_id[:8]}"
        if state.status not in FINISHED and not fresh:
            raise SessionUnfinished(
                f"The session in {folder} is {state.status} in {state.phase} and was not brought to an end.",
                "Look at it with 'dualgate status'; 'dualgate run … --fresh' puts it in the archive and starts anew.",
            )
    except JournalDamaged as error:
        if not fresh:
            hint = "'dualgate run … --fresh' puts the session in the archive and starts anew."
            raise JournalDamaged(error.message, error.next_step or hint) from error
    archive = _made(folder / "archive" / name)
    # the journal goes last: until then the folder is known as the session that it is
    for item in OF_A_SESSION:
        if (folder / item).exists():
            (folder / item).rename(archive / item)
    return archive


def _belongs_to(folder: Path, project: Path) -> bool:
    """Whether a session folder is free, or was last used by this project."""
    journals = [folder / JOURNAL, *sorted(folder.glob(f"archive/*/{JOURNAL}"), reverse=True)]
    for journal in journals:
        try:
            first = next(read_journal(journal.parent), None)
        except SessionMissing:
            continue
        except JournalDamaged:
            return False
        if first is not None and isinstance(first.event, SessionStarted):
            return first.event.project == _shown(project)
    return True


def _locked(place: Path, record: Path, held: ExitStack) -> None:
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise refused(place, error) from error
    held.callback(os.close, descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        said = _said(record)
        raise SessionLocked(
            f"Another run owns {place}: process {said.get('pid', '?')}, since {said.get('since', '?')}.",
            "Watch it with 'dualgate status' or 'dualgate log'.",
        ) from error


def _record(project: Path, folder: Path, environment: Mapping[str, str]) -> Path:
    """Where the owner of a work tree is written down: at home, or in the session where there is no home to write to."""
    owners = sessions_home(environment) / ".owners"
    with suppress(OSError):
        owners.mkdir(parents=True, exist_ok=True)
    name = f"{_short_hash(project)}.json"
    return owners / name if os.access(owners, os.W_OK) else folder / f"owner-{name}"


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refused(folder, error) from error
    return folder


def _said(record: Path) -> dict[str, Any]:
    try:
        found = json.loads(record.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _epoch(said: Mapping[str, Any]) -> int:
    epoch = said.get("epoch")
    return epoch if isinstance(epoch, int) else 0


def _shown(project: Path) -> str:
    """The path as the journal holds it."""
    return str(project).encode("utf-8", "backslashreplace").decode()


def _short_hash(project: Path) -> str:
    return sha256(os.fsencode(project)).hexdigest()[:12]
