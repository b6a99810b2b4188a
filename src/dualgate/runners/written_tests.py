"""Source of a Python test file -> the tests that a runner would collect from it, by its syntax tree alone."""

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from dualgate.core.values.suite import CaseOutcome

Function = ast.FunctionDef | ast.AsyncFunctionDef
_GLOB = frozenset("*?[")
_IDLE_MARKS = {
    "skip": CaseOutcome.SKIPPED,
    "skipif": CaseOutcome.SKIPPED,
    "skipIf": CaseOutcome.SKIPPED,
    "skipUnless": CaseOutcome.SKIPPED,
    "xfail": CaseOutcome.XFAILED,
    "expectedFailure": CaseOutcome.XFAILED,
}
"""Marks with which a test may not run or may fail; their conditions are not known before the file is loaded."""
_IMPLICIT = frozenset({"__file__", "__name__", "__doc__", "__path__", "__spec__", "__builtins__", "__class__"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The names by which a runner finds tests: beginnings or patterns, as in the configuration of pytest."""

    functions: Sequence[str] = ("test",)
    classes: Sequence[str] = ("Test",)
    only_cases: bool = False
    """Whether only classes of unittest hold tests, as for unittest itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenTest:
    names: tuple[str, ...]
    """Its classes, the outer one first, and its function."""
    line: int
    """The first line, decorators included."""
    idle: CaseOutcome | None = None
    """The outcome that its marks announce: skipped or expected to fail."""
    unbound: str = ""
    """A name that it uses and that the file binds nowhere: a mistake of the test."""


def written_tests(content: bytes, names: Names) -> tuple[WrittenTest, ...]:
    """The tests that are certain: those in a branch, or made when the file is loaded, are left out."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(_File(tree, names).tests())


@dataclass(slots=True)
class _File:
    tree: ast.Module
    names: Names
    classes: dict[str, ast.ClassDef] = field(init=False)
    bound: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.classes = {each.name: each for each in self.tree.body if isinstance(each, ast.ClassDef)}
        self.bound = frozenset(_bound(self.tree))

    def tests(self) -> Iterator[WrittenTest]:
        idle = _idle(_pytestmark(self.tree.body))
        members = _members(self.tree.body)
        functions = [] if self.names.only_cases else [each for each in members.values() if isinstance(each, Function)]
        for each in functions:
            if _is_named(each.name, self.names.functions) and not _is_fixture(each):
                yield self._test((), each, idle)
        for owner in members.values():
            if isinstance(owner, ast.ClassDef):
                yield from self._tests_of(owner, (), idle)

    def _tests_of(self, owner: ast.ClassDef, above: tuple[str, ...], idle: CaseOutcome | None) -> Iterator[WrittenTest]:
        is_case = any(map(_is_case, self._lineage(owner)))
        is_plain = not self.names.only_cases and _is_named(owner.name, self.names.classes)
        members: dict[str, ast.stmt] = {}
        for ancestor in reversed(list(self._lineage(owner))):
            members.update(_members(ancestor.body))
        if not (is_case or is_plain) or _is_switched_off(members, is_case):
            return
        wanted = ("test",) if is_case else self.names.functions
        idle = idle or _idle((*owner.decorator_list, *_pytestmark(owner.body)))
        for each in members.values():
            if isinstance(each, Function) and _is_named(each.name, wanted) and not _is_fixture(each):
                yield self._test((*above, owner.name), each, idle)
            elif isinstance(each, ast.ClassDef) and not self.names.only_cases:
                yield from self._tests_of(each, (*above, owner.name), idle)

    def _lineage(self, owner: ast.ClassDef) -> Iterator[ast.ClassDef]:
        """A class and those of its bases that are in the file, nearest first."""
        seen: set[str] = set()
        waiting = [owner]
        while waiting:
            each = waiting.pop(0)
            if each.name not in seen:
                seen.add(each.name)
                yield each
                bases = (base.id for base in each.bases if isinstance(base, ast.Name))
                waiting += [self.classes[name] for name in bases if name in self.classes]

    def _test(self, above: tuple[str, ...], function: Function, idle: CaseOutcome | None) -> WrittenTest:
        line = min((function.lineno, *(each.lineno for each in function.decorator_list)))
        return WrittenTest(
            names=(*above, function.name),
            line=line,
            idle=idle or _idle(function.decorator_list),
            unbound=next(self._unbound(function), ""),
        )

    def _unbound(self, function: Function) -> Iterator[str]:
        """Names that nothing in the file binds; a star import may bind any."""
        if "*" not in self.bound:
            loaded = (n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
            yield from (name for name in loaded if name not in self.bound and not hasattr(builtins, name))


def _bound(tree: ast.AST) -> Iterator[str]:
    yield from _IMPLICIT
    for node in ast.walk(tree):
        match node:
            case ast.Import() | ast.ImportFrom():
                yield from ((each.asname or each.name).partition(".")[0] for each in node.names)
            case ast.Global() | ast.Nonlocal():
                yield from node.names
            case ast.Name(ctx=ast.Store() | ast.Del()):
                yield node.id
            case ast.arg():
                yield node.arg
            case _:
                # functions, classes, caught errors, captures of a pattern and parameters of types
                yield from filter(None, (getattr(node, "name", None), getattr(node, "rest", None)))


def _members(body: Iterable[ast.stmt]) -> dict[str, ast.stmt]:
    """The meaning of each name of a body at its end."""
    found: dict[str, ast.stmt] = {}
    for node in body:
        if isinstance(node, Function | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.Delete):
            targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
            found.update({target.id: node for target in targets if isinstance(target, ast.Name)})
    return found


def _is_switched_off(members: Mapping[str, ast.stmt], is_case: bool) -> bool:
    """Whether pytest leaves a class out: it says so, or has an initializer."""
    node = members.get("__test__")
    says_so = isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and not node.value.value
    return says_so or (not is_case and not {"__init__", "__new__"}.isdisjoint(members))


def _is_case(owner: ast.ClassDef) -> bool:
    """Whether a class is one of unittest by the name of a base, such as TestCase or APITestCase."""
    return any(_last_name(base).endswith("TestCase") for base in owner.bases)


def _is_fixture(function: Function) -> bool:
    return any(_last_name(each).endswith("fixture") for each in function.decorator_list)


def _pytestmark(body: Iterable[ast.stmt]) -> list[ast.expr]:
    node = _members(body).get("pytestmark")
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    return value.elts if isinstance(value, ast.List | ast.Tuple) else [value] if value else []


def _idle(marks: Iterable[ast.expr]) -> CaseOutcome | None:
    return next((_IDLE_MARKS[name] for name in map(_last_name, marks) if name in _IDLE_MARKS), None)


def _last_name(node: ast.expr) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_named(name: str, wanted: Iterable[str]) -> bool:
    """As pytest compares: the beginning of a name, or a pattern."""
    return any(name.startswith(each) or (not _GLOB.isdisjoint(each) and fnmatchcase(name, each)) for each in wanted)
