"""Specification -> the part of a prompt that holds it: whole, or beyond its size goal, constraints and an outline."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dualgate.core.spec.markdown import lines_of
from dualgate.core.values.specification import Context, Specification

SHARE = 4
"""A specification may be this many times as long as the rest of a prompt before it is told in outline."""
CONSTRAINTS = re.compile(
    r"constraint|must not|guardrail|do not|don['’]t|rules|limits|out[- ]of[- ]scope|non[- ]?goal", re.I
)
LONGEST_PART = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The text for an agent. `outline` lists what was left out; it is empty if `text` is whole."""

    text: str
    outline: tuple[str, ...] = ()


def document_for(spec: Specification, size: int) -> Document:
    """The whole text up to `size` characters, else its goal and constraints, and where to find the rest."""
    text = (spec.document or spec.text).strip("\n")
    if len(text) <= size:
        return Document(text=text)
    parts = [spec.goal[:LONGEST_PART], *_constraints(spec)]
    outline = [
        f"{_lines(part)}: {part.heading or 'before the first heading'}" for part in spec.context if part.lines > 1
    ]
    return Document(text="\n\n".join(filter(None, parts)), outline=tuple(outline))


def _constraints(spec: Specification) -> Iterator[str]:
    lines = lines_of(spec.document or spec.text)
    for part in spec.context:
        if CONSTRAINTS.search(part.heading):
            yield "\n".join(lines[part.line - 1 : part.line - 1 + part.lines])[:LONGEST_PART]


def _lines(part: Context) -> str:
    return f"lines {part.line}-{part.line + part.lines - 1}"
