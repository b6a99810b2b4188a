"""Lines of a block -> its entries, and problems with their form. No field is known by name here."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dualgate.core.said.blocks.scan import BLANKS, Block
from dualgate.core.values.problems import SHOWN, Problem, error, warning

# A bold name is matched lazily, so that it does not include the closing underscores.
NAME = r"[A-Za-z][A-Za-z0-9_]*"
FIELD = re.compile(rf"([ \t]*+)(?:({NAME}):|(\*\*|__)({NAME}?)(?::\3|\3:))(.*)", re.DOTALL)
ITEM = re.compile(r"[ \t]*+-[ \t]+(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockLine:
    """One non-blank line: a field, an item of a list (`key` is None), or neither (`value` is None too)."""

    line: int
    text: str
    key: str | None = None
    value: str | None = None
    indented: bool = False
    bold: bool = False


def entries(block: Block) -> Iterator[BlockLine]:
    for number, raw in block.body:
        text = raw.rstrip(BLANKS)
        if not text:
            continue
        if match := FIELD.fullmatch(text):
            indent, key, bold, bold_key, value = match.groups()
            yield BlockLine(
                line=number,
                text=text,
                key=key or bold_key,
                value=value.strip(" \t"),
                indented=bool(indent),
                bold=bool(bold),
            )
        elif match := ITEM.fullmatch(text):
            yield BlockLine(line=number, text=text, value=match[1].strip(" \t"))
        else:
            yield BlockLine(line=number, text=text)


def stray(entry: BlockLine) -> Problem:
    return error("stray_line", f"this line is not a field: {entry.text.strip()[:SHOWN]}", line=entry.line)


def form_of(block: Block) -> Iterator[Problem]:
    """Warnings about line ends, trailing blanks and a code fence, each once."""
    lines = block.raw.split("\n")
    crlf = next((n for n, line in enumerate(lines, block.line) if line.endswith("\r")), None)
    blanks = next((n for n, line in enumerate(lines, block.line) if line.rstrip("\r").endswith((" ", "\t"))), None)
    if crlf:
        yield warning("crlf", "lines end with a carriage return", line=crlf)
    if blanks:
        yield warning("trailing_blank", "a line ends with blanks", line=blanks)
    if block.fenced:
        yield warning("fence", "the block is in a code fence", line=block.line)
