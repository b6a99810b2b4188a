"""Source text -> its tree-sitter syntax tree as text, without layout, comments and formatters' choices."""

import re
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from dualgate.languages.sources import Grammar
from dualgate.languages.trees import is_comment, text_in, tree_of
from dualgate.workspace.steering.formats import Unreadable, or_plain, text_of

if TYPE_CHECKING:
    from tree_sitter import Node


def syntax_form(grammar: Grammar) -> Callable[[bytes], str]:
    """Two texts with the same form do the same."""
    return or_plain(lambda content: node_form(grammar, parse(grammar, text_of(content))))


def parse(grammar: Grammar, text: str) -> "Node":
    """The root of the syntax tree. Raises Unreadable on a syntax error."""
    root = tree_of(grammar, text)
    if root.has_error:
        raise Unreadable("a syntax error")
    return root


def node_form(grammar: Grammar, node: "Node") -> str:
    return "\0".join(_tokens(grammar, node, node.parent))


# comments that a compiler or a runner reads
_DIRECTIVE = re.compile(r"//go:|//\s*\+build|//export |#cgo|#include|@jest|@vitest|@ts-|@jsx|@vite-ignore|webpack")
_EXAMPLE = re.compile(r"Example(?![a-z])")
_LITERAL = re.compile(r"string|.*(?:string|char)_literal")


def _tokens(grammar: Grammar, node: "Node", parent: "Node | None") -> list[str]:
    """The texts of a node's leaves, with brackets around each group."""
    if is_comment(node):
        return [text_in(node)] if _DIRECTIVE.search(text_in(node)) or _is_in_example(node) else []
    if not node.child_count or (node.is_named and _LITERAL.fullmatch(node.type)) or _has_own_text(node):
        return [_leaf(node, parent)]
    dropped = set(_dropped(grammar, node, parent))
    kept = [child for child in node.children if child.id not in dropped]
    parts = [part for part in _in_order(grammar, node, kept) if part]
    if _is_cut_short(node):
        parts.append(["\n"])
    if len(parts) == 1:
        return parts[0]
    return [f"({node.type}", *(token for part in parts for token in part), ")"]


def _is_in_example(comment: "Node") -> bool:
    """Whether a comment is in an example of Go, where comments say which output is expected."""
    node = comment.parent
    while node is not None and node.type != "function_declaration":
        node = node.parent
    name = node.child_by_field_name("name") if node is not None else None
    return name is not None and _EXAMPLE.match(text_in(name)) is not None


def _has_own_text(node: "Node") -> bool:
    """Whether a node contains text outside its children."""
    text, start = node.text or b"", node.start_byte
    ends = [start, *(child.end_byte for child in node.children)]
    starts = [*(child.start_byte for child in node.children), node.end_byte]
    return any(text[end - start : begin - start].strip() for end, begin in zip(ends, starts, strict=True))


def _is_cut_short(node: "Node") -> bool:
    """Whether a line break ends a `return` before its value; the JavaScript grammar ignores that break."""
    return node.type == "return_statement" and node.child_count > 1 and _row(node.children[0]) != _row(node.children[1])


def _row(node: "Node") -> int:
    return node.start_point.row


def _in_order(grammar: Grammar, node: "Node", children: "list[Node]") -> Iterator[list[str]]:
    """The tokens of each child; adjacent imports are sorted."""
    for is_import, group in groupby(children, lambda child: child.type in grammar.imports):
        parts = [_tokens(grammar, child, node) for child in group]
        yield from sorted(parts) if is_import or node.type in grammar.imports else parts


_SIMPLE_NAME = re.compile(r"(?!__proto__$)[A-Za-z_$][\w$]*")


def _leaf(node: "Node", parent: "Node | None") -> str:
    """The text of a leaf: quotes of JavaScript strings and line breaks in JSX text do not count."""
    text = text_in(node)
    if node.type == "jsx_text":
        return re.sub(r"[ \t]*\n\s*", "\n", text).strip("\n").replace("\n", " ")
    if node.type != "string" or not node.is_named or parent is None:
        return text
    inner = text[1:-1]
    if parent.type == "jsx_attribute":
        return f'"{inner}'
    if parent.type == "pair" and parent.child_by_field_name("key") == node and _SIMPLE_NAME.fullmatch(inner):
        return inner
    return '"' + re.sub(r"\\(?:(['\"])|(?s:.))", lambda found: found[1] or found[0], inner)


_BODIES = frozenset({"program", "statement_block"})
_SEPARATED = frozenset({"object_type", "interface_body"})
_TUPLES = frozenset({"tuple_expression", "tuple_type", "tuple_pattern"})
_LEAVING = frozenset({"return_expression", "break_expression", "continue_expression"})
_COUNTED_ENDS = frozenset({"for_statement", "for_clause", "empty_statement"})


def _dropped(grammar: Grammar, node: "Node", parent: "Node | None") -> Iterator[int]:
    """Ids of the children that formatters add and remove."""
    solid = [child for child in node.children if not is_comment(child)]
    if parent is not None and _is_unwrapped(grammar, node, parent, solid):
        yield from (solid[0].id, solid[-1].id)
    for before, token, after in zip([None, *solid], solid, [*solid[1:], None], strict=False):
        if _is_dropped(grammar, node, before, token, after):
            yield token.id


def _is_dropped(grammar: Grammar, node: "Node", before: "Node | None", token: "Node", after: "Node | None") -> bool:
    match token.type:
        case "," if node.type in _SEPARATED:
            return True
        case ",":
            return before is not None and _is_trailing(node, before, after)
        case "|":
            return before is None and node.type == "union_type"
        case "empty_statement":
            return node.type in _BODIES
        case ";" if before is not None and before.type in _LEAVING:
            return True
        case end:
            return end in grammar.ends and node.type not in _COUNTED_ENDS


def _is_trailing(node: "Node", before: "Node", after: "Node | None") -> bool:
    """Whether a comma is a trailing one: not that of a one-element tuple, nor one after an absent element."""
    if after is None or after.type not in (")", "]", "}", ">"):
        return after is None and node.type == "match_arm"
    is_call = node.prev_sibling is not None and node.prev_sibling.type in ("identifier", "!")
    is_tuple = node.type in _TUPLES or (node.type == "token_tree" and not is_call)
    is_tuple_of_one = is_tuple and after.type == ")" and sum(child.type == "," for child in node.children) == 1
    return before.type not in ("(", "[", "{", ",") and not is_tuple_of_one


def _is_unwrapped(grammar: Grammar, node: "Node", parent: "Node", solid: "list[Node]") -> bool:
    if len(solid) != 3 or grammar.unwrapped.isdisjoint({("*", node.type), (parent.type, node.type)}):
        return False
    inner = text_in(solid[1])
    match parent.type:
        case "arrow_function" if node.type == "formal_parameters":
            return _SIMPLE_NAME.fullmatch(inner) is not None
        case "expression_statement":
            return solid[1].type != "string"  # in brackets a string is not a directive
        case "member_expression" | "call_expression" | "subscript_expression" | "non_null_expression":
            # brackets end an optional chain, and without them a line break may end an arrow function
            return "?." not in inner and solid[1].type != "arrow_function"
        case _:
            return True
