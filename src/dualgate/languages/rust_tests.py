"""Source of Rust -> its items that are compiled for tests only."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from dualgate.languages.rust import GRAMMAR
from dualgate.languages.trees import is_comment, text_in, tree_of

if TYPE_CHECKING:
    from tree_sitter import Node

Item: TypeAlias = "tuple[Node, ...]"
"""An item of Rust after its attributes."""
_TEST_ATTRIBUTE = re.compile(
    r"#\s*\[\s*(?:\w+\s*::\s*)*(?:test|rstest|test_case|quickcheck|bench|proptest|wasm_bindgen_test|test_log)\b"
)
_FOR_TESTS = re.compile(r"#\s*\[\s*cfg\b.*(?<!\w)(?<!not\()test\b", re.DOTALL)
_ITEM = re.compile(r"\b(mod|fn|impl|use|struct|enum|trait|static|const|type|macro_rules)\b[ !]*([^{;(=]*)")


def test_items(node: "Node") -> "Iterator[tuple[str, Item]]":
    """Items with a test attribute, and macros that contain such items, by name."""
    attributes: list[Node] = []
    for child in node.children:
        text = text_in(child)
        if child.type == "attribute_item":
            attributes.append(child)
        elif not is_comment(child):
            is_test = any(_is_for_tests(text_in(attribute)) for attribute in attributes)
            if is_test or (child.type.startswith("macro_") and _TEST_ATTRIBUTE.search(text)):
                yield item_name(text) or "".join(text.partition("{")[0].split()), (*attributes, child)
            else:
                yield from test_items(child)
            attributes = []


def item_name(text: str, start: int = 0) -> str:
    """The kind and the name of the first item after a place; empty if there is none."""
    found = _ITEM.search(text, start)
    return f"{found[1]} {''.join(found[2].split())}" if found else ""


def is_line_of_tests(text: str, line: int) -> bool:
    """Whether a line of a source, counted from 1, is compiled for tests only."""
    items = (item for _, item in test_items(tree_of(GRAMMAR, text)))
    return any(item[0].start_point.row < line <= item[-1].end_point.row + 1 for item in items)


def _is_for_tests(attribute: str) -> bool:
    return bool(_TEST_ATTRIBUTE.match(attribute) or _FOR_TESTS.match(attribute))
