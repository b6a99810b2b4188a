"""Sources and tests as text -> what they define and what they use. It knows no single language.

A definition lasts as long as its lines are indented deeper than its first.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from dualgate.core.evidence.changed_names import changed_names, definition_in, literals_in, words_in

_CLOSING = (")", "]", "}")
_BEFORE_FILES = frozenset({"setUpModule", "setup_module", "setup_function"})
_BEFORE_TESTS = frozenset({"setUp", "asyncSetUp", "setUpClass", "setUpTestData", "setup_method", "setup_class"})
_ATTRIBUTE = re.compile(r"\s*(?P<name>\w+)(?:\s*:[^=]+)?\s*=(?!=)")
_DUNDER = re.compile(r"__\w+__")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceChange:
    """A changed file of the project that belongs to no test; a text is empty if the file is missing."""

    path: str
    before: str = ""
    after: str = ""


def gone_names(changes: Collection[SourceChange]) -> frozenset[str]:
    """Functions, classes, constants, options, routes and modules that changed sources defined and no longer define."""
    before, after = set[str](), set[str]()
    for each in changes:
        before |= _defined(each.path, each.before)
        after |= _defined(each.path, each.after)
    return frozenset(before - after)


def changed_functions(changes: Iterable[SourceChange]) -> frozenset[str]:
    """Functions, values and commands that are other than before, and functions that use one of them.

    A class counts only if a method changed that is called without its name, such as `__eq__`. A file of a folder
    `commands` is a command, which is called by the name of the file.
    """
    found = set[str]()
    for each in changes:
        before, after = (dict(_functions(text)) for text in (each.before, each.after))
        changed = _differing(before, after)
        users = {name for name, body in before.items() if name in after and _words(body) & changed}
        found |= {_command(each.path)} if each.before and each.after != each.before else set()
        found |= changed | users | _differing(*(dict(_nameless(text)) for text in (each.before, each.after)))
    return frozenset(found - {""})


def _command(path: str) -> str:
    """The command in a file; empty if it holds none."""
    *folders, name = path.split("/")
    return name.partition(".")[0] if folders[-1:] == ["commands"] else ""


def _differing(before: Mapping[str, str], after: Mapping[str, str]) -> set[str]:
    return {name for name, body in before.items() if name in after and after[name] != body}


def _nameless(text: str) -> Iterator[tuple[str, str]]:
    """Each class with its methods that are called without their name."""
    for name, is_holder, block in _blocks(text):
        if is_holder:
            yield name, "\n".join(body for method, body in _functions(block) if _DUNDER.fullmatch(method))


def used_names(body: str, surroundings: Iterable[str]) -> frozenset[str]:
    """The words of a test, and those of the helpers, fixtures and attributes of classes that it names.

    It may name them directly or through others.
    """
    helpers: dict[str, set[str]] = {}
    for text in surroundings:
        for name, is_holder, block in _blocks(text):
            for each, part in ((name, block), *(_attributes(block) if is_holder else ())):
                helpers.setdefault(each, set()).update(_words(part))
    found, todo = set[str](), _words(body)
    while todo:
        name = todo.pop()
        found.add(name)
        todo |= helpers.get(name, set()) - found
    return frozenset(found)


def body_of(text: str, name: str, line: int | None, starts: Collection[int]) -> str:
    """The lines of a test: those of the function with its name, else those up to the next test, else the whole text."""
    if blocks := [block for defined, _, block in _blocks(text) if defined == name]:
        return "\n".join(blocks)
    rows = text.splitlines()
    if line is None or not 0 < line <= len(rows):
        return text
    end = min((start for start in starts if start > line), default=len(rows) + 1)
    first = line - 1
    while first and rows[first - 1].strip():  # decorators stand above the line of a test
        first -= 1
    return "\n".join(rows[first : end - 1])


def set_up_of(text: str, holders: Iterable[str]) -> str:
    """The lines that run before each test of a file, and of the classes that hold the test."""
    found = [block for name, _, block in _blocks(text) if name in _BEFORE_FILES]
    for holder in holders:
        text = "\n".join(block for name, _, block in _blocks(text) if name == holder)
        found += [block for name, _, block in _blocks(text) if name in _BEFORE_TESTS]
    return "\n".join(found)


def only_adds(before: str, after: str) -> bool:
    """Whether a text still holds all lines that it held before, in their order."""
    rest = iter(after.splitlines())
    return all(row in rest for row in before.splitlines())


def only_removes(changes: Collection[SourceChange]) -> bool:
    """Whether changed sources only lost lines, however the others are indented now."""
    return bool(changes) and all(only_adds(_lines(each.after), _lines(each.before)) for each in changes)


def _lines(text: str) -> str:
    return "\n".join(row.strip() for row in text.splitlines() if row.strip())


def _defined(path: str, text: str) -> frozenset[str]:
    *folders, name = path.split("/")
    return changed_names("", text).defined | {name.partition(".")[0], *folders} if text else frozenset()


def _functions(text: str) -> Iterator[tuple[str, str]]:
    return ((name, block) for name, is_holder, block in _blocks(text) if not is_holder)


def _blocks(text: str) -> Iterator[tuple[str, bool, str]]:
    """Each definition with its name, whether it has members, and its lines."""
    rows = [row for row in text.splitlines() if row.strip()]
    for place, row in enumerate(rows):
        name, is_holder = definition_in(row, is_outside=not row[:1].isspace())
        if name:
            yield name, is_holder, "\n".join((*_above(rows, place), row, *_below(rows, place)))


def _attributes(block: str) -> Iterator[tuple[str, str]]:
    """The values that a class holds, each with its line."""
    rows = block.splitlines()
    depth = next((_indent(row) for row in rows if _indent(row) > _indent(rows[0])), 0)
    found = ((_ATTRIBUTE.match(row), row) for row in rows if depth and _indent(row) == depth)
    return ((match["name"], row) for match, row in found if match)


def _above(rows: list[str], place: int) -> list[str]:
    """The decorators right above a definition: they may hold its parameters and fixtures."""
    indent, first = _indent(rows[place]), place
    while first and _indent(rows[first - 1]) == indent and rows[first - 1].lstrip().startswith("@"):
        first -= 1
    return rows[first:place]


def _below(rows: list[str], place: int) -> Iterator[str]:
    indent = _indent(rows[place])
    for row in rows[place + 1 :]:
        if _indent(row) <= indent and not row.lstrip().startswith(_CLOSING):
            return
        yield row


def _indent(row: str) -> int:
    return len(row) - len(row.lstrip())


def _words(text: str) -> set[str]:
    return {*words_in(text), *literals_in(text)}
