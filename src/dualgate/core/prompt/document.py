"""Specification -> the part of a prompt that holds it: whole, or beyond its size goal, constraints and an outline."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dualgate.core.prompt.size import tokens_of, within
from dualgate.core.spec.markdown import lines_of
from dualgate.core.values.specification import Context, Specification

CONSTRAINTS = re.compile(
    r"constraint|must not|guardrail|do not|don['’]t|rules|limits|out[- ]of[- ]scope|non[- ]?goal", re.I
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The text for an agent. `outline` lists the parts that were left out; it is empty if `text` is whole."""

    text: str
    outline: tuple[str, ...] = ()


def document_for(spec: Specification, tokens: int) -> Document:
    """The whole text up to a size, else its goal and constraints, and where to find the rest."""
    text = (spec.document or spec.text).strip("\n")
    if tokens_of(text) <= tokens:
        return Document(text=text)
    parts = "\n\n".join(filter(None, [within(spec.goal, tokens // 4), *_constraints(spec)]))
    outline = [
        f"{_lines(part)}: {part.heading or 'before the first heading'}" for part in spec.context if part.lines > 1
    ]
    return Document(text=within(parts, tokens), outline=tuple(outline) or ("all of it but its beginning",))


def _constraints(spec: Specification) -> Iterator[str]:
    lines = lines_of(spec.document or spec.text)
    for part in spec.context:
        if CONSTRAINTS.search(part.heading):
            yield "\n".join(lines[part.line - 1 : part.line - 1 + part.lines])


def _lines(part: Context) -> str:
    return f"lines {part.line}-{part.line + part.lines - 1}"
