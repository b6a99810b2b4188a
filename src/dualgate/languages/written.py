"""A test file in JavaScript, Go or Rust -> the tests that a runner would find in it, by its syntax alone."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from dualgate.languages.go import GRAMMAR as GO
from dualgate.languages.javascript import GRAMMARS
from dualgate.languages.javascript_tests import GROUPS, call_of_test, statements_in, title_of
from dualgate.languages.rust import GRAMMAR as RUST
from dualgate.languages.sources import Grammar
from dualgate.languages.trees import field_of, is_comment, root_name, text_in, tree_of

if TYPE_CHECKING:
    from tree_sitter import Node

_GO_TEST = re.compile(r"(?:Test|Fuzz)(?![a-z])\w*")
_RUST_TEST = re.compile(r"#\s*\[\s*(?:\w+\s*::\s*)*test\b")
_RUST_IDLE = re.compile(r"#\s*\[\s*ignore\b")
_FILLED_IN = re.compile(r"\$\{")
_IDLE = frozenset({"skip", "todo", "skipIf", "runIf", "failing"})


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenCase:
    names: tuple[str, ...]
    """Its groups or modules, the outer one first, and its title or function."""
    line: int
    form: str
    """Its text without layout."""
    is_idle: bool = False
    """Whether it says itself that it is not run."""


def written_cases(path: str, content: bytes) -> tuple[WrittenCase, ...]:
    """The tests that are certain: those with a computed title or made in a loop are left out.

    Empty if the file has a syntax error, or is of a language that is not read here.
    """
    read = _READERS.get(PurePosixPath(path).suffix)
    try:
        return tuple(read(content.decode("utf-8").replace("\r\n", "\n"))) if read is not None else ()
    except (UnicodeDecodeError, RecursionError, MemoryError):
        return ()


def _javascript(grammar: Grammar, text: str) -> Iterator[WrittenCase]:
    root = tree_of(grammar, text)
    if not root.has_error:
        for statement in root.named_children:
            yield from _of_statement(statement, (), False)


def _of_statement(statement: "Node", groups: tuple[str, ...], is_idle: bool) -> Iterator[WrittenCase]:
    call = call_of_test(statement)
    function = field_of(call, "function")
    if call is None or function is None or function.type == "call_expression":
        return
    title = title_of(call)
    modifier = text_in(found) if (found := field_of(function, "property")) is not None else ""
    is_idle = is_idle or modifier in _IDLE
    if not title or _FILLED_IN.search(title):
        return
    if root_name(call) not in GROUPS:
        yield _case((*groups, title), statement, is_idle)
    for each in statements_in(call):
        yield from _of_statement(each, (*groups, title), is_idle)


def _go(text: str) -> Iterator[WrittenCase]:
    root = tree_of(GO, text)
    for node in root.named_children if not root.has_error else ():
        name = field_of(node, "name") if node.type == "function_declaration" else None
        if name is not None and _GO_TEST.fullmatch(text_in(name)) and text_in(name) != "TestMain":
            yield _case((text_in(name),), node, False)


def _rust(text: str) -> Iterator[WrittenCase]:
    root = tree_of(RUST, text)
    if not root.has_error:
        yield from _of_items(root, ())


def _of_items(node: "Node", modules: tuple[str, ...]) -> Iterator[WrittenCase]:
    attributes: list[str] = []
    for child in node.named_children:
        name = field_of(child, "name")
        if child.type == "attribute_item":
            attributes.append(text_in(child))
            continue
        if child.type == "mod_item" and name is not None and (body := field_of(child, "body")) is not None:
            yield from _of_items(body, (*modules, text_in(name)))
        elif child.type == "function_item" and name is not None and any(map(_RUST_TEST.match, attributes)):
            is_idle = any(map(_RUST_IDLE.match, attributes))
            yield _case((*modules, text_in(name)), child, is_idle, " ".join(attributes))
        attributes = attributes if is_comment(child) else []


def _case(names: tuple[str, ...], node: "Node", is_idle: bool, before: str = "") -> WrittenCase:
    form = " ".join((before, *text_in(node).split()))
    return WrittenCase(names=names, line=node.start_point.row + 1, form=form, is_idle=is_idle)


_READERS: dict[str, Callable[[str], Iterator[WrittenCase]]] = {
    **{ending: partial(_javascript, grammar) for ending, grammar in GRAMMARS.items()},
    ".go": _go,
    ".rs": _rust,
}
