"""List, find and prune the sessions of a project: the current one and those in its archive."""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from dualgate.core.record.metrics import Figures
from dualgate.core.record.session_state import Standing, standing_of
from dualgate.core.values.events import SessionStarted
from dualgate.core.values.suggestion import did_you_mean
from dualgate.core.values.vocabulary import Phase, Status
from dualgate.errors import IllegalTransition, JournalDamaged, SessionMissing, StoreFailed
from dualgate.store.account import begun, carried_on
from dualgate.store.atomic import refused
from dualgate.store.glimpse import Glimpse, glimpse_of, trusted_glimpse
from dualgate.store.home import sessions_home
from dualgate.store.journal import FORGED
from dualgate.store.lines import JOURNAL
from dualgate.store.making_room import OF_A_SESSION
from dualgate.store.owners import is_owned
from dualgate.store.reading import first_record, read_journal
from dualgate.store.seals import remove_seal
from dualgate.store.sessions import owned_folders

ARCHIVE = "archive"
SECONDS_A_DAY = 86400.0
_FINISHED = frozenset({Status.COMPLETED, Status.HALTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """A session in a list. If it cannot be read, `problem` says why, and most other fields are empty."""

    id: str
    folder: Path
    archived: bool
    bytes: int
    project: str = ""
    specification: str = ""
    worktree_of: str = ""
    """The repository, if the project is in a linked git worktree of it."""
    status: Status | None = None
    phase: Phase | None = None
    proven: bool = False
    figures: Figures | None = None
    started: datetime | None = None
    last_activity: datetime | None = None
    alive: bool = False
    """Whether a run is active in the session."""
    waits_for_approval: bool = False
    """Whether its work is finished, and waits for a person."""
    problem: str = ""

    @property
    def finished(self) -> bool:
        return self.status in _FINISHED

    @property
    def standing(self) -> Standing:
        return standing_of(None if self.problem else self.status, self.proven, self.alive)


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """Which archived sessions are kept: the `last` newest, and those younger than `days`."""

    last: int = 20
    days: float = 90.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    gone: tuple[SessionSummary, ...] = ()
    bytes_freed: int = 0


def sessions_in(folder: Path) -> list[SessionSummary]:
    """The current session of a session folder, then its archive, newest first."""
    present = [_listed(folder, archived=False)] if has_journal(folder) else []
    return [*present, *(_listed(place, archived=True) for place in archive_places(folder))]


def every_session(environment: Mapping[str, str]) -> Iterator[SessionSummary]:
    """The sessions of all projects: those in the home folder, and those that PRP_SESSION_DIR put elsewhere."""
    for folder in dict.fromkeys((*folders_in(sessions_home(environment)), *owned_folders(environment))):
        yield from sessions_in(folder)


def folders_in(home: Path) -> list[Path]:
    """The session folders in a folder of sessions; those of other files are hidden."""
    with suppress(OSError), os.scandir(home) as found:
        return sorted(home / each.name for each in found if not each.name.startswith(".") and each.is_dir())
    return []


def places_in(folder: Path) -> Iterator[tuple[Path, bool]]:
    """The places of the sessions in a session folder, each with whether it is in the archive."""
    if has_journal(folder):
        yield folder, False
    with suppress(OSError), os.scandir(folder / ARCHIVE) as found:
        for name in sorted(each.name for each in found):
            if has_journal(folder / ARCHIVE / name):
                yield folder / ARCHIVE / name, True


def has_journal(folder: Path) -> bool:
    """Whether there is a session. A folder that is closed to us may hold one: it must not look missing."""
    try:
        return (folder / JOURNAL).exists()
    except OSError:
        return True


def find_session(known: Sequence[SessionSummary], name: str) -> SessionSummary:
    """Find a session by its id, a prefix of it, or the name of its archive folder."""
    fitting = [each for each in known if name and (each.id.startswith(name) or each.folder.name == name)]
    if not fitting:
        meant = did_you_mean(name, (each.id[: max(len(name), 8)] for each in known))
        raise SessionMissing(f"There is no session '{name}' here.", f"{meant}'dualgate sessions --all' lists them all.")
    if len({each.folder for each in fitting}) > 1:
        ids = ", ".join(each.folder.name for each in fitting[:5])
        raise SessionMissing(f"'{name}' begins the ids of several sessions: {ids}.", "Give more characters of the id.")
    return fitting[0]


def session_named(folder: Path, name: str, environment: Mapping[str, str]) -> SessionSummary:
    """Find a session by name in a session folder and its archive, else in all projects."""
    own = sessions_in(folder)
    try:
        return find_session(own, name)
    except SessionMissing:
        return find_session([*own, *every_session(environment)], name)


def prune(folder: Path, keep: Keep, now: datetime) -> Pruned:
    """Delete archived sessions that the policy does not keep, but never unfinished or unreadable ones."""
    old = [place for place in archive_places(folder)[keep.last :] if _age(place, now) >= keep.days * SECONDS_A_DAY]
    gone = tuple(each for place in old if (each := _described(place, archived=True)).finished)
    for each in gone:
        _remove(each.folder)
    return Pruned(gone=gone, bytes_freed=sum(each.bytes for each in gone))


def tidy(folder: Path, keep: Keep, now: datetime) -> None:
    """Prune at the start of a run. A failed deletion does not stop the run."""
    with suppress(StoreFailed):
        prune(folder, keep, now)


def archive_places(folder: Path) -> list[Path]:
    """Archived folders, newest first by the last write to their journals, which a move does not change."""
    journals = folder.glob(f"{ARCHIVE}/*/{JOURNAL}")
    dated = [(_written(path.parent), path.parent.name, path.parent) for path in journals]
    return [place for _, _, place in sorted(dated, reverse=True)]


def _written(place: Path) -> float:
    try:
        return (place / JOURNAL).stat().st_mtime
    except OSError:
        return 0.0


def _age(place: Path, now: datetime) -> float:
    return now.timestamp() - _written(place)


def _listed(folder: Path, archived: bool) -> SessionSummary:
    """A session by the files beside its journal, if these are up to date; otherwise by the journal."""
    with suppress(JournalDamaged, SessionMissing):
        first = first_record(folder)
        glimpse = trusted_glimpse(folder)
        if first is not None and isinstance(first.event, SessionStarted) and glimpse is not None:
            return with_glimpse(begun_summary(_bare(folder, archived), first.event), glimpse)
    return _described(folder, archived)


def _described(folder: Path, archived: bool) -> SessionSummary:
    """A session by its journal, every line of which is read and checked."""
    bare = _bare(folder, archived)
    try:
        records = read_journal(folder)
        first = next(records, None)
        if first is None or not isinstance(first.event, SessionStarted):
            return replace(bare, problem="Its journal does not begin with the start of a session.")
        bare = begun_summary(bare, first.event)
        account = carried_on(begun(first.event), records)
    except (JournalDamaged, SessionMissing, IllegalTransition) as error:
        return replace(bare, problem=error.message)
    return with_glimpse(bare, glimpse_of(account))


def _bare(folder: Path, archived: bool) -> SessionSummary:
    return SessionSummary(id=folder.name, folder=folder, archived=archived, bytes=size_of(folder))


def size_of(folder: Path) -> int:
    """The bytes of a session."""
    return sum(_size(folder / name) for name in OF_A_SESSION)


def begun_summary(bare: SessionSummary, event: SessionStarted) -> SessionSummary:
    """A summary with what the start of a session says."""
    return replace(
        bare,
        id=event.session_id,
        project=event.project,
        specification=event.prp_file,
        started=event.at,
        worktree_of=event.worktree_of,
    )


def with_glimpse(bare: SessionSummary, glimpse: Glimpse) -> SessionSummary:
    """A summary with the figures of a session, and whether a run is active in it."""
    figures = glimpse.figures
    return replace(
        bare,
        status=figures.status,
        phase=figures.phase,
        proven=figures.proven,
        figures=figures,
        last_activity=figures.last_activity,
        alive=not bare.archived and is_at_work(bare.project),
        waits_for_approval=glimpse.waits_for_approval,
    )


def is_at_work(project: str) -> bool:
    """Whether a run is alive in a project, by its path as the journal has it."""
    try:
        return Path(project).is_dir() and is_owned(Path(project))
    except (OSError, ValueError):  # it is not ours to open, or no path at all
        return False


def _size(path: Path) -> int:
    """The bytes of a file, or of all files in a folder; files that vanish meanwhile count as 0."""
    total = 0
    with suppress(OSError):
        if path.is_symlink() or not path.is_dir():
            return path.lstat().st_size
    for folder, _, names in os.walk(path):
        for name in names:
            with suppress(OSError):
                total += (Path(folder) / name).lstat().st_size
    return total


def _remove(folder: Path) -> None:
    """Delete a session, its journal last: after an interruption it is still listed and is deleted the next time."""
    try:
        for name in OF_A_SESSION:
            path = folder / name
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        remove_seal(folder)
        for forged in folder.glob(f"{FORGED}-*"):
            forged.unlink(missing_ok=True)
        with suppress(OSError):  # files that are not ours stay
            folder.rmdir()
    except OSError as error:
        raise refused(folder, error) from error
