"""Statements of JavaScript -> the tests and groups of tests that they make."""

from typing import TYPE_CHECKING

from dualgate.languages.trees import field_of, is_comment, root_name, text_in

if TYPE_CHECKING:
    from tree_sitter import Node

TESTS = frozenset({"test", "it", "specify"})
GROUPS = frozenset({"describe", "context", "suite"})
FUNCTIONS = frozenset(
    {
        *("arrow_function", "function_expression", "function_declaration", "method_definition"),
        *("generator_function", "generator_function_declaration"),
    }
)


def call_of_test(statement: "Node") -> "Node | None":
    """The call of a statement that makes a test or a group; None if it does something else."""
    call = next(iter(statement.named_children), None) if statement.type == "expression_statement" else None
    is_test = call is not None and call.type == "call_expression" and root_name(call) in TESTS | GROUPS
    return call if is_test else None


def arguments_of(call: "Node") -> "list[Node]":
    found = field_of(call, "arguments")
    return [each for each in found.named_children if not is_comment(each)] if found is not None else []


def block_of(call: "Node") -> "Node | None":
    """The block of the function that a call gets as its last argument."""
    last = next(reversed(arguments_of(call)), None)
    body = field_of(last, "body") if last is not None and last.type in FUNCTIONS else None
    return body if body is not None and body.type == "statement_block" else None


def title_of(call: "Node") -> str:
    """The title of a test; empty if it is no text."""
    first = next(iter(arguments_of(call)), None)
    return text_in(first)[1:-1] if first is not None and first.type in ("string", "template_string") else ""


def statements_in(call: "Node") -> "list[Node]":
    """The statements of a group."""
    block = block_of(call) if root_name(call) in GROUPS else None
    return block.named_children if block is not None else []
