"""Assertion -> why it holds whatever the code under test does; empty if it depends on that code."""

import ast
from collections.abc import Callable, Mapping

from dualgate.core.evidence.syntax.trees import Scope, argument, is_constant, last_name, name_parts, text_of

CONSTANT = "asserts only constants"
A_TUPLE = "asserts a tuple, which is always true"
ITSELF = "compares an expression with itself"
EXISTS = "asserts only that a name exists"
ALWAYS = "asserts a comparison that is always true"

_ANYTHING = frozenset({"type", "object", "Callable", "FunctionType", "ModuleType"})
_EXISTENCE = frozenset({"callable", "hasattr", "isfunction", "ismodule", "isclass", "isroutine"})
_TRUTHS = frozenset({"assertTrue", "assert_", "failUnless"})
_PAIRS = frozenset(
    [
        "assertEqual",
        "assertEquals",
        "assertIs",
        "assertAlmostEqual",
        "assertListEqual",
        "assertDictEqual",
        "assertTupleEqual",
        "assertSetEqual",
        "assertSequenceEqual",
        "assertMultiLineEqual",
        "assertCountEqual",
        "assertGreaterEqual",
        "assertLessEqual",
    ]
)
_OTHERS = frozenset(
    [
        *("assertFalse", "assertIn", "assertNotIn", "assertNotEqual", "assertIsNone", "assertIsNotNone"),
        *("assertGreater", "assertLess", "assertIsInstance", "assertIsNot", "assertRegex"),
    ]
)
_OF_CONSTANTS = _TRUTHS | _PAIRS | _OTHERS


def why_always_true(node: ast.AST, scope: Scope) -> str:
    """Of an `assert`, or of an assertion of unittest; of anything else nothing is known."""
    if isinstance(node, ast.Assert):
        return _why(node.test, scope)
    return _of_unittest(node, scope) if isinstance(node, ast.Call) else ""


def _of_unittest(call: ast.Call, scope: Scope) -> str:
    name, first, second = last_name(call), argument(call, 0), argument(call, 1)
    if first is None or name not in _OF_CONSTANTS:
        return ""
    if all(is_constant(each, scope) for each in call.args):
        return CONSTANT
    if name in _TRUTHS:
        return _why(first, scope)
    if name in _PAIRS and second is not None:
        return _same(first, second)
    if name == "assertIsNotNone":
        return EXISTS if _exists(first, scope) else ""
    return _instance(first, second, scope) if name == "assertIsInstance" and second is not None else ""


def _why(node: ast.expr, scope: Scope) -> str:
    if isinstance(node, ast.Tuple) and node.elts:
        return A_TUPLE
    if is_constant(node, scope):
        return CONSTANT
    find = _BY_TYPE.get(type(node))
    return find(node, scope) if find else ""


def _of_several(node: ast.BoolOp, scope: Scope) -> str:
    found = [_why(each, scope) for each in node.values if not _is_false(each)]
    is_enough = any(found) if isinstance(node.op, ast.Or) else all(found)
    return next(filter(None, found)) if is_enough else ""


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value


def _compared(node: ast.Compare, scope: Scope) -> str:
    if len(node.ops) > 1:
        return ""
    left, operator, right = node.left, node.ops[0], node.comparators[0]
    if isinstance(operator, ast.Eq | ast.LtE | ast.GtE) or (isinstance(operator, ast.Is) and not _calls(left)):
        is_length = isinstance(operator, ast.GtE) and name_parts(left) == ("len",) and _is_zero(right)
        return ALWAYS if is_length else _same(left, right)
    if isinstance(operator, ast.IsNot | ast.NotEq):
        return EXISTS if _is_none(right) and _exists(left, scope) else ""
    is_listed = isinstance(operator, ast.In) and text_of(left) and isinstance(right, ast.Call)
    return EXISTS if is_listed and last_name(right) in ("dir", "vars") else ""


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def _calls(node: ast.expr) -> list[str]:
    return [last_name(each) for each in ast.walk(node) if isinstance(each, ast.Call)]


def _same(left: ast.expr, right: ast.expr) -> str:
    """Two objects of one class are equal only if the class says so, so that is left to other evidence."""
    makes_objects = any(name[:1].isupper() for name in _calls(left))
    return ITSELF if ast.dump(left) == ast.dump(right) and not makes_objects else ""


def _called(node: ast.Call, scope: Scope) -> str:
    name, first, second = last_name(node), argument(node, 0), argument(node, 1)
    if first is None:
        return ""
    if name == "bool":
        return _why(first, scope)
    if name in _EXISTENCE:
        return EXISTS if _is_imported(first, scope) else ""
    return _instance(first, second, scope) if name == "isinstance" and second is not None else ""


def _instance(first: ast.expr, second: ast.expr, scope: Scope) -> str:
    name = last_name(second)
    if name == "object":
        return ALWAYS
    return EXISTS if name in _ANYTHING and _is_imported(first, scope) else ""


def _bare(node: ast.expr, scope: Scope) -> str:
    return EXISTS if _exists(node, scope) else ""


def _exists(node: ast.expr, scope: Scope) -> bool:
    """Whether it is an imported name, or an attribute of a module. The value of a constant is behaviour."""
    if isinstance(node, ast.Attribute) and not (isinstance(node.value, ast.Name) and node.value.id in scope.modules):
        return False
    return _is_imported(node, scope) and not last_name(node).isupper()


def _is_imported(node: ast.expr, scope: Scope) -> bool:
    match node:
        case ast.Name() if node.id in scope.values:
            return _is_imported(scope.values[node.id], Scope(imports=scope.imports, modules=scope.modules))
        case ast.Name():
            return node.id in scope.imports
        case ast.Attribute():
            return _is_imported(node.value, scope)
        case ast.Call(args=[first, *_]):
            name = last_name(node)
            return name == "import_module" or (name == "getattr" and _is_imported(first, scope))
        case _:
            return False


_BY_TYPE: Mapping[type[ast.expr], Callable[..., str]] = {
    ast.BoolOp: _of_several,
    ast.Compare: _compared,
    ast.Call: _called,
    ast.Name: _bare,
    ast.NamedExpr: lambda node, scope: _why(node.value, scope),
}
