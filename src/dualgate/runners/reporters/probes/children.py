"""Forks of the test process: limited, in a session of their own, and telling their parent lines through a pipe."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import time
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

FILE_LIMIT = 1 << 30
POLL = 0.05
ENDED, TIMED_OUT, BROKE_OFF = "ended", "timed out", "broke off"


class Line:
    """The child's end."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.owner = os.getpid()

    def tell(self, **values: Any) -> None:
        # a fork that the tests make has a copy, and must not write
        if os.getpid() != self.owner:
            return
        data = json.dumps(values).encode("ascii") + b"\n"
        while data:
            data = data[os.write(self.descriptor, data) :]

    def end(self) -> None:
        self.tell(end=True)
        os._exit(0)


class Child:
    """The parent's end."""

    def __init__(self, pid: int, descriptor: int) -> None:
        self.pid = pid
        self.descriptor = descriptor
        self.rest = b""
        self.ended = False
        self.status: int | None = None

    def follow(self, deadline: float, listen: Callable[[dict[str, Any]], None]) -> str:
        """Read its lines until it ends or the time is over. Nothing of it is left afterwards."""
        try:
            while not self.ended and time.monotonic() < deadline:
                wait = min(POLL, max(0.0, deadline - time.monotonic()))
                if select.select([self.descriptor], [], [], wait)[0]:
                    if not self._read(listen):
                        break
                elif self._is_gone():
                    while select.select([self.descriptor], [], [], 0)[0] and self._read(listen):
                        pass
                    break
            is_late = not self.ended and time.monotonic() >= deadline
        finally:
            self.kill()
        if self.ended:
            return ENDED
        by_signal = os.WTERMSIG(self.status) if self.status is not None and os.WIFSIGNALED(self.status) else 0
        return TIMED_OUT if is_late or by_signal == signal.SIGXCPU else BROKE_OFF

    def _read(self, listen: Callable[[dict[str, Any]], None]) -> bool:
        block = os.read(self.descriptor, 1 << 16)
        *lines, self.rest = (self.rest + block).split(b"\n")
        for line in lines:
            told = json.loads(line)
            if told.get("end"):
                self.ended = True
            else:
                listen(told)
        return bool(block)

    def _is_gone(self) -> bool:
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
        return self.status is not None

    def kill(self) -> None:
        """End its whole group."""
        if not self.ended and self.status is None:
            # it may have closed its pipe a moment before it ends by itself, and its status tells why
            for _ in range(10):
                if self._is_gone():
                    break
                select.select([], [], [], POLL / 5)
        with suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
        if self.status is None:
            with suppress(OSError):
                os.kill(self.pid, signal.SIGKILL)
            self.status = os.waitpid(self.pid, 0)[1]
        os.close(self.descriptor)


def fork(cpu: float | None = None) -> Child | Line:
    """Fork; a Line in the child, a Child in the parent."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Python 3.12 warns of forks where there are threads
        warnings.simplefilter("ignore")
        pid = os.fork()
    if pid:
        os.close(writing)
        return Child(pid, reading)
    os.close(reading)
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_FSIZE, FILE_LIMIT)
    if cpu is not None:
        limit(resource.RLIMIT_CPU, int(cpu) + 1)
    return Line(writing)


def limit(what: int, value: int) -> None:
    _, hard = resource.getrlimit(what)
    resource.setrlimit(what, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def silence() -> None:
    """Send the output to nowhere: nobody reads it, and there may be much."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    os.close(nowhere)
