"""text -> the delimited blocks in it, in linear time. It knows where a block begins and ends, not what it says."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

LONGEST_BLOCK = 262_144
"""No one writes a block of more characters: what is longer is refused unread."""
BLANKS = " \t\r"
REST_OF_DELIMITER_LINE = re.compile(r"[ \t\r]*+(?=\n|\Z)")
FENCE = re.compile(r"[ \t]*(?:```|~~~)")


class BlockKind(StrEnum):
    """The name of a block, as it stands in its delimiters."""

    RALPH_STATUS = "RALPH_STATUS"
    PRP_PHASE_STATUS = "PRP_PHASE_STATUS"

    @property
    def opening(self) -> str:
        return f"---{self}---"

    @property
    def closing(self) -> str:
        return f"---END_{self}---"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A complete block: `raw` from its first delimiter to the end of the line of its last one.

    What is longer than any block is cut one character after that length.
    """

    kind: BlockKind
    raw: str
    line: int
    """The line of the opening delimiter in the whole text, counted from 1."""
    end: int
    """Where it ends in the whole text, so that the later of two blocks can be told."""
    fenced: bool = False

    @property
    def body(self) -> Iterator[tuple[int, str]]:
        """The numbered lines between the delimiters."""
        return enumerate(self.raw.split("\n")[1:-1], start=self.line + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """What of one kind stands in a text: the last complete block, and how many there are."""

    last: Block | None = None
    count: int = 0
    torn_line: int | None = None
    """The line of a block that was opened after the last complete one and never closed."""


def decode(text: str | bytes) -> str:
    """Any bytes as text: what is not UTF-8 becomes U+FFFD, which is no legal character of anything."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", errors="replace")
    return text.removeprefix("\ufeff")


def scan(text: str, kind: BlockKind) -> Scan:
    """A block reaches from an opening to the next closing line; of several openings before it the nearest counts."""
    span, count, after = None, 0, 0
    for span in _spans(text, kind):
        count, after = count + 1, span[1]
    torn = _find_line(text, kind.opening, after)
    return Scan(
        last=_block(text, kind, *span) if span else None,
        count=count,
        torn_line=None if torn < 0 else text.count("\n", 0, torn) + 1,
    )


def all_blocks(text: str, kind: BlockKind) -> Iterator[Block]:
    """Every complete block in its order; what was torn off is passed over."""
    lines = counted = 0
    for opening, closing in _spans(text, kind):
        lines, counted = lines + text.count("\n", counted, opening), opening
        yield _block(text, kind, opening, closing, lines)


def _spans(text: str, kind: BlockKind) -> Iterator[tuple[int, int]]:
    """Where an opening and the first closing after it stand. Each search starts where the last one ended."""
    opening = _find_line(text, kind.opening, 0)
    while opening >= 0:
        closing = _find_line(text, kind.closing, opening)
        if closing < 0:
            return
        yield opening, closing
        opening = _find_line(text, kind.opening, closing)


def _block(text: str, kind: BlockKind, first_opening: int, closing: int, lines: int | None = None) -> Block:
    """`lines` are those before the first opening, where they are counted already: in a long log each time is dear."""
    lines = text.count("\n", 0, first_opening) if lines is None else lines
    start = _last_line(text, kind.opening, first_opening, closing)
    end = _end_of_delimiter(text, closing + len(kind.closing))
    before = text.rfind("\n", 0, max(0, start - 1)) + 1
    return Block(
        kind=kind,
        raw=text[start : min(end, start + LONGEST_BLOCK + 1)],
        line=lines + text.count("\n", first_opening, start) + 1,
        end=end,
        fenced=start > 0 and bool(FENCE.match(text, before) and FENCE.match(text, end + 1)),
    )


def _find_line(text: str, words: str, start: int) -> int:
    """The first line at or after `start` that holds these words alone, or -1."""
    if start == 0 and text.startswith(words) and _end_of_delimiter(text, len(words)) >= 0:
        return 0
    at = text.find(f"\n{words}", start)
    while at >= 0 and _end_of_delimiter(text, at + 1 + len(words)) < 0:
        at = text.find(f"\n{words}", at + 1)
    return at + 1 if at >= 0 else -1


def _last_line(text: str, words: str, first: int, before: int) -> int:
    """The last line that holds these words alone between `first`, which does, and `before`."""
    at = text.rfind(f"\n{words}", first, before)
    while at >= 0 and _end_of_delimiter(text, at + 1 + len(words)) < 0:
        at = text.rfind(f"\n{words}", first, at)
    return at + 1 if at >= 0 else first


def _end_of_delimiter(text: str, at: int) -> int:
    """Where a line ends of which nothing but blanks is left, or -1."""
    match = REST_OF_DELIMITER_LINE.match(text, at)
    return match.end() if match else -1
