"""Events -> lines in an unlinked file that the runner reads; each signature covers all lines before it."""

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
# events contain no cycles
ENCODE = json.JSONEncoder(check_circular=False, separators=(",", ":")).encode


class Channel:
    """Events wait for the next flush; flushed events survive a crash of this process.

    They are written to mapped memory, since a system call for each test would cost more than the rest of the report.
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
        # a forked child has a copy of this channel and must not write
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
        # write the newline last, since the runner reads at the same time
        self.window[end - size : end - 1] = line
        self.window[end - 1 : end] = b"\n"
        self.written += size

    def give_up(self) -> None:
        """Forget the key and close the file, in a fork that must not report."""
        if not self.owner:
            return
        self.owner = 0
        self.chain = hashlib.blake2b()
        if self.window:
            self.window.close()
        self.window = b""
        os.close(self.descriptor)

    def move(self, needed: int) -> bool:
        """Map the next part of the file. Returns False if the descriptor was closed and its number reused."""
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
    """Claim the first free report of the run; returns its channel and the selected tests, or None.

    The key and the file names are deleted, so that the environment in /proc shows only a folder. The folder has several
    reports, since a command may start several runs one after the other.
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
