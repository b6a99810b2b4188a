"""Ownership of a work tree: one run at a time, by locks on its folders."""

import fcntl
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from dualgate.errors import SessionLocked, StoreFailed
from dualgate.processes.private import close_to_others, close_whole, make_private
from dualgate.store.atomic import clear_parts, refused
from dualgate.store.call_files import CALLS
from dualgate.store.home import sessions_home
from dualgate.store.neighbours import require_alone
from dualgate.store.owners import (
    OWNERS,
    described,
    epoch_of,
    is_alive,
    is_owned,
    read_owner,
    write_nobody,
    write_owner,
)
from dualgate.store.sessions import RESULTS, made, record_place, session_folder

LOOKS, LOOK_SECONDS = 20, 0.05
LOOKS_OF_OTHERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLease:
    """The right to run in a work tree. The epoch grows with every owner."""

    epoch: int
    record: Path

    def renew(self) -> None:
        """Does nothing: the kernel holds the lock as long as the process lives."""

    def lost(self) -> bool:
        """Whether another epoch is recorded. A missing record is no takeover."""
        said = read_owner(self.record)
        return bool(said) and epoch_of(said) != self.epoch


@contextmanager
def owned(project: Path, folder: Path, environment: Mapping[str, str], now: datetime) -> Iterator[FileLease]:
    """Own a work tree and a session folder until the block ends or the process dies.

    The work tree is locked by its own folder, so that the lock is the same for any home or session directory.
    """
    with ExitStack() as held:
        with suppress(OSError):
            make_private(sessions_home(environment) / OWNERS)
        record = record_place(project, made(folder), environment)
        for place in (sessions_home(environment), *sessions_home(environment).glob(".*/")):
            close_to_others(place)
        close_whole(folder)
        for place in (project, folder):
            _locked(place, record, held)
        clear_parts(record.parent, record.name)
        for each in (folder, folder / CALLS, folder / RESULTS):
            clear_parts(each)
        epoch = epoch_of(read_owner(record)) + 1
        write_owner(record, epoch, project, folder, now, environment)
        held.callback(_released, record, epoch)
        require_alone(project, environment)  # after the record is there: of two that begin at once, one sees the other
        yield FileLease(epoch=epoch, record=record)


def owner_of(project: Path, environment: Mapping[str, str]) -> dict[str, Any] | None:
    """The owner record of the run in a work tree; None if there is no run, empty if its record is missing or stale."""
    if not is_owned(project):
        return None
    said = read_owner(record_place(project, session_folder(project, environment), environment))
    return said if is_alive(said) else {}


def _released(record: Path, epoch: int) -> None:
    """Clear the owner record before the locks are released. A failed write is ignored: the process ends anyway."""
    with suppress(StoreFailed):
        write_nobody(record, epoch)


@contextmanager
def undisturbed(project: Path) -> Iterator[None]:
    """Keep runs from starting in a work tree until the block ends. Raises SessionLocked if a run is active."""
    descriptor = os.open(project, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            _lock_soon(descriptor)
        except OSError as error:
            raise SessionLocked(
                f"A run is active in {project}: until it ends, only that run may change the work tree and the "
                "snapshots.",
                "Stop it first, with Ctrl+C where it runs; 'dualgate status' shows which run it is.",
            ) from error
        yield
    finally:
        os.close(descriptor)


def _lock_soon(descriptor: int) -> None:
    """Lock a folder. Retry for a moment, since `is_owned` of a dashboard may look just now."""
    for _ in range(LOOKS_OF_OTHERS):
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(LOOK_SECONDS)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _locked(place: Path, record: Path, held: ExitStack) -> None:
    """Lock a folder. Retry, since `is_owned` holds the lock for a moment; fail at once if the owner is alive."""
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
