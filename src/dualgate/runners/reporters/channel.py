"""How a reporter speaks to the runner: lines in a file that has no name any more, each signed with all before it."""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import secrets
from typing import Any

PLACE = "DUALGATE_RUN"
REFUSED = "refused"
WINDOW = 1 << 18
# what is told is never within itself
ENCODE = json.JSONEncoder(check_circular=False, separators=(",", ":")).encode


class Channel:
    """What is put waits for the next flush; what is flushed outlives a crash of this process.

    It is written to mapped memory, since a system call for each test would cost more than all the rest of the report.
    """

    def __init__(self, descriptor: int, key: bytes) -> None:
        self.descriptor = descriptor
        self.file = _identity(descriptor)
        self.owner = os.getpid()
        self.chain = hashlib.blake2b(key=key, digest_size=12)
        self.waiting: list[dict[str, Any]] = []
        self.written = 0
        self.window: Any = b""
        self.begin = 0

    def put(self, event: str, **values: Any) -> None:
        values["event"] = event
        self.waiting.append(values)

    def flush(self) -> None:
        # a forked child holds a copy of all this
        if not self.waiting or os.getpid() != self.owner:
            return
        body = ENCODE(self.waiting).encode("ascii")
        self.waiting.clear()
        self.chain.update(body)
        line = b"%s %s" % (self.chain.hexdigest().encode("ascii"), body)
        size = len(line) + 1
        if self.written - self.begin + size > len(self.window) and not self.move(size):
            return
        end = self.written - self.begin + size
        # the end of the line last, since the runner reads meanwhile
        self.window[end - size : end - 1] = line
        self.window[end - 1 : end] = b"\n"
        self.written += size

    def move(self, needed: int) -> bool:
        """Map the next part of the file; another file may have got the number of a closed descriptor."""
        if _identity(self.descriptor) != self.file:
            return False
        self.begin = self.written - self.written % mmap.ALLOCATIONGRANULARITY
        size = needed + WINDOW
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(self.descriptor, self.begin, size)
        else:
            os.ftruncate(self.descriptor, self.begin + size)
        self.window = mmap.mmap(self.descriptor, size, offset=self.begin)
        return True


def claim() -> tuple[Channel, list[str]] | None:
    """The first free place of the run, and the tests asked for; the key and the names are gone afterwards.

    What /proc still shows of our environment names only a folder. The folder has more than one place, since a command
    may start several runs one after the other.
    """
    folder = os.environ.pop(PLACE, None)
    if folder is None or not os.path.isdir(folder):
        return None
    for name in sorted(name for name in os.listdir(folder) if name.startswith("key-")):
        mine = os.path.join(folder, "taken-" + secrets.token_hex(4))
        try:
            os.rename(os.path.join(folder, name), mine)
        except OSError:
            continue
        return _open(folder, name[len("key-") :], mine)
    os.close(os.open(os.path.join(folder, REFUSED), os.O_CREAT | os.O_WRONLY, 0o600))
    return None


def _open(folder: str, number: str, mine: str) -> tuple[Channel, list[str]]:
    with open(mine, "rb") as file:
        told = json.loads(file.read())
    path = os.path.join(folder, "report-" + number)
    descriptor = os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
    os.unlink(path)
    os.unlink(mine)
    return Channel(descriptor, bytes.fromhex(told["key"])), told["only"]


def _identity(descriptor: int) -> tuple[int, int] | None:
    try:
        found = os.fstat(descriptor)
    except OSError:
        return None
    return found.st_dev, found.st_ino
