"""A JSON value of any type -> a checked value. Collected values are bounded: a stream may be long."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from io import StringIO
from typing import Any, TypeGuard

from dualgate.agents.output import TEXT_KEPT
from dualgate.core.values.answer import NAME_LENGTH, LimitUse, Usage

NAMES_KEPT = 100
# the name of a tool, or the text of a question, which is longer
LONGEST_NAME = 2000
LARGEST_AMOUNT = 1e15
# an account that pays for more may have used more than its limit
LARGEST_SHARE = 10.0
# more than one call can use
LARGEST_COUNT = 10**12


def is_count(value: object) -> TypeGuard[int]:
    """Whether a value is a plausible number of tokens or calls."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST_COUNT


def count(value: object) -> int:
    """The number of tokens or calls; 0 for an invalid value."""
    return value if is_count(value) else 0


def usage_in(
    told: Sequence[Mapping[str, Any]], *, read: Collection[str], wrote: Collection[str], cached: Collection[str]
) -> Usage | None:
    """The sums of the tokens under these names; None if no number is found, or if one of them is invalid.

    A partial sum, or 0 for an invalid number, would be a guess.
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
    """An amount of money; None if it is invalid or too large, such as an integer that no float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < LARGEST_AMOUNT:
        return None
    return float(value)


def limit_use(window: object, used: object, resets_at: datetime | None, whole: float) -> LimitUse | None:
    """The used share of a limit, of which `whole` is all; None if it is no share."""
    share = amount(used)
    if share is None or share > LARGEST_SHARE * whole:
        return None
    return LimitUse(window=(string(window) or "limit")[:NAME_LENGTH], used=share / whole, resets_at=resets_at)


def string(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def remember(names: list[str], name: object) -> None:
    """Add a name if it is new and the list is not full."""
    if isinstance(name, str) and (kept := name[:LONGEST_NAME]) not in names and len(names) < NAMES_KEPT:
        names.append(kept)


def remember_questions(asked: list[str], questions: object) -> None:
    """Add the questions from the input of a question tool: a list of objects with a question each."""
    for each in questions if isinstance(questions, list) else ():
        remember(asked, mapping(each).get("question"))


class TextTail:
    """Collects a text from many small pieces, and keeps its end."""

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
        """Add a piece on a new line."""
        self.add(piece if self._last in ("", "\n") else f"\n{piece}")

    def clear(self) -> None:
        self._buffer = StringIO()
        self._size = 0
        self._last = ""

    def text(self) -> str:
        return self._buffer.getvalue()[-TEXT_KEPT:]
