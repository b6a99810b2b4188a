"""The process that sent a request: it holds a lock on the request's file until the run has heard it.

The kernel names the holder of a lock, so no program can send a request in the name of another process.
"""

import fcntl
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dualgate.processes.private import make_private
from dualgate.store.atomic import refused

_HEARD = ".heard"
# struct flock: its fields, and the positions of the type and the process id among them
_LAYOUT, _TYPE, _PID = ("hhqqi", 0, 4) if sys.platform == "linux" else ("qqihh", 3, 2)
_ELSEWHERE = 0
"""The id that the kernel gives for a process outside of our container."""


@contextmanager
def sent(path: Path, content: bytes) -> Iterator[None]:
    """Write a file, and hold its lock until the block ends. It is locked before it has its name."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        make_private(path.parent)
        # closing any descriptor of the file releases the lock, so there is only this one
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError as error:
        raise refused(path, error) from error
    try:
        os.write(descriptor, content)
        with suppress(OSError):  # a file system without locks: the run sees no sender
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        temporary.replace(path)
        yield
    except OSError as error:
        raise refused(path, error) from error
    finally:
        os.close(descriptor)
        heard_place(path).unlink(missing_ok=True)


def sender_of(path: Path) -> int | None:
    """The id of the process that holds the lock of a request; None if no process does.

    0 if it is outside of this container, where a program of the run cannot be.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        asked = [0] * 5
        asked[_TYPE] = fcntl.F_WRLCK
        found = struct.unpack(_LAYOUT, fcntl.fcntl(descriptor, fcntl.F_GETLK, struct.pack(_LAYOUT, *asked)))
    except OSError:
        return None
    finally:
        os.close(descriptor)
    is_locked = found[_TYPE] != fcntl.F_UNLCK
    return max(_ELSEWHERE, int(found[_PID])) if is_locked else None


def acknowledge(path: Path) -> None:
    """Tell the sender of a request that the run has heard it."""
    with suppress(OSError):
        heard_place(path).touch(mode=0o600)


def heard_place(path: Path) -> Path:
    """The file whose existence tells the sender that the run has heard a request."""
    return path.with_name(f".{path.name}{_HEARD}")
