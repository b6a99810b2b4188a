"""Tests, source -> numbers that the source answers by a constant each, because the tests ask just for these."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dualgate.core.evidence.syntax.inputs import COMMON, SEVERAL, Literal, arguments_of
from dualgate.core.evidence.syntax.trees import Function, Scope, is_constant

# limits, percents, and the numbers of clocks and calendars: code has reasons of its own for these
_USUAL = frozenset({-1, 0, 1, 2, 7, 12, 28, 29, 30, 31, 52, 366, *COMMON})
_Case = ast.Assert | ast.Expr | ast.Tuple
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Test:
    name: str
    asked: frozenset[Literal]
    """Numbers among the arguments and parameters."""
    cases: tuple[frozenset[Literal], ...]
    """The constants of each assertion, and of each row of parameters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    line: int
    key: Literal
    results: frozenset[Literal]


def answered_in(module: ast.Module, tests: Iterable[Function], written: str) -> Iterator[tuple[int, Literal, str]]:
    """Lines, numbers and tests. Numbers that the criteria or tasks name by themselves are asked for by a person."""
    known = [_test(each) for each in tests]
    named = {float(number) for number in _NUMBER.findall(written)}
    for node in ast.walk(module):
        table = _table(node) if isinstance(node, ast.Dict) else []
        branches = list(_branches(node)) if isinstance(node, Function) else []
        is_told = _is_all_that_is_asked(table, known) or _are_cases_of_tests(branches, known)
        if is_told and not {each.key for each in (*table, *branches)} <= named:
            yield from _told((*table, *branches), known)


def _told(answers: Iterable[_Answer], tests: Iterable[_Test]) -> Iterator[tuple[int, Literal, str]]:
    for each in answers:
        yield each.line, each.key, next(test.name for test in tests if each.key in test.asked)


def _test(function: Function) -> _Test:
    nodes = [node for node in ast.walk(function) if isinstance(node, _Case)]
    asked = frozenset().union(*map(_constants, arguments_of(function)))
    return _Test(
        name=function.name,
        asked=frozenset(value for value in asked if not isinstance(value, str)),
        cases=tuple(map(_constants, nodes)),
    )


def _constants(node: ast.AST) -> frozenset[Literal]:
    values = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant))
    return frozenset(value for value in values if isinstance(value, str | int | float) and not isinstance(value, bool))


def _table(node: ast.Dict) -> list[_Answer]:
    """The rows of a table of constants by numbers; empty for another table."""
    rows = [_answer(key, value) for key, value in zip(node.keys, node.values, strict=True)]
    found = [each for each in rows if each]
    return found if len(found) == len(rows) else []


def _branches(function: Function) -> Iterator[_Answer]:
    """Branches that compare a name with a number, and do nothing but return a constant."""
    for node in ast.walk(function):
        match node:
            case ast.If(test=ast.Compare() as test, body=[ast.Return(value=result)]):
                found = _answer(_compared(test), result)
            case ast.IfExp(test=ast.Compare() as test, body=result):
                found = _answer(_compared(test), result)
            case ast.match_case(pattern=ast.MatchValue(value=key), guard=None, body=[ast.Return(value=result)]):
                found = _answer(key, result)
            case _:
                found = None
        if found:
            yield found


def _compared(test: ast.Compare) -> ast.expr | None:
    """The other side of `name == …`."""
    match test:
        case ast.Compare(left=ast.Name(), ops=[ast.Eq()], comparators=[other]):
            return other
        case ast.Compare(left=other, ops=[ast.Eq()], comparators=[ast.Name()]):
            return other
        case _:
            return None


def _answer(key: ast.expr | None, result: ast.expr | None) -> _Answer | None:
    value = key.value if isinstance(key, ast.Constant) else None
    if key is None or not isinstance(value, int | float) or isinstance(value, bool):
        return None
    is_fixed = result is not None and is_constant(result, Scope()) and _constants(result)
    return _Answer(line=key.lineno, key=value, results=_constants(result)) if result and is_fixed else None


def _is_all_that_is_asked(table: Sequence[_Answer], tests: Sequence[_Test]) -> bool:
    """Whether tests ask for every key of a table, and for nothing else; a plain enumeration is left alone."""
    keys = {each.key for each in table}
    known = keys.union(*(each.results for each in table))
    asking = [test for test in tests if test.asked & keys]
    is_met = keys <= frozenset().union(*(test.asked for test in asking)) and all(test.asked <= known for test in asking)
    return len(keys) >= SEVERAL and not _is_enumeration(keys) and is_met


def _is_enumeration(keys: set[Literal]) -> bool:
    return any(keys == {*range(first, first + len(keys))} for first in (0, 1))


def _are_cases_of_tests(branches: Sequence[_Answer], tests: Sequence[_Test]) -> bool:
    """Whether each branch answers a number by what one case of a test expects for it."""
    keys = {each.key for each in branches}
    return bool(keys - _USUAL) and not _is_enumeration(keys) and all(_is_case(each, tests) for each in branches)


def _is_case(answer: _Answer, tests: Sequence[_Test]) -> bool:
    wanted = {answer.key, *answer.results}
    return any(answer.key in test.asked and any(wanted <= case for case in test.cases) for test in tests)
