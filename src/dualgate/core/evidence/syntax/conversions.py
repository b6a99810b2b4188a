"""A test file before and after -> whether a test asks for the same values, as with `list(f()) == [1]` for `f() == [1]`.

A function that returns an iterator instead of a list needs this of its tests, which then pass with both.
"""

import ast
from collections.abc import Iterator
from copy import deepcopy

from dualgate.core.evidence.syntax.trees import Function, imports_in, parsed

_CONVERSIONS = frozenset({"list", "tuple"})
_IMPORTS = (ast.Import, ast.ImportFrom)


def only_converts(before: str, after: str, name: str) -> bool:
    """Whether a test differs in conversions only, and its file in tests and in imports of new names at most."""
    old, new = parsed(before), parsed(after)
    if old is None or new is None or _rebinds(new) or not _only_adds_imports(old, new):
        return False
    own = _tests_of(old, name)
    return bool(own) and own == _tests_of(new, name) and _rest(old, new) == _rest(new, old)


def _rebinds(tree: ast.Module) -> bool:
    """Whether anything in a file but an import takes the name of a conversion."""
    return any(_bound(node) in _CONVERSIONS for node in ast.walk(tree))


def _bound(node: ast.AST) -> str:
    match node:
        case ast.Name(ctx=ast.Store() | ast.Del()):
            return node.id
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return node.name
        case ast.arg():
            return node.arg
        case _:
            return ""


def _only_adds_imports(old: ast.Module, new: ast.Module) -> bool:
    before, after = imports_in(ast.walk(old)), imports_in(ast.walk(new))
    added = after.keys() - before.keys()
    used = {node.id for node in ast.walk(old) if isinstance(node, ast.Name)} | {*_defined(old)}
    return before.items() <= after.items() and added.isdisjoint({"*", *_CONVERSIONS, *used})


def _defined(tree: ast.Module) -> Iterator[str]:
    return (node.name for node in ast.walk(tree) if isinstance(node, Function | ast.ClassDef))


def _tests_of(tree: ast.Module, name: str) -> list[str]:
    found = (node for node in ast.walk(tree) if isinstance(node, Function) and node.name == name)
    return [ast.dump(_Bare().visit(deepcopy(node))) for node in found]


def _rest(tree: ast.Module, other: ast.Module) -> list[str]:
    """The content of a file without tests, imports, and classes of only tests that the other file lacks."""
    known = {*_defined(other)}
    left = (node for node in tree.body if not isinstance(node, _IMPORTS) and not _is_test(node))
    bare = (_without_tests(node) for node in left)
    return [ast.dump(node) for node in bare if not (_is_empty(node) and _bound(node) not in known)]


def _is_test(node: ast.stmt) -> bool:
    return isinstance(node, Function) and node.name.startswith("test")


def _without_tests(node: ast.stmt) -> ast.stmt:
    if not isinstance(node, ast.ClassDef):
        return node
    bare = deepcopy(node)
    bare.body = [each for each in node.body if not _is_test(each)]
    return bare


def _is_empty(node: ast.stmt) -> bool:
    return isinstance(node, ast.ClassDef) and len(node.body) == (ast.get_docstring(node, clean=False) is not None)


class _Bare(ast.NodeTransformer):
    """Take conversions away where a value is compared for equality, assigned, gone through, or not used at all."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        if all(isinstance(each, ast.Eq | ast.NotEq) for each in node.ops):
            node.left, node.comparators = _bare(node.left), [_bare(each) for each in node.comparators]
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        node.value = _bare(node.value)
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        node.value = _bare(node.value)
        return self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.AST:
        node.iter = _bare(node.iter)
        return self.generic_visit(node)


def _bare(node: ast.expr) -> ast.expr:
    match node:
        case ast.Call(func=ast.Name(id=name), args=[value], keywords=[]) if name in _CONVERSIONS:
            return value
        case _:
            return node
