"""The records of the worktrees that dualgate made, by repository. They outlive the worktrees."""

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path

import msgspec

from dualgate.errors import SessionLocked
from dualgate.processes.private import make_private, open_private
from dualgate.processes.worktrees import LINK, linked_to, main_work_tree
from dualgate.store.atomic import read_whole, refused, write_whole
from dualgate.store.codec import UNREADABLE
from dualgate.store.home import WORKTREES, own_name, sessions_home


class WorktreeState(StrEnum):
    MAKING = "making"
    READY = "ready"
    REMOVING = "removing"
    REMOVED = "removed"
    RESTORING = "restoring"


CUT_OFF = frozenset({WorktreeState.REMOVING, WorktreeState.RESTORING})
"""States of a worktree whose work is saved already: what is in its folder is a part of it at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorktreeRecord:
    """A worktree: what it was made from, and what of it is kept after it is gone."""

    name: str
    path: str
    repository: str
    """The main work tree of the repository."""
    git_folder: str
    origin: str
    """The checkout that it was made from."""
    project: str
    """The folder of the project, seen from the worktree's root; "." for the root."""
    branch: str
    commit: str
    """The commit that it was made from."""
    made: datetime
    state: WorktreeState = WorktreeState.MAKING
    environment: str = ""
    """The virtual environment that replaces an activated one, seen from the worktree's root."""
    copied: tuple[str, ...] = ()
    shared: Mapping[str, str] = field(default_factory=dict)
    """Virtual environments: the path in the worktree, and the environment whose packages it reads."""
    linked: tuple[str, ...] = ()
    """Folders of packages that are linked one by one."""
    duplicated: tuple[str, ...] = ()
    """Folders of packages that are copied."""
    head: str = ""
    """The commit that was checked out when it was removed."""
    snapshot: str = ""
    """The snapshot of its uncommitted work, taken when it was removed."""
    kept: str = ""
    """The ref of its commits that no branch has, and of its staged content, made when it was removed."""
    format: int = 1

    @property
    def root(self) -> Path:
        return Path(self.path)

    @property
    def folder(self) -> Path:
        """The folder in which its runs work."""
        return self.root / self.project

    @property
    def is_there(self) -> bool:
        """Whether its folder is a worktree of its repository. A person may have removed it, and put another there."""
        return linked_to(self.root) == Path(self.git_folder).resolve()

    @property
    def is_replaced(self) -> bool:
        """Whether something else is in its place. A part of it, which a kill left, may lack the link."""
        if self.state in (WorktreeState.READY, WorktreeState.REMOVED):
            return self.root.exists() and not self.is_there
        return (self.root / LINK).exists() and not self.is_there


def records_folder(repository: Path, environment: Mapping[str, str]) -> Path:
    return sessions_home(environment) / WORKTREES / own_name(repository)


def read_records(repository: Path, environment: Mapping[str, str]) -> list[WorktreeRecord]:
    """The records of a repository by name; `damaged_records` has the others."""
    files = sorted(records_folder(repository, environment).glob("*.json"))
    return [found for file in files if (found := _read(file))]


def damaged_records(repository: Path, environment: Mapping[str, str]) -> dict[str, Path]:
    """The files of records that cannot be read, by the names of the worktrees."""
    files = sorted(records_folder(repository, environment).glob("*.json"))
    return {file.stem: file for file in files if _read(file) is None}


def read_record(repository: Path, name: str, environment: Mapping[str, str]) -> WorktreeRecord | None:
    return _read(records_folder(repository, environment) / f"{name}.json")


def record_at(root: Path, environment: Mapping[str, str]) -> WorktreeRecord | None:
    """The record of the worktree at a folder; None if dualgate did not make it."""
    main = main_work_tree(root)
    found = read_records(main, environment) if main else ()
    return next((each for each in found if each.path == str(root) and each.state is WorktreeState.READY), None)


def write_record(record: WorktreeRecord, environment: Mapping[str, str]) -> None:
    place = records_folder(Path(record.repository), environment) / f"{record.name}.json"
    write_whole(place, msgspec.json.encode(record), synced=True)


def delete_record(record: WorktreeRecord, environment: Mapping[str, str]) -> None:
    place = records_folder(Path(record.repository), environment) / f"{record.name}.json"
    try:
        place.unlink(missing_ok=True)
    except OSError as error:
        raise refused(place, error) from error


@contextmanager
def held(repository: Path, name: str, environment: Mapping[str, str]) -> Iterator[None]:
    """Keep other processes from making, using or removing a worktree until the block ends. A kill releases it."""
    folder = records_folder(repository, environment)
    place = folder / f"{name}.lock"
    try:
        make_private(folder)
        descriptor = open_private(str(place), os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise refused(place, error) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise SessionLocked(
            f"Another run uses the worktree {name} at this moment.",
            f"See it with 'dualgate status --worktree {name}', or give another name.",
        ) from error
    try:
        yield
    finally:
        os.close(descriptor)


def _read(file: Path) -> WorktreeRecord | None:
    with suppress(OSError, *UNREADABLE):
        record = msgspec.json.decode(read_whole(file), type=WorktreeRecord)
        # a name leads to a file and a folder
        return record if record.name == file.stem else None
    return None
