"""Where sessions lie, who owns a work tree, and how a finished session makes room for the next."""

import fcntl
import json
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from dualgate.core.machine.controls import ways_on
from dualgate.core.values.events import SessionStarted
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Decision, Status, WayOn
from dualgate.errors import JournalDamaged, SessionLocked, SessionMissing, SessionUnfinished, SettingError, StoreFailed
from dualgate.store.account import read_account
from dualgate.store.atomic import clear_parts, opened, read_whole, refused
from dualgate.store.call_files import CALLS, pack_calls
from dualgate.store.journal import FORGED
from dualgate.store.lines import CHECKPOINT, JOURNAL
from dualgate.store.owners import described, epoch_of, is_alive, read_owner, write_nobody, write_owner
from dualgate.store.projections import PROJECTIONS
from dualgate.store.reading import first_record
from dualgate.store.requests import REQUESTS
from dualgate.store.seals import move_seal, read_seal, seal_place

SETUP = "setup"
RESULTS = "results"
# the journal goes last: until then the folder is known as the session that it is
OF_A_SESSION = (CALLS, SETUP, RESULTS, REQUESTS, "loop-state.json", *PROJECTIONS, CHECKPOINT, JOURNAL)
SNAPSHOTS = "snapshots.db"
PROJECT = re.compile(rb'"project": ?("(?:[^"\\]|\\.)*")')
_OWN_FOLDER = "Give a folder of its own."
LOOKS, LOOK_SECONDS = 20, 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLease:
    """The right to run in a work tree, by the locks of its folders. The epoch grows with every owner."""

    epoch: int
    record: Path

    def renew(self) -> None:
        """The kernel holds the lock for as long as the process lives."""

    def lost(self) -> bool:
        """Whether a newer epoch is recorded. A missing record is no takeover."""
        said = read_owner(self.record)
        return bool(said) and epoch_of(said) != self.epoch


def sessions_home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or Path.home()) / ".bp-sessions"


def session_folder(project: Path, environment: Mapping[str, str]) -> Path:
    """The session of a project: named after its folder, with a hash behind it where another project has the name."""
    if given := environment.get("PRP_SESSION_DIR"):
        folder = (project / given).resolve()
        if project.is_relative_to(folder):
            raise SettingError(f"PRP_SESSION_DIR is {folder}, which holds the project itself.", _OWN_FOLDER)
        if _is_foreign(folder):
            raise SettingError(f"PRP_SESSION_DIR is {folder}, which holds files of somebody else.", _OWN_FOLDER)
        return folder
    home = sessions_home(environment)
    name = project.name or "root"
    plain = home / name
    return plain if _belongs_to(plain, project, environment) else home / f"{name}-{_short_hash(project)}"


def snapshot_store(project: Path, environment: Mapping[str, str]) -> Path:
    """Where the snapshots of a work tree are kept. They are the project's, not one session's, and outlive them."""
    if environment.get("PRP_SESSION_DIR"):
        return session_folder(project, environment) / SNAPSHOTS
    return sessions_home(environment) / ".snapshots" / f"{project.name or 'root'}-{_short_hash(project)}.db"


def setup_store(project: Path, environment: Mapping[str, str]) -> Path | None:
    """Where is kept what was set up for the tests of a work tree; None where the session has a place of its own."""
    if environment.get("PRP_SESSION_DIR"):
        return None
    return sessions_home(environment) / ".set-up" / f"{project.name or 'root'}-{_short_hash(project)}"


def _is_foreign(folder: Path) -> bool:
    """Whether a folder is in use and no session was ever in it."""
    try:
        names = {item.name for item in folder.iterdir()}
    except OSError:
        return False
    ours = {JOURNAL, SNAPSHOTS, "archive"} | {name for name in names if name.startswith("owner-")}
    return bool(names) and names.isdisjoint(ours)


@contextmanager
def owned(project: Path, folder: Path, environment: Mapping[str, str], now: datetime) -> Iterator[FileLease]:
    """Own a work tree and a session folder until the block ends or the process dies.

    The work tree is locked by its own folder, so that another home or session directory does not make another lock.
    """
    with ExitStack() as held:
        with suppress(OSError):
            (sessions_home(environment) / ".owners").mkdir(parents=True, exist_ok=True)
        record = _record_place(project, _made(folder), environment)
        for place in (project, folder):
            _locked(place, record, held)
        clear_parts(record.parent, record.name)
        for each in (folder, folder / CALLS, folder / RESULTS):
            clear_parts(each)
        epoch = epoch_of(read_owner(record)) + 1
        write_owner(record, epoch, folder, now, environment)
        held.callback(_released, record, epoch)
        yield FileLease(epoch=epoch, record=record)


def owner_of(project: Path, environment: Mapping[str, str]) -> dict[str, Any] | None:
    """Who is at work in a work tree, as that run wrote itself down; None where nobody is."""
    if not is_owned(project):
        return None
    said = read_owner(_record_place(project, session_folder(project, environment), environment))
    return said if is_alive(said) else {}


def _released(record: Path, epoch: int) -> None:
    """Before the locks go. A place that cannot be written any more is no reason to fail: the process ends."""
    with suppress(StoreFailed):
        write_nobody(record, epoch)


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


