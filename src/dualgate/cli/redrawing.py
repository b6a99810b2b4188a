"""A terminal that shows one text, redrawn in place: without clearing it first, so that nothing flickers."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from dualgate.cli.output import encodable

_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"
# a terminal that knows this mode shows a frame at once when it is complete; others ignore it
_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"
_HOME, _CLEAR_RIGHT, _CLEAR_BELOW = "\x1b[H", "\x1b[K", "\x1b[J"


class Screen:
    """The other screen of a terminal. A frame that is equal to the last one is not written."""

    def __init__(self) -> None:
        self._last = ""

    @property
    def size(self) -> os.terminal_size:
        try:
            return os.get_terminal_size(sys.stdout.fileno())
        except OSError:
            return os.terminal_size((80, 24))

    def draw(self, rows: Sequence[str]) -> None:
        """Show rows from the top; those that do not fit are counted in the last row."""
        height = max(2, self.size.lines)
        if len(rows) > height:
            left_out = len(rows) - height + 1
            rows = [*rows[: height - 1], f"… {left_out} more rows: dualgate status"]
        body = f"{_CLEAR_RIGHT}\r\n".join(map(encodable, rows))
        frame = f"{_BEGIN}{_HOME}{body}{_CLEAR_RIGHT}{_CLEAR_BELOW}{_END}"
        if frame == self._last:
            return
        self._last = frame
        sys.stdout.write(frame)
        sys.stdout.flush()


@contextmanager
def screen() -> Iterator[Screen]:
    """Use the other screen of the terminal, and leave it as it was."""
    sys.stdout.write(_ENTER)
    try:
        yield Screen()
    finally:
        sys.stdout.write(_LEAVE)
        sys.stdout.flush()
