"""Python statements -> the names that they bind, and the names that existing tests depend on."""

import ast
from collections.abc import Iterable, Iterator

from dualgate.languages.expressions import Function, last_name
from dualgate.languages.imports import Import, name_bound, split

_ASKING = frozenset(
    {
        *("usefixtures", "getfixturevalue", "parametrize", "lazy_fixture", "fixture"),
        *("setattr", "getattr", "delattr", "patch", "object", "multiple"),
    }
)
"""Functions that take names as texts."""


def names_of(node: ast.AST) -> frozenset[str]:
    """The names that a statement binds where it stands."""
    return frozenset(_bound(node))


def _bound(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
            # an assignment in a decorator or a default binds its name where the function stands
            yield from _bound_in(child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
            if not isinstance(node, ast.ClassDef):
                yield from _bound_in((*node.args.defaults, *filter(None, node.args.kw_defaults)))
        case ast.Import() | ast.ImportFrom():
            yield from map(name_bound, split([node]))
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
            yield from _bound_in(ast.iter_child_nodes(node))
        case ast.Lambda():
            return
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            named = (each for each in ast.walk(node) if isinstance(each, ast.NamedExpr))
            yield from (each.target.id for each in named)
        case _:
            yield from _bound_in(ast.iter_child_nodes(node))


def _bound_in(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        yield from _bound(node)


def names_used(module: ast.Module) -> frozenset[str]:
    """Names that tests take from outside: globals, builtins, arguments (fixtures) and names asked for as texts."""
    return frozenset(_free(module, frozenset()))


def _free(node: ast.AST, local: frozenset[str]) -> Iterator[str]:
    match node:
        case ast.Name(id=name):
            yield from () if name in local else (name,)
        case ast.Global(names=names):
            yield from names
        case ast.Call(func=function) if last_name(function) in _ASKING:
            texts = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant))
            yield from (word.strip() for text in texts if isinstance(text, str) for word in _words(text))
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from (each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg))
    inner = local | locals_of(node) | imports_of(node) if isinstance(node, Function) else local
    for child in ast.iter_child_nodes(node):
        yield from _free(child, inner if isinstance(child, ast.stmt) else local)


def locals_of(function: Function) -> frozenset[str]:
    """Names that a function binds for itself, without those that it imports."""
    nodes = [each for each in ast.walk(function) if each is not function]
    shared = {name for each in nodes if isinstance(each, ast.Global | ast.Nonlocal) for name in each.names}
    arguments = {each.arg for each in nodes if isinstance(each, ast.arg)}
    stored = {each.id for each in nodes if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)}
    defined = {each.name for each in nodes if isinstance(each, Function | ast.ClassDef)}
    caught = {each.name for each in nodes if isinstance(each, ast.ExceptHandler) and each.name}
    return frozenset((arguments | stored | defined | caught) - shared)


def imports_of(function: Function) -> frozenset[str]:
    return frozenset(map(name_bound, split(each for each in ast.walk(function) if isinstance(each, Import))))


def _words(text: str) -> list[str]:
    return text.replace(".", ",").replace(":", ",").split(",")
