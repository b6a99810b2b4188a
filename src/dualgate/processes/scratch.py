"""A folder outside the project for what a program is given and says, gone afterwards."""

import errno
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dualgate.errors import StoreFailed

# what a place answers with where nothing can be put, whoever tries
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS})
MAKE_ROOM = "Make room, or choose another place for temporary files with TMPDIR."


@contextmanager
def scratch_folder(purpose: str) -> Iterator[Path]:
    """One that is named after its purpose. Where it cannot be filled, that is said with its place."""
    place = _place()
    try:
        with tempfile.TemporaryDirectory(prefix=f"dualgate-{purpose}-", dir=place, ignore_cleanup_errors=True) as name:
            yield Path(name).resolve()
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        raise StoreFailed(f"{place} cannot be written: {error.strerror}.", MAKE_ROOM) from error


def _place() -> str:
    """Where nothing else can be written, Python would take the folder it stands in, which is the project."""
    try:
        place = tempfile.gettempdir()
    except FileNotFoundError as error:
        raise StoreFailed("No place for temporary files can be written.", MAKE_ROOM) from error
    if Path(place) == Path.cwd():
        raise StoreFailed("No place for temporary files outside the project can be written.", MAKE_ROOM)
    return place
