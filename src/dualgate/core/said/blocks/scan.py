"""text -> its delimited blocks, in linear time. The content of a block is not read here."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

LONGEST_BLOCK = 262_144
"""A block of more characters is refused unread."""
BLANKS = " \t\r"
REST_OF_DELIMITER_LINE = re.compile(r"[ \t\r]*+(?=\n|\Z)")
FENCE = re.compile(r"[ \t]*(?:```|~~~)")


class BlockKind(StrEnum):
    """The name of a block, as written in its delimiters."""

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
    """A complete block: `raw` reaches from its opening delimiter to the end of the closing line.

    `raw` is cut at `LONGEST_BLOCK` + 1 characters.
    """

    kind: BlockKind
    raw: str
    line: int
    """The line of the opening delimiter in the whole text, counted from 1."""
    end: int
    """The end position in the whole text; it shows which of two blocks is later."""
    fenced: bool = False

    @property
    def body(self) -> Iterator[tuple[int, str]]:
        """The numbered lines between the delimiters."""
        return enumerate(self.raw.split("\n")[1:-1], start=self.line + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """The blocks of one kind in a text: the last complete block, and the number of complete blocks."""

    last: Block | None = None
    count: int = 0
    torn_line: int | None = None
    """The line of a block that opens after the last complete one and never closes."""


def decode(text: str | bytes) -> str:
    """Any bytes as text: invalid UTF-8 becomes U+FFFD, which is legal nowhere."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", errors="replace")
    return text.removeprefix("\ufeff")


def scan(text: str, kind: BlockKind) -> Scan:
    """Find the last block: from a closing line back to the nearest opening line before it."""
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
    """Every complete block, in order; a cut-off block is skipped."""
    lines = counted = 0
    for opening, closing in _spans(text, kind):
        lines, counted = lines + text.count("\n", counted, opening), opening
        yield _block(text, kind, opening, closing, lines)


def _spans(text: str, kind: BlockKind) -> Iterator[tuple[int, int]]:
    """Positions of each opening and the first closing after it. Each search starts where the last one ended."""
    opening = _find_line(text, kind.opening, 0)
    while opening >= 0:
        closing = _find_line(text, kind.closing, opening)
        if closing < 0:
            return
        yield opening, closing
        opening = _find_line(text, kind.opening, closing)


def _block(text: str, kind: BlockKind, first_opening: int, closing: int, lines: int | None = None) -> Block:
    """`lines` is the number of lines before the first opening, if already counted: counting a long log is slow."""
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
    """The position of the first line at or after `start` that holds only these words, or -1."""
    if start == 0 and text.startswith(words) and _end_of_delimiter(text, len(words)) >= 0:
        return 0
    at = text.find(f"\n{words}", start)
    while at >= 0 and _end_of_delimiter(text, at + 1 + len(words)) < 0:
        at = text.find(f"\n{words}", at + 1)
    return at + 1 if at >= 0 else -1


def _last_line(text: str, words: str, first: int, before: int) -> int:
    """The position of the last line before `before` that holds only these words; `first` is such a line."""
    at = text.rfind(f"\n{words}", first, before)
    while at >= 0 and _end_of_delimiter(text, at + 1 + len(words)) < 0:
        at = text.rfind(f"\n{words}", first, at)
    return at + 1 if at >= 0 else first


def _end_of_delimiter(text: str, at: int) -> int:
    """The end of the line if only blanks follow `at`, else -1."""
    match = REST_OF_DELIMITER_LINE.match(text, at)
    return match.end() if match else -1
