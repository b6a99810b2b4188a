"""Nodes -> the items, lines and texts inside them, with their places."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from dualgate.core.spec.drafts import texts_in
from dualgate.core.spec.markdown import Form, Node
from dualgate.core.spec.scenarios import Step, are_steps
from dualgate.core.spec.sections import own_text
from dualgate.core.spec.wording import criterion_id, step_word, without_box

NUMBERED = re.compile(r"^\d+(?:\.\d+)+[.)]?\s+(?=\S)")
SCENARIO_LINE = re.compile(r"[*_]*scenario(?: outline)?[*_]*\s*\d*\s*:[*_]*\s*(?P<name>.*?)[*_]*$", re.IGNORECASE)


def flat(nodes: Sequence[Node]) -> Iterator[Node]:
    """The nodes, with quotes replaced by what they hold."""
    for node in nodes:
        if node.form is Form.QUOTE:
            yield from flat(node.children)
        else:
            yield node


def items_in(node: Node) -> Iterator[Node]:
    """The items of a list at any depth, or a paragraph itself."""
    if node.form in (Form.ITEM, Form.PARAGRAPH):
        yield node
    for child in node.children:
        if child.form in (Form.LIST, Form.ITEM):
            yield from items_in(child)


def lines_in(nodes: Sequence[Node]) -> Iterator[tuple[str, int, int]]:
    """The lines of paragraphs, each with the lines that continue it: text, first line, line after the last."""
    for node in flat(nodes):
        if node.form is not Form.PARAGRAPH:
            continue
        parts: list[tuple[list[str], int]] = []
        for number, line in enumerate(node.text.split("\n")):
            if parts and not _begins(line):
                parts[-1][0].append(line)
            else:
                parts.append(([line], node.line + number))
        for lines, first in parts:
            yield "\n".join(lines), first, first + len(lines)


_EARS_LINE = re.compile(r"^(?:WHEN|IF|WHILE|WHERE|THE) .*\bSHALL\b")


def _begins(line: str) -> bool:
    """Whether a line of a paragraph begins something of its own."""
    is_form = SCENARIO_LINE.match(line) or NUMBERED.match(line) or _EARS_LINE.match(line)
    return bool(is_form or criterion_id(line) or step_word(line))


def all_texts(node: Node) -> Iterator[str]:
    if node.form is Form.PARAGRAPH:
        yield node.text
    yield from texts_in(node)


def as_one_line(item: Node) -> str:
    """An item with the items inside it as a list of words: 'Do not touch: `a`, `b`'."""
    first, *others = [without_box(text) for text in texts_in(item)] or [""]
    return f"{first} {', '.join(others)}" if first.rstrip().endswith(":") else first


def numbered_lines(item: Node) -> list[Step]:
    """The lines '1.1 …' inside an item, if there are several."""
    first = item.children[0] if item.children else item
    lines = first.text.split("\n") if first.form is Form.PARAGRAPH else []
    found = [(n, line) for n, line in enumerate(lines) if NUMBERED.match(line)]
    return [(NUMBERED.sub("", line), item.line + n, item.line + n + 1) for n, line in found] if len(found) > 1 else []


def step_runs(items: Sequence[Node]) -> Iterator[list[Node]]:
    """Runs of items that are steps, and runs of others."""
    for _, run in groupby(items, key=lambda item: bool(step_word(own_text(item)))):
        yield list(run)


def has_steps(items: Sequence[Node]) -> bool:
    return any(are_steps([own_text(item) for item in run]) for run in step_runs(items))


def is_table_of_ids(node: Node) -> bool:
    firsts = [row.cells[0] for row in node.rows[1:] if row.cells]
    return bool(firsts) and all(criterion_id(f"{cell}: x") for cell in firsts)
