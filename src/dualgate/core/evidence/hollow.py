"""Source of a test file -> the tests that cannot fail, by their syntax tree. What is unsure is not hollow."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from dualgate.core.evidence.syntax.always_true import why_always_true
from dualgate.core.evidence.syntax.assertions import (
    SAYS_CHECK,
    Known,
    asserting_functions,
    checks_of,
    unread_helpers,
)
from dualgate.core.evidence.syntax.mocks import why_only_mocks
from dualgate.core.evidence.syntax.trees import Function, file_scope, name_parts, parsed, scope_of, text_of

NO_ASSERTION = "has no assertion"
_FIXTURES = frozenset(
    [
        "self",
        "cls",
        "request",
        "tmp_path",
        "tmp_path_factory",
        "tmpdir",
        "tmpdir_factory",
        "monkeypatch",
        "mocker",
        "capsys",
        "capfd",
        "capsysbinary",
        "capfdbinary",
        "caplog",
        "recwarn",
        "pytestconfig",
        "cache",
        "doctest_namespace",
        "event_loop",
    ]
)
"""Fixtures of pytest and its common plug-ins, which assert nothing."""
_CHECKING_MARKS = frozenset({"xfail", "filterwarnings", "timeout", "usefixtures", "limit_memory", "limit_leaks"})
_LIFE = frozenset(
    [
        "setUp",
        "tearDown",
        "asyncSetUp",
        "asyncTearDown",
        "setUpClass",
        "tearDownClass",
        "setup_method",
        "teardown_method",
        "setup_class",
        "teardown_class",
        "setup_function",
        "teardown_function",
        "setup_module",
        "teardown_module",
    ]
)
_PLAIN_BASES = frozenset({"TestCase", "IsolatedAsyncioTestCase", "object", "ABC"})
_PARTS = re.compile(r"::|\.")


@dataclass(frozen=True, slots=True, kw_only=True)
class HollowTest:
    name: str
    """The name that was asked for, such as `TestFee::test_ac1`."""
    line: int
    why: str


class _File:
    """A test file and its helpers, read once for all tests of it."""

    def __init__(self, module: ast.Module, helpers: Iterable[ast.Module]) -> None:
        modules = [module, *helpers]
        nodes = [node for each in modules for node in ast.walk(each)]
        self.asserting = asserting_functions(nodes)
        self.scope = file_scope(module)
        self.functions = {each.name: each for each in module.body if isinstance(each, Function)}
        self.classes = {node.name: node for node in ast.walk(module) if isinstance(node, ast.ClassDef)}
        self.checks_always = any(map(_is_checking_autouse, nodes))

    def find(self, name: str) -> tuple[Function | None, ast.ClassDef | None]:
        """The function of a test and its class; None if it is inherited or made when the file is loaded."""
        *leading, last = _PARTS.split(name)
        owner = self.classes.get(leading[-1]) if leading else None
        if owner is None:
            return self.functions.get(last), None
        return {each.name: each for each in owner.body if isinstance(each, Function)}.get(last), owner


def hollow_tests(text: str, tests: Iterable[str], helpers: Iterable[str] = ()) -> tuple[HollowTest, ...]:
    """The hollow ones among the named tests of a file; `helpers` are the texts of files whose functions they call."""
    return _hollow_ones(text, tuple(dict.fromkeys(tests)), tuple(helpers))


@lru_cache(maxsize=32)  # one turn looks at the same texts several times
def _hollow_ones(text: str, tests: tuple[str, ...], helpers: tuple[str, ...]) -> tuple[HollowTest, ...]:
    module = parsed(text)
    if module is None:
        return ()
    file = _File(module, filter(None, map(parsed, helpers)))
    return tuple(filter(None, (_examined(name, file) for name in tests)))


def _examined(name: str, file: _File) -> HollowTest | None:
    function, owner = file.find(name)
    if function is None or any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function)):
        return None
    scope = scope_of(file.scope, function)
    foreign = _foreign_fixtures(function, file.asserting)
    unsure = foreign | unread_helpers(scope.imports, file.asserting)
    checks = checks_of(function, Known(asserting=file.asserting, unsure=unsure, scope=scope))
    if not checks:
        is_sure = not foreign and not _may_check_outside(function, owner, file)
        return HollowTest(name=name, line=function.lineno, why=NO_ASSERTION) if is_sure else None
    reasons = [check.dead or why_always_true(check.node, scope) for check in checks]
    if all(reasons):
        return HollowTest(name=name, line=checks[0].node.lineno, why=reasons[0])
    mocked = why_only_mocks(function, scope)
    return HollowTest(name=name, line=function.lineno, why=mocked) if mocked else None


def _foreign_fixtures(function: Function, asserting: Mapping[str, bool]) -> frozenset[str]:
    """Parameters that are fixtures of others, or of the project's own that assert: these may check something."""
    names = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    given = {name for each in function.decorator_list for name in _parametrised(each)}
    return frozenset(name for name in names - given - _FIXTURES if asserting.get(name, True))


def _parametrised(decorator: ast.expr) -> Iterator[str]:
    if name_parts(decorator)[-1] == "parametrize" and isinstance(decorator, ast.Call) and decorator.args:
        first = decorator.args[0]
        texts = first.elts if isinstance(first, ast.Tuple | ast.List) else [first]
        for text in map(text_of, texts):
            yield from re.split(r"[\s,]+", text)


def _may_check_outside(function: Function, owner: ast.ClassDef | None, file: _File) -> bool:
    """Whether something around a test may fail it: a decorator, a base class, a set-up or tear-down, a fixture."""
    around = [*function.decorator_list, *(owner.decorator_list if owner else [])]
    bases = {name_parts(base)[-1] for base in (owner.bases if owner else [])}
    is_life = any(file.asserting.get(name, False) for name in _LIFE)
    return not all(map(_is_harmless, around)) or not bases <= _PLAIN_BASES or is_life or file.checks_always


def _is_harmless(decorator: ast.expr) -> bool:
    parts = name_parts(decorator)
    if "mark" in parts:
        return parts[-1] not in _CHECKING_MARKS and SAYS_CHECK.search(parts[-1]) is None
    return "patch" in parts or parts[-1] in ("staticmethod", "classmethod", "skipIf", "skipUnless", "skip")


def _is_checking_autouse(node: ast.AST) -> bool:
    """Whether it is a fixture that is always used, and that asserts."""
    if not isinstance(node, Function):
        return False
    calls = (each for each in node.decorator_list if isinstance(each, ast.Call))
    is_autouse = any(keyword.arg == "autouse" for each in calls for keyword in each.keywords)
    return is_autouse and any(isinstance(inner, ast.Assert | ast.Raise) for inner in ast.walk(node))
