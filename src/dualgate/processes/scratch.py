"""Temporary folders outside the project for the input and output of a program."""

import errno
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from dualgate.errors import StoreFailed
from dualgate.processes.folder_lock import lock_folder

# errors of a place that cannot be written
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS})
LEAST_ROOM = 1 << 20
PREFIX, ENDING = "dualgate-", ".scratch"
SETTLED_SECONDS = 60.0
"""A younger folder may not be locked yet."""
MAKE_ROOM = "Make room, or choose another place for temporary files with TMPDIR."


@contextmanager
def scratch_folder(purpose: str, *, measures: bool = False) -> Iterator[Path]:
    """A folder named after its purpose. Raises StoreFailed with its place if nothing can be written there.

    With `measures` also if the disk is full at the end: what a program reported there may be cut, or false.
    """
    place = _place()
    try:
        with (
            tempfile.TemporaryDirectory(
                prefix=f"{PREFIX}{purpose}-", suffix=ENDING, dir=place, ignore_cleanup_errors=True
            ) as name,
            ExitStack() as held,
        ):
            with suppress(OSError):  # a file system may have no locks; there, no folder counts as abandoned
                lock_folder(Path(name), held)
            yield Path(name).resolve()
            if measures and shutil.disk_usage(name).free < LEAST_ROOM:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        raise StoreFailed(f"{place} cannot be written: {error.strerror}.", MAKE_ROOM) from error


def clear_abandoned(older_than: float = SETTLED_SECONDS) -> None:
    """Remove the scratch folders of processes that were killed."""
    with suppress(OSError, StoreFailed), os.scandir(_place()) as found:
        for entry in found:
            if entry.name.startswith(PREFIX) and entry.name.endswith(ENDING):
                with suppress(OSError):
                    _clear(Path(entry.path), older_than)


def _clear(folder: Path, older_than: float) -> None:
    seen = folder.lstat()
    if seen.st_uid != os.geteuid() or time.time() - seen.st_mtime < older_than:
        return
    with ExitStack() as held:
        lock_folder(folder, held)
        shutil.rmtree(folder, ignore_errors=True)


def _place() -> str:
    """The folder for temporary files. Python falls back to the current folder, which may be the project: refused."""
    try:
        place = tempfile.gettempdir()
    except FileNotFoundError as error:
        raise StoreFailed("No place for temporary files can be written.", MAKE_ROOM) from error
    if Path(place) == Path.cwd():
        raise StoreFailed("No place for temporary files outside the project can be written.", MAKE_ROOM)
    return place
