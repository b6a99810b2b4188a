"""A JSON value of any type -> what a reader of events may count on. What is kept is bounded: a stream may be long."""

from collections.abc import Mapping
from io import StringIO
from typing import Any

from dualgate.agents.output import TEXT_KEPT

NAMES_KEPT = 100
LARGEST_AMOUNT = 1e15


def count(value: object) -> int:
    """Tokens or calls; whatever is no number of them counts nothing."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def amount(value: object) -> float | None:
    """A sum of money; an integer of any length is no reason to fail."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < LARGEST_AMOUNT:
        return None
    return float(value)


def string(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def remember(names: list[str], name: object) -> None:
    """Add a name that is new, while there is room."""
    if isinstance(name, str) and name not in names and len(names) < NAMES_KEPT:
        names.append(name)


def remember_questions(asked: list[str], questions: object) -> None:
    """Tools made for asking take a list of objects, each with a question."""
    for each in questions if isinstance(questions, list) else ():
        remember(asked, mapping(each).get("question"))


class TextTail:
    """The end of a text that comes in pieces, which may be many and small."""

    def __init__(self) -> None:
        self._buffer = StringIO()
        self._size = 0
        self._last = ""

    def add(self, piece: str) -> None:
        self._buffer.write(piece)
        self._size += len(piece)
        self._last = piece[-1:] or self._last
        if self._size > 2 * TEXT_KEPT:
            kept = self.text()
            self.clear()
            self.add(kept)

    def add_apart(self, piece: str) -> None:
        """Add a piece that begins on a line of its own."""
        self.add(piece if self._last in ("", "\n") else f"\n{piece}")

    def clear(self) -> None:
        self._buffer = StringIO()
        self._size = 0
        self._last = ""

    def text(self) -> str:
        return self._buffer.getvalue()[-TEXT_KEPT:]
