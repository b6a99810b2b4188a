"""Files that are there whole or not at all."""

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import BinaryIO

from dualgate.errors import StoreFailed

# a file on its way to its name, and the process that wrote it
PART = re.compile(r"\..+\.\d+")


def write_whole(path: Path, content: bytes, synced: bool = False) -> None:
    """Replace a file in one step: a reader sees the old content or the new, and a crash leaves one of them.

    What can be made again from the journal need not be `synced`; what the journal relies on must be before it does.
    """
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}")  # noqa: PTH118 - this is done many times a turn
    try:
        with _made(temporary) as file:
            rest = memoryview(content)
            while rest:  # a disk that is nearly full takes a part, and refuses the next
                rest = rest[file.write(rest) :]
            if synced:
                os.fsync(file.fileno())
        os.replace(temporary, path)  # noqa: PTH105
        if synced:
            _sync_folder(path.parent)
    except OSError as error:
        raise refused(path, error) from error


def _made(temporary: str) -> FileIO:
    """A file to be written, and the folder for it where there is none yet."""
    try:
        return FileIO(temporary, "wb")
    except FileNotFoundError:
        Path(temporary).parent.mkdir(parents=True, exist_ok=True)
        return FileIO(temporary, "wb")


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A file to be read. A pipe or a device in its place, which might never end, is refused and not waited for."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no file", str(path))
        yield file


def read_whole(path: Path) -> bytes:
    with opened(path) as file:
        return file.read()


def marks_of(found: os.stat_result) -> tuple[int, ...]:
    """What changes with every change of a file; the last of them can be set by nobody."""
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _sync_folder(folder: Path) -> None:
    """So that a name is still there after a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def clear_parts(folder: Path, name: str = "") -> None:
    """Remove what writers that were killed left of files, in a folder or of one of its files alone.

    For the owner of the folder: nobody else writes there.
    """
    with suppress(OSError):
        for path in folder.iterdir():
            if PART.fullmatch(path.name) and path.name.startswith(f".{name}"):
                path.unlink(missing_ok=True)


def refused(path: Path, error: OSError) -> StoreFailed:
    return StoreFailed(
        f"{path} cannot be written: {error.strerror}.",
        "Make room or give permission, or choose another place with PRP_SESSION_DIR.",
    )
