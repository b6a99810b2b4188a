"""Statements of a test -> its checks: assertions, and calls that may assert. What is unsure counts as a check."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from dualgate.core.evidence.syntax.trees import (
    Function,
    Scope,
    calls_in,
    last_name,
    name_parts,
)

SAYS_CHECK = re.compile(
    r"assert|check|verif|expect|rais|should|match|warns|compar|ensure|fail|must|valid|approx|that|snapshot|bench|equal"
    r"|exit|regress|testmod|requir|test_|confirm|diff|golden|approv",
    re.IGNORECASE,
)
OF_TESTS = re.compile(r"(^|\.)(tests?|testing|conftest|\w*helpers?|support|common|utils?|harness|factories)(\.|$)")
_OUTCOMES = frozenset({"fail", "raises", "warns", "exit", "deprecated_call"})
"""Functions of pytest whose failure `except Exception` does not catch."""
_RAISES = frozenset({"raises", "assertRaises", "assertRaisesRegex"})
_CATCHING = {"AssertionError": False, "Exception": False, "BaseException": True}
"""Types that catch an AssertionError, and whether they catch a failure of pytest too."""

_PRINTS = re.compile(r"^(print|str|repr|log|debug|info|warn|warning|error|exception)$")

UNREACHABLE = "asserts only after the test has ended"
NEVER = "asserts only in a branch or a loop that is never entered"
NEVER_CALLED = "asserts only in an inner function that is never called"
SWALLOWED = "catches the failures of its own assertions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    node: ast.Assert | ast.Raise | ast.Call
    dead: str = ""
    """Why it cannot make the test fail; empty if it can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Functions that a test can call, and whether each may assert."""

    asserting: Mapping[str, bool] = field(default_factory=dict)
    unsure: frozenset[str] = frozenset()
    """Names whose calls may assert: fixtures of others, and imports of helpers that were not read."""
    scope: Scope = field(default_factory=Scope)


def asserting_functions(nodes: Iterable[ast.AST]) -> dict[str, bool]:
    """All functions by name, and whether one of that name asserts, itself or through those that it calls."""
    found: dict[str, list[Function]] = {}
    for node in nodes:
        if isinstance(node, Function):
            found.setdefault(node.name, []).append(node)
    calls = {name: {last_name(call) for each in nodes for call in calls_in(each)} for name, nodes in found.items()}
    asserts = {name for name, nodes in found.items() if any(map(_asserts_itself, nodes))}
    asserts |= {name for name, called in calls.items() if any(SAYS_CHECK.search(each) for each in called - {*found})}
    while more := {name for name, called in calls.items() if called & asserts} - asserts:
        asserts |= more
    return {name: name in asserts for name in found}


def _asserts_itself(function: Function) -> bool:
    return any(isinstance(node, ast.Assert | ast.Raise) for node in ast.walk(function))


def unread_helpers(imports: Mapping[str, str], read: Iterable[str]) -> frozenset[str]:
    """Imported names that seem to come from helpers of tests, without those whose functions are known."""
    known = {*read}
    return frozenset(
        name for name, path in imports.items() if name not in known and (path[:1] == "." or OF_TESTS.search(path))
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Where:
    """The place of a statement: why a failure there has no effect."""

    dead: str = ""
    spares_outcomes: bool = False
    """Whether failures of pytest's own functions still have an effect."""

    def within(self, dead: str, spares_outcomes: bool = False) -> "_Where":
        is_dead = self.dead and not self.spares_outcomes
        return self if is_dead or not dead else _Where(dead=dead, spares_outcomes=spares_outcomes)


def checks_of(function: Function, known: Known) -> tuple[Check, ...]:
    return tuple(_Walk(function, known).block(function.body, _Where()))


