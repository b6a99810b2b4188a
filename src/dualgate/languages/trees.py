"""Source text -> its tree-sitter syntax tree, and what is in a node of it."""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from dualgate.languages.sources import Grammar

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_TEXT_SHOWN = 60


def tree_of(grammar: Grammar, text: str) -> "Node":
    """The root of the syntax tree, with nodes for syntax errors if there are any."""
    return _parser(grammar).parse(text.encode()).root_node


@cache
def _parser(grammar: Grammar) -> "Parser":
    from tree_sitter import Language, Parser

    return Parser(Language(getattr(import_module(grammar.package), grammar.function)()))


def every(node: "Node") -> "Iterator[Node]":
    """A node and all nodes in it."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        waiting.extend(reversed(each.children))


def root_name(node: "Node") -> str:
    """The name at the beginning of `a.b[0].c()`; empty if there is none."""
    current: Node | None = node
    while current is not None and current.child_count:
        current = next((child for child in current.children if not is_comment(child)), None)
    return text_in(current) if current is not None and (current.is_named or current.type == "this") else ""


def field_of(node: "Node | None", *names: str) -> "Node | None":
    """A node by the names of the fields that lead to it."""
    for name in names:
        node = node.child_by_field_name(name) if node is not None else None
    return node


def shown_text(node: "Node") -> str:
    return text_in(node).splitlines()[0][:_TEXT_SHOWN]


def is_comment(node: "Node") -> bool:
    return node.type.endswith("comment")


def text_in(node: "Node") -> str:
    return (node.text or b"").decode()
