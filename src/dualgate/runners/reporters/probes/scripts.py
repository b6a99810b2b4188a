"""A file -> its text in which code of the module itself does nothing, or gives other constants."""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING, Any

from . import breaks, changes
from .texts import NOTE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

Node = Any
DEFINING = (*changes.FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom)
ASSIGNMENTS = (ast.Assign, ast.AnnAssign)


class Replacement:
    """Text that replaces another text."""

    def __init__(self, node: Node, text: str, before: int = 0) -> None:
        self.start = node.lineno, node.col_offset - before
        self.end = node.end_lineno, node.end_col_offset
        self.text = text


def without_changed_code(source: changes.Source, before: changes.Before) -> str:
    """The text without the changed code of the module itself; beside changed functions, without what starts it."""
    changed = changed_code(source, before)
    if any(function.changed for function in source.functions):
        changed &= started_code(source)
    return replaced(source, code_left_out(source.tree.body, changed))


def changed_code(source: changes.Source, before: changes.Before) -> set[int]:
    """The changed statements of the module itself, with those below `if __name__ == "__main__"`."""
    known, found, started = Counter(before.statements), set(), started_code(source)
    for unit in source.units:
        shape = changes.form(unit, False)
        if known[shape] > 0:
            known[shape] -= 1
        elif id(unit) in started or id(unit) not in source.left_out:
            found.add(id(unit))
    return found


def started_code(source: changes.Source) -> set[int]:
    """The statements below `if __name__ == "__main__"`."""
    body: list[Node] = source.tree.body
    return {id(each) for node in body if is_start(node) for each in changes.own_statements(node.body)}


def is_start(node: Node) -> bool:
    return isinstance(node, ast.If) and any(getattr(each, "id", "") == "__name__" for each in ast.walk(node.test))


def has_no_code(source: changes.Source) -> bool:
    return all(map(changes.is_bare, source.tree.body))


def with_other_values(source: changes.Source) -> str:
    """The text with changed constants in the module and its classes, and with classes without bases."""
    units = {id(unit) for unit in source.units if id(unit) not in source.left_out or isinstance(unit, ast.Assign)}
    classes = [unit for unit in source.units if isinstance(unit, ast.ClassDef)]
    made = [*code_left_out(source.tree.body, units), *(each for node in classes for each in of_class(node))]
    if not classes and not source.functions:
        made.extend(other for node in source.tree.body for other in passed_on(source, node))
    return replaced(source, made)


def of_class(node: Node) -> Iterator[Replacement]:
    for base in node.bases:
        yield Replacement(base, "*()")
    for decorator in node.decorator_list:
        yield Replacement(decorator, "", before=1)
    for each in node.body:
        if isinstance(each, ASSIGNMENTS):
            yield from instead(each)


def passed_on(source: changes.Source, node: Node) -> Iterator[Replacement]:
    """The imports of a module from its own folder, for a module that only passes names on."""
    if isinstance(node, ast.ImportFrom) and node.level:
        names = [each.asname or each.name for each in node.names if each.name != "*"]
        if names:
            yield Replacement(node, "; ".join([source.segment(node), *(f"{name} = object()" for name in names)]))


def code_left_out(body: list[Node], units: Collection[int]) -> Iterator[Replacement]:
    for node in body:
        if id(node) in units and not is_start(node) and not any(isinstance(each, DEFINING) for each in ast.walk(node)):
            yield from instead(node)
        elif not isinstance(node, DEFINING):
            for inner in changes.suites_of(node):
                yield from code_left_out(inner, units)


def instead(node: Node) -> Iterator[Replacement]:
    if isinstance(node, ASSIGNMENTS):
        # without the name, whatever uses it would crash: that is noticed without a look at any value
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        is_plain = all(isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)) for target in targets)
        if is_plain and node.value is not None and breaks.kind_of(node.value) not in ("", "None"):
            yield Replacement(node.value, other_constant(node.value))
    elif not isinstance(node, ast.Pass) and not changes.is_bare(node):
        yield Replacement(node, NOTE)


def other_constant(value: Node) -> str:
    """Another constant of the same kind, which writes the mark too."""
    own = repr(value.value) if isinstance(value, ast.Constant) else ""
    other = next(each for each in breaks.CONSTANTS[breaks.kind_of(value)] if each != own)
    return f"({NOTE}, {other})[1]"


def replaced(source: changes.Source, replacements: Iterable[Replacement]) -> str:
    """The text with replacements that do not lie in each other."""
    lines = [line.encode("utf-8") for line in source.text.split("\n")]
    for each in sorted(replacements, key=lambda each: each.start, reverse=True):
        (first, column), (last, end) = each.start, each.end
        made = lines[first - 1][:column] + each.text.encode("utf-8") + lines[last - 1][end:]
        lines[first - 1 : last] = [made]
    return b"\n".join(lines).decode("utf-8")
