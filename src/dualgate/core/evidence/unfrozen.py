"""Files that tests use and that are not frozen, as RED left them and now -> changes that the reviewer has to see.

A helper outside a test folder looks like a stub of the code, so it may change: the note decides nothing.
"""

import ast
from collections.abc import Iterable, Iterator

from dualgate.core.evidence.syntax.trees import imports_in, parsed, text_of
from dualgate.core.values.notation import in_line
from dualgate.core.values.source_texts import SourceTexts

_SHOWN = 80


def changed_beside(texts: SourceTexts) -> tuple[str, ...]:
    """A sentence for each helper that lost an assertion, and for changed data."""
    if not texts.unfrozen:
        return ()
    modules = [module for text in texts.tests.values() if (module := parsed(text))]
    used, read = {*_imported(modules)}, {*_files_named(modules)}
    found = (
        _of_helper(path, before, after, used) if path.endswith(".py") else _of_data(path, read)
        for path, (before, after) in texts.unfrozen.items()
    )
    return tuple(filter(None, found))


def _imported(modules: Iterable[ast.Module]) -> Iterator[str]:
    for module in modules:
        for name in imports_in(ast.walk(module)).values():
            yield from name.split(".")


def _files_named(modules: Iterable[ast.Module]) -> Iterator[str]:
    return (text_of(node).rpartition("/")[2] for module in modules for node in ast.walk(module))


def _of_helper(path: str, before: str, after: str, used: set[str]) -> str:
    name = path.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]
    was, now = parsed(before), parsed(after)
    if name not in used or was is None or now is None:
        return ""
    kept = {*_assertions(now)}
    lost = next((each for each in _assertions(was) if each not in kept), "")
    told = f"`{in_line(path)}` is used by tests and not frozen, and an assertion of it is gone since RED"
    return f"{told}: `{in_line(lost)[:_SHOWN]}`" if lost else ""


def _assertions(module: ast.Module) -> Iterator[str]:
    return (ast.unparse(node) for node in ast.walk(module) if isinstance(node, ast.Assert))


def _of_data(path: str, read: set[str]) -> str:
    is_read = path.rpartition("/")[2] in read
    return f"`{in_line(path)}` is read by tests and not frozen, and changed since RED" if is_read else ""
