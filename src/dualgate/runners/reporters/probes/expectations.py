"""Expected literals of a test: changed one by one, to see whether the test looks at what it expects."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from .. import witness
from .assertions import definition_of

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 3
LITERALS = (int, float, str, bytes)
DISPLAYS = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context)
COMPARED = (ast.Eq, ast.Is, ast.In)
COMPARING = frozenset(("assertEqual", "assertEquals", "assertIs", "assertIn", "assertListEqual", "assertDictEqual"))
FAILING = ("assert", "fail", "check", "expect", "verify")


def changed_codes(function: Any) -> Iterator[Any]:
    """The code of a test with one of its expected literals changed; none if it expects no literal of its own."""
    code = witness.code_of(function)
    node = definition_of(code) if code is not None else None
    if node is None:
        return
    every = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
    made = 0
    for value in expected_in(node):
        # a literal that stands elsewhere too may be an input, which the result follows
        if sum(is_same(value, other) for other in every) == 1 and made < MOST:
            constants, is_found = exchanged(code.co_consts, value)
            if is_found:
                made += 1
                yield code.replace(co_consts=constants)


def unwrapped(function: Any) -> Any:
    """The function whose code runs, below its wrappers."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return getattr(function, "__func__", function)


def expected_in(function: Any) -> Iterator[Any]:
    """Literals that results are compared with; a condition that only chooses what the test does expects nothing."""
    choosing = {each for condition in conditions_in(function) for each in ast.walk(condition)}
    for node in ast.walk(function):
        if node in choosing:
            continue
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], COMPARED):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in COMPARING:
            sides = node.args[:2]
        else:
            continue
        yield from (value for side in sides if is_literal(side) for value in values_in(side))


def conditions_in(function: Any) -> Iterator[Any]:
    """Conditions that do not decide whether the test fails."""
    for node in ast.walk(function):
        if isinstance(node, ast.comprehension):
            yield from node.ifs
        elif isinstance(node, ast.IfExp) or (isinstance(node, (ast.If, ast.While)) and not can_fail(node)):
            yield node.test


def can_fail(block: Any) -> bool:
    """Whether a statement asserts, raises, or calls a function that asserts or fails."""
    called = (each.func for each in ast.walk(block) if isinstance(each, ast.Call))
    names = [str(getattr(each, "attr", getattr(each, "id", ""))) for each in called]
    has_statement = any(isinstance(each, (ast.Assert, ast.Raise)) for each in ast.walk(block))
    return has_statement or any(name.startswith(FAILING) for name in names)


def is_literal(node: Any) -> bool:
    """Whether an expression is made of constants only; a tolerance around one and an object of them count too."""
    if isinstance(node, ast.Call):
        name = str(getattr(node.func, "attr", getattr(node.func, "id", "")))
        return (name == "approx" or name[:1].isupper()) and bool(node.args) and all(map(is_literal, node.args))
    return all(isinstance(each, (ast.Constant, *DISPLAYS)) for each in ast.walk(node))


def values_in(node: Any) -> Iterator[Any]:
    parts = node.args if isinstance(node, ast.Call) else [node]
    for each in (inner for part in parts for inner in ast.walk(part)):
        if isinstance(each, ast.Constant) and isinstance(each.value, LITERALS):
            yield each.value


def is_same(value: Any, other: Any) -> bool:
    return type(value) is type(other) and bool(value == other)


def exchanged(constants: tuple[Any, ...], value: Any) -> tuple[tuple[Any, ...], bool]:
    """Constants with one value changed, in tuples that Python folds too."""
    found = False
    made = []
    for each in constants:
        if is_same(each, value):
            each, found = other_than(value), True
        elif isinstance(each, tuple):
            each, is_inside = exchanged(each, value)
            found = found or is_inside
        made.append(each)
    return tuple(made), found


def other_than(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    return value + ("~" if isinstance(value, str) else b"~")
