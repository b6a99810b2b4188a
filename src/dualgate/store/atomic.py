"""Write files atomically and read them safely."""

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

# a temporary file, named after its target and the process that wrote it
PART = re.compile(r"\..+\.\d+")


def write_whole(path: Path, content: bytes, synced: bool = False) -> None:
    """Replace a file in one step: a reader sees the old content or the new, and a crash leaves one of them.

    Files that can be rebuilt from the journal need no `synced`; files that the journal refers to do, before it does.
    """
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}")  # noqa: PTH118 - this is done many times a turn
    try:
        with _made(temporary) as file:
            rest = memoryview(content)
            while rest:  # a nearly full disk writes a part, and fails at the next write
                rest = rest[file.write(rest) :]
            if synced:
                os.fsync(file.fileno())
        os.replace(temporary, path)  # noqa: PTH105
        if synced:
            _sync_folder(path.parent)
    except OSError as error:
        raise refused(path, error) from error


def _made(temporary: str) -> FileIO:
    """Open a file of the owner alone for writing; create its folder if it is missing."""
    from dualgate.processes.private import make_private, open_private  # a reader of journals needs neither

    try:
        return FileIO(temporary, "wb", opener=open_private)
    except FileNotFoundError:
        make_private(Path(temporary).parent)
        return FileIO(temporary, "wb", opener=open_private)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file for reading. A pipe or device raises OSError, since reading it might never end."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not a file", str(path))
        yield file


def read_whole(path: Path) -> bytes:
    with opened(path) as file:
        return file.read()


def marks_of(found: os.stat_result) -> tuple[int, ...]:
    """Inode, size and times of a file: they differ after any change, and ctime cannot be set by a program."""
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _sync_folder(folder: Path) -> None:
    """Sync a folder, so that a new name in it survives a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def clear_parts(folder: Path, name: str = "") -> None:
    """Remove temporary files that killed writers left in a folder, or only those of the file `name`.

    Only for the owner of the folder: no other process writes there.
    """
    with suppress(OSError):
        for path in folder.iterdir():
            if PART.fullmatch(path.name) and path.name.startswith(f".{name}"):
                path.unlink(missing_ok=True)


def refused(path: Path, error: OSError) -> StoreFailed:
    from dualgate.store.home import QUEUES, WORKTREES  # a reader of journals does not need it

    of_home = not {QUEUES, WORKTREES}.isdisjoint(path.parts)  # these belong to all sessions of a repository
    other = "set HOME to a folder that you can write" if of_home else "choose another place with PRP_SESSION_DIR"
    return StoreFailed(f"{path} cannot be written: {error.strerror}.", f"Make room or give permission, or {other}.")
