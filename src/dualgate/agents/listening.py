"""A file that grows -> each of its bytes once, as they come: nothing is read or parsed a second time at the end."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

CHUNK = 1 << 20
# how much is heard at once while a program runs: a flood must not keep a stop or a deadline waiting
AT_ONCE = 16 << 20
# more than this is no answer
ALL = 1 << 30


class Listener:
    def __init__(self, path: Path, hear: Callable[[bytes], None]) -> None:
        self._path = path
        self._hear = hear
        self._descriptor: int | None = None
        self._at = 0

    def catch_up(self, most: int = AT_ONCE) -> None:
        """Hear what was written since the last time, or the next part of it."""
        end = self._at + most
        while self._at < end and (chunk := self._next(min(CHUNK, end - self._at))):
            self._at += len(chunk)
            self._hear(chunk)

    def hear_out(self, limit: int = ALL) -> None:
        """Hear the rest of what will not grow any more, but nothing of it behind `limit`: no flood is heard out."""
        self.catch_up(max(0, limit - self._at))

    def __enter__(self) -> "Listener":
        return self

    def __exit__(self, *_: object) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _next(self, size: int) -> bytes:
        if self._descriptor is None:
            with suppress(FileNotFoundError):
                self._descriptor = os.open(self._path, os.O_RDONLY)
        if self._descriptor is None:
            return b""
        # who writes to /dev/stdout by that name begins the file anew
        if os.fstat(self._descriptor).st_size < self._at:
            self._at = 0
        return os.pread(self._descriptor, size, self._at)
