"""Temporary folders outside the project for the input and output of a program."""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dualgate.errors import StoreFailed

# errors of a place that cannot be written
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS})
LEAST_ROOM = 1 << 20
MAKE_ROOM = "Make room, or choose another place for temporary files with TMPDIR."


@contextmanager
def scratch_folder(purpose: str, *, measures: bool = False) -> Iterator[Path]:
    """A folder named after its purpose. Raises StoreFailed with its place if nothing can be written there.

    With `measures` also if the disk is full at the end: what a program reported there may be cut, or false.
    """
    place = _place()
    try:
        with tempfile.TemporaryDirectory(prefix=f"dualgate-{purpose}-", dir=place, ignore_cleanup_errors=True) as name:
            yield Path(name).resolve()
            if measures and shutil.disk_usage(name).free < LEAST_ROOM:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        raise StoreFailed(f"{place} cannot be written: {error.strerror}.", MAKE_ROOM) from error


def _place() -> str:
    """The folder for temporary files. Python falls back to the current folder, which may be the project: refused."""
    try:
        place = tempfile.gettempdir()
    except FileNotFoundError as error:
        raise StoreFailed("No place for temporary files can be written.", MAKE_ROOM) from error
    if Path(place) == Path.cwd():
        raise StoreFailed("No place for temporary files outside the project can be written.", MAKE_ROOM)
    return place
