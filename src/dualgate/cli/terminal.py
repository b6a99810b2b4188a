"""Our terminal: lines at its bottom, keys that come from it, and its modes, which are restored in every ending."""

import os
import termios
from collections.abc import Sequence

CLEAR_LINE = "\x1b[K"
CLEAR_BELOW = "\x1b[J"
HIDE_CURSOR, SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"
# a terminal that knows these shows a frame only when it is whole; others ignore them
BEGIN_FRAME, END_FRAME = "\x1b[?2026h", "\x1b[?2026l"


class Terminal:
    """Draws lines below everything else, and keeps the cursor at the beginning of the first of them.

    Wherever a resize moves these lines, the cursor moves with them: all that is below it is ours to clear. Once the
    terminal is lost, nothing more is written and nothing fails.
    """

    def __init__(self, output: int, keyboard: int | None, encoding: str = "utf-8") -> None:
        self._output = output
        self.keyboard = keyboard
        self._encoding = encoding
        self._shown: list[str] = []
        self._modes: list[object] | None = None
        self.is_lost = False

    @property
    def is_ours(self) -> bool:
        """Whether we are in the foreground: only then may we draw, read keys and change modes."""
        try:
            return os.tcgetpgrp(self._output) == os.getpgrp()
        except OSError:
            return True  # it controls no processes; if it is lost, the next write shows it

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows, as they are now."""
        try:
            size = os.get_terminal_size(self._output)
        except OSError:
            return 80, 24
        return size.columns or 80, size.lines or 24

    @property
    def has_keys(self) -> bool:
        return self._modes is not None

    def take(self) -> None:
        """Get keys as they are pressed, without an echo. Ctrl+C, Ctrl+Z and Ctrl+S stay as they are."""
        if self.keyboard is None or self._modes is not None:
            return
        try:
            before = termios.tcgetattr(self.keyboard)
            modes = termios.tcgetattr(self.keyboard)
            modes[3] &= ~(termios.ICANON | termios.ECHO)
            modes[6][termios.VMIN], modes[6][termios.VTIME] = 1, 0
            termios.tcflush(self.keyboard, termios.TCIFLUSH)  # what was typed before was not meant for us
            termios.tcsetattr(self.keyboard, termios.TCSANOW, modes)
        except (OSError, termios.error):
            self.keyboard = None
            return
        self._modes = before

    def release(self) -> None:
        """Clear the view, and restore the cursor and the modes."""
        self.clear()
        self._put(SHOW_CURSOR)
        if self._modes is not None and self.keyboard is not None:
            try:
                termios.tcflush(self.keyboard, termios.TCIFLUSH)
                termios.tcsetattr(self.keyboard, termios.TCSANOW, self._modes)  # type: ignore[arg-type]
            except (OSError, termios.error):
                self.is_lost = True
            self._modes = None

    def pressed(self) -> bytes:
        """The keys typed since the last call; there must be some. Empty once the terminal is lost."""
        try:
            typed = os.read(self.keyboard, 1024) if self.keyboard is not None else b""
        except OSError:
            typed = b""
        if not typed:
            self.keyboard = None
        return typed

    def clear(self) -> None:
        if self._shown:
            self._put(f"\r{CLEAR_BELOW}")
            self._shown = []

    def draw(self, lines: Sequence[str], is_resized: bool = False) -> None:
        """Show these lines instead of the last ones; of as many lines, only the changed ones are written."""
        if list(lines) == self._shown and not is_resized:
            return
        if len(lines) == len(self._shown) and not is_resized:
            changed = zip(lines, self._shown, strict=True)
            body = "\r\n".join("" if new == old else f"{new}{CLEAR_LINE}" for new, old in changed)
        else:
            body = CLEAR_BELOW + "\r\n".join(lines)
        up = f"\x1b[{len(lines) - 1}A" if len(lines) > 1 else ""
        self._put(f"{BEGIN_FRAME}{HIDE_CURSOR}\r{body}{up}\r{END_FRAME}")
        self._shown = list(lines)

    def _put(self, text: str) -> None:
        rest = text.encode(self._encoding, "replace")
        try:
            while rest and not self.is_lost:
                rest = rest[os.write(self._output, rest) :]
        except OSError:
            self.is_lost = True
