"""dualgate on a pseudo-terminal, and the screen that a person would see."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType

import pyte

PATIENCE = 60.0
# the terminal controls the program, as the one of a shell does
# a shell starts background jobs with these signals ignored, which programs inherit; no terminal does
_START = """\
import fcntl, os, signal, sys, termios
for number in (signal.SIGINT, signal.SIGQUIT):
    signal.signal(number, signal.SIG_DFL)
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, sys.argv[1:])
"""


class PseudoTerminal:
    """A program on a terminal of a size. What it writes is read whenever a test looks at the screen."""

    def __init__(
        self, words: list[str], folder: Path, environment: Mapping[str, str], columns: int = 80, rows: int = 24
    ) -> None:
        self._ours, self._theirs = pty.openpty()
        self.screen = pyte.HistoryScreen(columns, rows, history=1000)
        self._stream = pyte.ByteStream(self.screen)
        self.written = b""
        self._resize(columns, rows)
        self.modes = termios.tcgetattr(self._theirs)
        argv = [sys.executable, "-c", _START, sys.executable, "-m", "dualgate", *words]
        self.process = subprocess.Popen(
            argv,
            cwd=folder,
            env=dict(environment),
            stdin=self._theirs,
            stdout=self._theirs,
            stderr=self._theirs,
            start_new_session=True,
        )

    def __enter__(self) -> "PseudoTerminal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(PATIENCE)
        os.close(self._ours)
        os.close(self._theirs)

    @property
    def text(self) -> str:
        """The screen as it is now, without the empty ends of its lines."""
        self._read(0.0)
        return "\n".join(line.rstrip() for line in self.screen.display).rstrip()

    @property
    def modes_now(self) -> list[object]:
        return termios.tcgetattr(self._theirs)

    def wait_for(self, sign: str | Callable[[str], bool]) -> str:
        """The screen once a text is on it, or once it fits."""
        fits = (lambda text: sign in text) if isinstance(sign, str) else sign
        deadline = time.monotonic() + PATIENCE
        while not fits(shown := self.text):
            assert time.monotonic() < deadline, f"not shown: {sign}\n{shown}"
            assert self.process.poll() is None or fits(self.text), f"ended without: {sign}\n{self.text}"
            self._read(0.05)
        return shown

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        self._read(0.0)
        self.screen.resize(rows, columns)
        self._resize(columns, rows)

    def hang_up(self) -> None:
        """Close the terminal, as its window is closed."""
        os.close(self._ours)
        os.close(self._theirs)
        self._ours, self._theirs = os.open(os.devnull, os.O_RDWR), os.open(os.devnull, os.O_RDWR)

    def ended(self) -> int:
        """The exit code, when the program has ended and all that it wrote is read."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < deadline, self.text
            self._read(0.05)
        self._read(0.1)
        return self.process.returncode

    def _resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _read(self, seconds: float) -> None:
        while select.select([self._ours], [], [], seconds)[0]:
            piece = os.read(self._ours, 65536)
            self.written += piece
            self._stream.feed(piece)
            seconds = 0.0