class _Walk:
    """The walk over the statements of one test."""

    def __init__(self, function: Function, known: Known) -> None:
        self.known = known
        self.loaded = {
            node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }

    def block(self, body: Iterable[ast.stmt], where: _Where) -> Iterator[Check]:
        for statement in body:
            yield from self.statement(statement, where)
            if _ends(statement, self.known.scope):
                where = where.within(UNREACHABLE)

    def statement(self, node: ast.stmt, where: _Where) -> Iterator[Check]:
        match node:
            case ast.Assert() | ast.Raise():
                yield Check(node=node, dead=where.dead)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                is_called = node.name in self.loaded or node.decorator_list
                yield from self.block(node.body, where if is_called else where.within(NEVER_CALLED))
            case ast.If():
                yield from self.expression(node.test, where)
                truth = _truth(node.test, self.known.scope)
                yield from self.block(node.body, where.within(NEVER if truth is False else ""))
                yield from self.block(node.orelse, where.within(NEVER if truth is True else ""))
            case ast.For() | ast.AsyncFor() | ast.While():
                yield from self.loop(node, where)
            case ast.Try() | ast.TryStar():
                yield from self.attempt(node, where)
            case ast.With() | ast.AsyncWith():
                yield from self.context(node, where)
            case _:
                yield from self.others(node, where)

    def loop(self, node: ast.For | ast.AsyncFor | ast.While, where: _Where) -> Iterator[Check]:
        head = node.test if isinstance(node, ast.While) else node.iter
        yield from self.expression(head, where)
        is_empty = _truth(head, self.known.scope) is False
        yield from self.block(node.body, where.within(NEVER if is_empty else ""))
        yield from self.block(node.orelse, where)

    def attempt(self, node: ast.Try | ast.TryStar, where: _Where) -> Iterator[Check]:
        if any(isinstance(each, ast.Return | ast.Break | ast.Continue) for each in node.finalbody):
            where = where.within(SWALLOWED)
        inner = where
        for handler in node.handlers:
            catches = _catches([handler.type]) if handler.type else True
            is_passed_on = _is_passed_on(handler) or any(self.block(handler.body, _Where()))
            if catches is not None and not is_passed_on:
                inner = inner.within(SWALLOWED, spares_outcomes=not catches)
        yield from self.block(node.body, inner)
        for body in (*(handler.body for handler in node.handlers), node.orelse, node.finalbody):
            yield from self.block(body, where)

    def context(self, node: ast.With | ast.AsyncWith, where: _Where) -> Iterator[Check]:
        inner = where
        for call in (item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)):
            catches, name = _catches(call.args), last_name(call)
            if catches is not None and name == "suppress":
                inner = inner.within(SWALLOWED, spares_outcomes=not catches)
            elif catches is not None and name in _RAISES and _holds_assert(node.body):
                inner = where = where.within(SWALLOWED)
        for item in node.items:
            yield from self.expression(item.context_expr, where)
        yield from self.block(node.body, inner)

    def others(self, node: ast.AST, where: _Where) -> Iterator[Check]:
        """Expressions and blocks of the remaining statements, such as `match`."""
        for each in ast.iter_child_nodes(node):
            if isinstance(each, ast.stmt):
                yield from self.statement(each, where)
            elif isinstance(each, ast.expr):
                yield from self.expression(each, where)
            else:
                yield from self.others(each, where)

    def expression(self, node: ast.expr, where: _Where) -> Iterator[Check]:
        for call in calls_in(node):
            if self.may_assert(call):
                is_spared = where.spares_outcomes and last_name(call) in _OUTCOMES
                yield Check(node=call, dead="" if is_spared else where.dead)

    def may_assert(self, call: ast.Call) -> bool:
        parts = name_parts(call.func)
        if any(keyword.arg == "check" for keyword in call.keywords) or parts[0] in self.known.unsure:
            return True
        if parts[-1] in self.known.asserting:
            return self.known.asserting[parts[-1]]
        return any(SAYS_CHECK.search(part) for part in parts)


def _ends(node: ast.stmt, scope: Scope) -> bool:
    """Whether nothing after a statement is reached."""
    if isinstance(node, ast.If) and _truth(node.test, scope) is True:
        return any(_ends(each, scope) for each in node.body)
    return isinstance(node, ast.Return | ast.Raise | ast.Break | ast.Continue)


def _truth(node: ast.expr, scope: Scope) -> bool | None:
    """Whether an expression is always true or always false; None if that is not known."""
    match node:
        case ast.Constant():
            return bool(node.value)
        case ast.UnaryOp(op=ast.Not()):
            inner = _truth(node.operand, scope)
            return None if inner is None else not inner
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements) | ast.Dict(keys=elements):
            return bool(elements)
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(most))]):
            return most > 0
        case ast.Call(func=ast.Name(id="list" | "tuple" | "dict" | "set"), args=[], keywords=[]):
            return False
        case ast.Name(id="TYPE_CHECKING"):
            return False
        case ast.Name(id=name) if name in scope.values:
            value = scope.values[name]
            # a container that is used elsewhere may have been filled
            is_fixed = isinstance(value, ast.Constant) or scope.loads.get(name, 0) <= 1
            return _truth(value, Scope()) if is_fixed else None
        case _:
            return None


def _catches(types: Iterable[ast.expr]) -> bool | None:
    """Whether the types catch pytest's own failures too; None if they do not even catch an AssertionError."""
    given = [each for node in types for each in (node.elts if isinstance(node, ast.Tuple) else [node])]
    found = [_CATCHING[name] for name in map(last_name, given) if name in _CATCHING]
    return any(found) if found else None


def _is_passed_on(handler: ast.ExceptHandler) -> bool:
    """Whether a handler hands the error to something that does more than print it."""
    calls = (call for statement in handler.body for call in calls_in(statement) if not _PRINTS.search(last_name(call)))
    words = (word for call in calls for word in ast.walk(call) if isinstance(word, ast.Name))
    return handler.name is not None and any(word.id == handler.name for word in words)


def _holds_assert(body: Iterable[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Assert) for statement in body for node in ast.walk(statement))