@contextmanager
def undisturbed(project: Path) -> Iterator[None]:
    """No run begins in a work tree until the block ends; while one is at work there, it is refused."""
    descriptor = os.open(project, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise SessionLocked(
                f"A run is at work in {project}, and its work tree and snapshots are its own until it ends.",
                "Stop it first, with Ctrl+C where it runs; 'dualgate status' says who that is.",
            ) from error
        yield
    finally:
        os.close(descriptor)


def load_state(folder: Path) -> LoopState:
    return read_account(folder).state


def require_room(folder: Path, fresh: bool) -> str | None:
    """The name by which the session in a folder goes into the archive, if there is one and a new one may begin."""
    if not _has_begun(folder):
        return None
    try:
        state = load_state(folder)
    except JournalDamaged as error:
        if not fresh:
            hint = "'dualgate run … --fresh' puts the session in the archive and starts anew."
            raise JournalDamaged(error.message, " ".join(filter(None, (error.next_step, hint)))) from error
        return f"unreadable-{os.getpid()}"
    if not fresh and not _is_over(state):
        raise SessionUnfinished(
            f"The session in {folder} is {state.status} in {state.phase} and was not brought to an end.",
            f"{_way_on(state)} goes on with it; 'dualgate run … --fresh' puts it in the archive and starts anew.",
        )
    return f"{state.started_at:%Y%m%dT%H%M%S}-{state.session_id[:8]}"


def _is_over(state: LoopState) -> bool:
    """Completed or given up; one that halted can go on, unless nobody was asked for anything in it yet."""
    if state.status is Status.HALTED:
        return state.ended_by is Decision.ABORTED or not state.total_agent_calls
    return state.status is Status.COMPLETED


def _way_on(state: LoopState) -> str:
    first = next((way for way, _ in ways_on(state)), WayOn.RESUME)
    commands = {WayOn.RAISE: f"'{state.way_on}'", WayOn.RESET: "'dualgate reset' with 'dualgate resume' after it"}
    return commands.get(first, "'dualgate resume'")


def _has_begun(folder: Path) -> bool:
    """Whether there is a journal with more in it than what a crash left of its first line, or was once."""
    try:
        return b"\n" in read_whole(folder / JOURNAL) or _was_sealed(folder)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True  # why it cannot be read is said by whoever reads it


def _was_sealed(folder: Path) -> bool:
    seal = read_seal(seal_place(folder))
    return seal is not None and seal.seq > 0


def make_room(folder: Path, fresh: bool) -> Path | None:
    """Move a finished session, or with `fresh` any, into the archive beside it. Answers where it went."""
    name = require_room(folder, fresh)
    if name is None:
        return None
    moved = [*(path.name for path in folder.glob(f"{FORGED}-*")), *OF_A_SESSION]
    archive = _made(_free(folder / "archive" / name, [item for item in moved if (folder / item).exists()]))
    move_seal(folder, archive)
    for item in moved:
        if (folder / item).exists():
            (folder / item).rename(archive / item)
    pack_calls(archive)
    return archive


def _free(folder: Path, items: Sequence[str]) -> Path:
    """Where nothing is overwritten: a new name, or that of a move which was cut off before the journal went."""
    names = (folder, *(folder.with_name(f"{folder.name}-{number}") for number in range(2, 1000)))
    return next(name for name in names if not any((name / item).exists() for item in (JOURNAL, *items)))


def _belongs_to(folder: Path, project: Path, environment: Mapping[str, str]) -> bool:
    """Whether a session folder is free, or was last used by this project."""
    journals = [folder / JOURNAL, *sorted(folder.glob(f"archive/*/{JOURNAL}"), reverse=True)]
    for journal in journals:
        try:
            first = first_record(journal.parent)
        except SessionMissing:
            continue
        except JournalDamaged:
            return _was_of(journal, folder, project, environment)
        if first is not None and isinstance(first.event, SessionStarted):
            return first.event.project == _shown(project)
    return True


def _was_of(journal: Path, folder: Path, project: Path, environment: Mapping[str, str]) -> bool:
    """Whether a journal that cannot be read is this project's: it owned the folder last, or the first line says so.

    A session must not seem to be gone because a byte of it is wrong, and nobody may take one that is another's.
    """
    if read_owner(_record_place(project, folder, environment)).get("session") == _shown(folder):
        return True
    with suppress(OSError), opened(journal) as file:
        found = PROJECT.search(file.readline())
        return found is not None and found[1] == json.dumps(_shown(project), ensure_ascii=False).encode()
    return False


def _locked(place: Path, record: Path, held: ExitStack) -> None:
    """Who only looks whether somebody owns it holds it for a moment; that one is waited for, an owner is not."""
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise refused(place, error) from error
    held.callback(os.close, descriptor)
    for attempt in range(LOOKS):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError as error:
            said = read_owner(record)
            if is_alive(said) or attempt == LOOKS - 1:
                raise SessionLocked(
                    f"Another run owns {place}: {described(said)}.",
                    "Watch it with 'dualgate status' or 'dualgate log'; 'dualgate pause' stops it after its turn.",
                ) from error
            time.sleep(LOOK_SECONDS)


def _record_place(project: Path, folder: Path, environment: Mapping[str, str]) -> Path:
    """Where the owner of a work tree is written down: at home, or in the session where there is no home to write to."""
    owners = sessions_home(environment) / ".owners"
    name = f"{_short_hash(project)}.json"
    return owners / name if os.access(owners, os.W_OK) else folder / f"owner-{name}"


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refused(folder, error) from error
    return folder


def _shown(project: Path) -> str:
    """The path as the journal holds it."""
    return str(project).encode("utf-8", "backslashreplace").decode()


def _short_hash(project: Path) -> str:
    return sha256(os.fsencode(project)).hexdigest()[:12]
