"""Tests, source -> conditions and tables of the source that hold the very inputs of the tests."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeGuard

from dualgate.core.evidence.syntax.trees import Function, Scope, calls_in, is_constant

Literal = str | int | float
SEVERAL = 2
"""A single literal that tests and code share is a coincidence, or the name of a case."""
_SHARE = 2 / 3
"""A table is about the tests' inputs only if so many of its keys are."""
_SHORTEST, _SMALLEST = 3, 13
COMMON = frozenset({100, 1000, 1024, 10000, 60, 24, 365, 255, 256, 3600, "utf-8", "name", "value", "data", "test"})


def inputs_of(functions: Iterable[Function]) -> dict[str, frozenset[Literal]]:
    """Telling literals among the arguments and parameters of each test, without the names of its parameters."""
    found: dict[str, frozenset[Literal]] = {}
    for function in functions:
        names = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
        nodes = [inner for each in arguments_of(function) for inner in ast.walk(each)]
        values = {node.value for node in nodes if isinstance(node, ast.Constant) and _is_telling(node.value)}
        found[function.name] = frozenset(value for value in values if not names.issuperset(_words(value)))
    return found


def _words(value: Literal) -> list[str]:
    return value.replace(",", " ").split() if isinstance(value, str) else [str(value)]


def arguments_of(function: Function) -> Iterator[ast.expr]:
    """The arguments of all calls in a function, those of its decorators included."""
    return (each for call in calls_in(function) for each in (*call.args, *(k.value for k in call.keywords)))


def _is_telling(value: object) -> TypeGuard[Literal]:
    if isinstance(value, str):
        return len(value) >= _SHORTEST and value not in COMMON
    return isinstance(value, int | float) and abs(value) >= _SMALLEST and value not in COMMON


def echoes_in(module: ast.Module, inputs: Mapping[str, frozenset[Literal]]) -> Iterator[tuple[int, Literal, str]]:
    """Lines that answer inputs of tests by constants, if a function or a table does so with several of them."""
    for node in ast.walk(module):
        found: list[tuple[int, Literal]] = []
        if isinstance(node, Function):
            found = [each for inner in ast.walk(node) for each in _conditions(inner)]
        elif isinstance(node, ast.Dict) and all(is_constant(each, Scope()) for each in node.values):
            keys = (each for each in node.keys if isinstance(each, ast.Constant))
            found = [(each.lineno, each.value) for each in keys if isinstance(each.value, str | int | float)]
        own = [(line, value, test) for line, value in found for test in _asking(value, inputs)]
        is_about_them = isinstance(node, Function) or _is_all_that_is_asked(node, own, len(found), inputs)
        if len({value for _, value, _ in own}) >= SEVERAL and is_about_them:
            yield from own


def _asking(value: Literal, inputs: Mapping[str, frozenset[Literal]]) -> list[str]:
    """The first test that asks for a telling literal, if there is one."""
    return [name for name, asked in inputs.items() if _is_telling(value) and value in asked][:1]


def _is_all_that_is_asked(
    table: ast.AST, own: Iterable[tuple[int, Literal, str]], rows: int, inputs: Mapping[str, frozenset[Literal]]
) -> bool:
    """Whether most keys of a table are inputs, and the tests that ask for these ask for nothing else."""
    keys = {value for _, value, _ in own}
    known = {each.value for each in ast.walk(table) if isinstance(each, ast.Constant)}
    return len(keys) >= _SHARE * rows and all(asked <= known for asked in inputs.values() if asked & keys)


def _conditions(node: ast.AST) -> Iterator[tuple[int, Literal]]:
    """Constants that a branch with a constant result compares with."""
    if isinstance(node, ast.If | ast.IfExp):
        body = node.body if isinstance(node, ast.If) else [ast.Return(value=node.body)]
        compared = [each for each in ast.walk(node.test) if isinstance(each, ast.Compare)]
        constants = [inner for each in compared for inner in ast.walk(each) if isinstance(inner, ast.Constant)]
    elif isinstance(node, ast.match_case):
        body = node.body
        constants = [each for each in ast.walk(node.pattern) if isinstance(each, ast.Constant)]
    else:
        return
    if any(isinstance(each, ast.Return) and each.value and is_constant(each.value, Scope()) for each in body):
        yield from ((each.lineno, each.value) for each in constants if isinstance(each.value, str | int | float))
