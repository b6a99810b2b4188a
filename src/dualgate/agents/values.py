"""A JSON value of any type -> what a reader of events may count on. What is kept is bounded: a stream may be long."""

from collections.abc import Collection, Mapping, Sequence
from io import StringIO
from typing import Any, TypeGuard

from dualgate.agents.output import TEXT_KEPT
from dualgate.core.values.answer import Usage

NAMES_KEPT = 100
# of a tool, or of a question, which is longer
LONGEST_NAME = 2000
LARGEST_AMOUNT = 1e15
# more than this nobody uses in one call
LARGEST_COUNT = 10**12


def is_count(value: object) -> TypeGuard[int]:
    """Whether it is a number of tokens or calls, and one that can be meant."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST_COUNT


def count(value: object) -> int:
    """Tokens or calls; whatever is no number of them counts nothing."""
    return value if is_count(value) else 0


def usage_in(
    told: Sequence[Mapping[str, Any]], *, read: Collection[str], wrote: Collection[str], cached: Collection[str]
) -> Usage | None:
    """The sum of what was told under these names; None where nothing was, or where one of them is no number of tokens.

    Half of a sum, or nothing in the place of something, would be a guess.
    """
    found = [item[name] for item in told for name in {*read, *wrote, *cached} if item.get(name) is not None]
    if not found or not all(map(is_count, found)):
        return None
    sums = [sum(item.get(name) or 0 for item in told for name in names) for names in (read, wrote, cached)]
    return Usage(input=sums[0], output=sums[1], cached=sums[2])


def added(usage: Usage | None, more: Usage | None) -> Usage | None:
    if usage is None or more is None:
        return usage or more
    return Usage(input=usage.input + more.input, output=usage.output + more.output, cached=usage.cached + more.cached)


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
    if isinstance(name, str) and (kept := name[:LONGEST_NAME]) not in names and len(names) < NAMES_KEPT:
        names.append(kept)


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
