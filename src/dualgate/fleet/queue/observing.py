"""The work tree of a job -> how its session stands."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from dualgate.core.queue.standing import can_resume, job_standing
from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.queue import Job, JobStood
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState
from dualgate.errors import DualgateError, JournalDamaged, SessionMissing
from dualgate.fleet.queue.ownership import is_work_on
from dualgate.session.spec_file import spec_of
from dualgate.store.account import read_account
from dualgate.store.lease import owner_of
from dualgate.store.owners import is_owned
from dualgate.store.reading import journal_mark
from dualgate.store.sessions import session_folder
from dualgate.store.worktree_records import WorktreeState, read_record


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The folder in which the runs of a job work, and its branch."""

    folder: Path
    branch: str
    start: str
    """The commit that the worktree was made from."""


def place_of(main: Path, job: Job, environment: Mapping[str, str]) -> Place | None:
    """The worktree of a job of a repository; None before it is made and after it is removed."""
    record = read_record(main, job.id, environment)
    if record is None or record.state is not WorktreeState.READY or not record.is_there or not record.folder.is_dir():
        return None
    return Place(folder=record.folder, branch=record.branch, start=record.commit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A session as its journal describes it."""

    state: LoopState
    spec_changed: bool


class Sessions(Protocol):
    """The sessions of the jobs of a queue."""

    def stood(self, job: Job, alive: bool, at: datetime) -> JobStood | None:
        """How a job stands; None if it has no session yet. Raises JournalDamaged if its journal cannot be read."""
        ...

    def resumable(self, job: Job, retry: bool) -> bool: ...

    def start_of(self, job: Job) -> str:
        """The commit that the worktree of a job was made from; empty if there is none."""
        ...

    def seen(self, job: Job) -> Seen | None:
        """The session of a job; None if it has none. Raises JournalDamaged if its journal cannot be read."""
        ...

    def is_own(self, job: Job, text: str) -> bool:
        """Whether the session in a job's worktree is the work on its specification, whose text this is."""
        ...


class Observer:
    """Reads the journals of jobs, each only if it changed."""

    def __init__(self, main: Path, environment: Mapping[str, str], redactor: Redactor) -> None:
        self._main = main
        self._environment = environment
        self._redactor = redactor
        self._known: dict[str, tuple[tuple[int, int, int], Seen]] = {}

    def stood(self, job: Job, alive: bool, at: datetime) -> JobStood | None:
        """How a job stands; None if it has no session yet. Raises JournalDamaged if its journal cannot be read."""
        seen = self.seen(job)
        if seen is None:
            return None
        stood = job_standing(job.id, seen.state, alive, seen.spec_changed and not alive, at)
        place = place_of(self._main, job, self._environment)
        return replace(stood, worktree=str(place.folder), branch=place.branch) if place else stood

    def resumable(self, job: Job, retry: bool) -> bool:
        try:
            seen = self.seen(job)
        except JournalDamaged:
            return False
        return seen is not None and not seen.spec_changed and can_resume(seen.state, retry)

    def start_of(self, job: Job) -> str:
        place = place_of(self._main, job, self._environment)
        return place.start if place else ""

    def is_own(self, job: Job, text: str) -> bool:
        place = place_of(self._main, job, self._environment)
        return place is None or is_work_on(place.folder, job.spec, text, self._environment, self._redactor)

    def seen(self, job: Job) -> Seen | None:
        place = place_of(self._main, job, self._environment)
        if place is None:
            return None
        folder = session_folder(place.folder, self._environment)
        try:
            mark = journal_mark(folder)
            known = self._known.get(job.id)
            if known is None or known[0] != mark:
                account = read_account(folder)
                changes = spec_of(account.cut_off, self._redactor).changes()
                known = self._known[job.id] = (mark, Seen(state=account.state, spec_changed=bool(changes)))
        except SessionMissing:
            return None
        return known[1]


def is_running(main: Path, job: Job, environment: Mapping[str, str]) -> bool:
    """Whether a run is alive in the worktree of a job, whoever started it."""
    place = place_of(main, job, environment)
    try:
        return place is not None and is_owned(place.folder)
    except OSError:
        return False


def running_pid(main: Path, job: Job, environment: Mapping[str, str]) -> int | None:
    place = place_of(main, job, environment)
    try:
        owner = owner_of(place.folder, environment) if place else None
    except (OSError, DualgateError):
        return None
    pid = (owner or {}).get("pid")
    return pid if isinstance(pid, int) else None
