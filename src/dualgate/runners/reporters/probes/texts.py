"""A changed file -> its text in which every changed function writes a mark and returns a constant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import breaks, changes

if TYPE_CHECKING:
    from collections.abc import Iterator

MARK = "{dualgate-mark}"
NOTE = f"__import__('io').open('{MARK}', 'a').close()"


def stubbed(source: changes.Source) -> str:
    """The text, with a line before the first statement of each changed function."""
    lines = source.text.split("\n")
    for line, column, text in sorted(_insertions(source), reverse=True):
        row = lines[line - 1].encode("utf-8")
        before, after = row[:column].decode("utf-8"), row[column:].decode("utf-8")
        if before.strip():
            # the body stands on the line of the function
            lines[line - 1] = f"{before}{text}; {after}"
        else:
            lines[line - 1 : line] = [before + text, lines[line - 1]]
    return "\n".join(lines)


def all_stubbed(source: changes.Source) -> str:
    """The text in which every function is a stub, changed or not."""
    for function in source.functions:
        function.changed = not function.skipped
    return stubbed(source)


def _insertions(source: changes.Source) -> Iterator[tuple[int, int, str]]:
    for function in source.functions:
        if not function.changed or any(outer.changed for outer in _outer(function)):
            continue
        node = function.node
        first = next((each for each in node.body if not changes.is_bare(each)), None)
        if first is not None:
            line = min([first.lineno, *(each.lineno for each in getattr(first, "decorator_list", ()))])
            yield line, first.col_offset, f"{NOTE}; {_ending(node)}"


def _outer(function: changes.Function) -> Iterator[changes.Function]:
    while function.inside is not None:
        function = function.inside
        yield function


def _ending(node: Any) -> str:
    stubs = [code for code, _ in breaks.value_stubs(node)]
    return stubs[0] if stubs else "return"
