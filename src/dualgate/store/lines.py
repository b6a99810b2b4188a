"""Lines of a journal by number, found by binary search, so that a long file is not read whole."""

import os
import re
from pathlib import Path

from dualgate.errors import JournalDamaged

JOURNAL = "journal.jsonl"
CHECKPOINT = "checkpoint.json"
WHAT_TO_DO = (
    "Nothing was changed. Restore that line from a backup, or archive the session with: dualgate sessions archive"
)
_PIECE = 1 << 13
_NUMBER = re.compile(rb'\{"format": ?\d+, ?"seq": ?(\d+)\b')
_NUMBER_WITHIN = 64


class Lines:
    """The lines of a journal that are complete when this object is created."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor
        self._end = end_of_last_line(descriptor, os.fstat(descriptor).st_size)

    def line(self, seq: int) -> bytes:
        """The line with this number, without its newline; empty if it is missing."""
        begin = self._begin_of(seq)
        return b"" if begin is None else self._read(begin, self._end_of_line(begin) - 1)

    def after(self, seq: int) -> list[bytes]:
        """All lines after this number."""
        begin = self._begin_of(seq + 1)
        return [] if begin is None else self._read(begin, self._end - 1).split(b"\n")

    def _begin_of(self, seq: int) -> int | None:
        """The offset of a line, or None."""
        low, high = 0, self._end
        while low < high:
            begin = end_of_last_line(self._descriptor, (low + high) // 2)
            number = self._number_at(begin)
            if number == seq:
                return begin
            if number > seq:
                high = begin
            else:
                low = self._end_of_line(begin)
        return None

    def _number_at(self, begin: int) -> int:
        found = _NUMBER.match(self._read(begin, begin + _NUMBER_WITHIN))
        if found is None:
            message = f"{self._path}: the line at byte {begin} does not begin with its format and number."
            raise JournalDamaged(message, WHAT_TO_DO)
        return int(found[1])

    def _end_of_line(self, begin: int) -> int:
        while begin < self._end:
            piece = self._read(begin, begin + _PIECE)
            found = piece.find(b"\n")
            if found >= 0:
                return begin + found + 1
            begin += len(piece) or _PIECE
        return self._end

    def _read(self, begin: int, end: int) -> bytes:
        return os.pread(self._descriptor, end - begin, begin)


def end_of_last_line(descriptor: int, size: int) -> int:
    """The end of the last complete line within the first `size` bytes."""
    end = size
    while end > 0:
        begin_of_piece = max(0, end - _PIECE)
        found = os.pread(descriptor, end - begin_of_piece, begin_of_piece).rfind(b"\n")
        if found >= 0:
            return begin_of_piece + found + 1
        end = begin_of_piece
    return 0


def last_line(descriptor: int) -> bytes:
    """The last complete line, without its newline; empty if there is none."""
    end = end_of_last_line(descriptor, os.fstat(descriptor).st_size)
    begin_of_last = end_of_last_line(descriptor, max(0, end - 1))
    return os.pread(descriptor, end - 1 - begin_of_last, begin_of_last) if end else b""
