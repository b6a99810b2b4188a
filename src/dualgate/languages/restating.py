"""A Python module -> the same without what tools and people rewrite in tests without changing what these ask.

Hints of types, texts of docstrings, an explicit `object`, empty brackets of decorators, and what linters rewrite. Two
modules that differ in no more are not equal beyond doubt, so the proven file is run as well (`session/extending.py`).
"""

import ast
import re

from dualgate.core.values.case_names import id_parts
from dualgate.languages.expressions import Function, last_name, root_of
from dualgate.languages.imports import Import, name_bound, split, words_in
from dualgate.languages.rewriting import rewrite

_HINTS = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.List, ast.BinOp, ast.BitOr, ast.Starred),
    *(ast.Load, ast.Store),
)
# in prose a number follows a small word: the sum of 3 prices
_ID = re.compile(r"[^\W\d_]+[-_.]?\d[\d.]*|\b(?:[A-Z][^\W\d_]*|ac|us|fr|nfr|req|tc) \d[\d.]*|[A-Z]+[-_][A-Z]+")
_EXAMPLE = ">>>"
_UNREAD = frozenset(
    {
        *("fixture", "staticmethod", "classmethod", "property", "cached_property", "contextmanager"),
        *("asynccontextmanager", "cache", "lru_cache", "override", "abstractmethod"),
    }
)
"""Decorators that read no hints."""


def restate(module: ast.Module) -> None:
    """Remove what may be said in other words, in place."""
    for node in (each for each in ast.walk(module) if isinstance(each, ast.Module | ast.ClassDef | Function)):
        _restate_docstring(node)
        _restate_head(node)
    _restate_members(module)
    rewrite(module)
    module.body = [node for node in module.body if not _is_about_hints(node)]


def restate_function(function: Function) -> None:
    """The same for one function of a module or class."""
    _restate_docstring(function)
    _restate_head(function)
    _restate_hints(function)
    _restate_variables(function)
    rewrite(function)


def without_lost_imports(was: ast.Module, now: ast.Module) -> list[ast.stmt]:
    """The earlier statements without imports that are gone, and whose name neither text mentions otherwise."""
    present = {ast.dump(node) for node in split(now.body)}
    used = words_in(was) | words_in(now)
    kept: list[ast.stmt] = []
    for node in was.body:
        each = list(split([node])) if isinstance(node, Import) else [node]
        kept += [one for one in each if not isinstance(one, Import) or _is_needed(one, present, used)]
    return kept


def _is_needed(node: Import, present: set[str], used: frozenset[str]) -> bool:
    return name_bound(node) in used | {"*"} or ast.dump(node) in present


def _restate_docstring(node: ast.Module | ast.ClassDef | Function) -> None:
    """Leave what a docstring is read for: examples, and ids of criteria that the name of the test does not hold."""
    text = ast.get_docstring(node, clean=False)
    if text is None or _EXAMPLE in text:
        return
    named = id_parts(node.name) if isinstance(node, Function) else ()
    ids = sorted({found.lower() for found in _ID.findall(text) if not _is_among(id_parts(found), named)})
    node.body[:1] = [ast.copy_location(ast.Expr(ast.Constant(" ".join(ids))), node.body[0])] if ids else []
    node.body = node.body or [ast.Pass()]


def _is_among(parts: tuple[str, ...], named: tuple[str, ...]) -> bool:
    """Whether a name holds the parts of an id side by side, such as `ac` and `1`."""
    return any(named[place : place + len(parts)] == parts for place in range(len(named)))


def _restate_head(node: ast.Module | ast.ClassDef | Function) -> None:
    if isinstance(node, ast.Module):
        return
    if isinstance(node, ast.ClassDef) and [last_name(base) for base in node.bases] == ["object"]:
        node.bases = []
    node.decorator_list = [_without_brackets(each) for each in node.decorator_list]
    for each in node.decorator_list:
        if isinstance(each, ast.Call) and each.args and last_name(each.func) == "parametrize":
            each.args[0] = _names_apart(each.args[0])
            each.args[1:2] = [_as_list(rows, is_wide=isinstance(each.args[0], ast.Tuple)) for rows in each.args[1:2]]


def _restate_members(owner: ast.Module | ast.ClassDef) -> None:
    """Hints of functions of the module and of its classes; code that is under test may read those of inner ones."""
    for node in owner.body:
        if isinstance(node, ast.ClassDef):
            _restate_members(node)
        elif isinstance(node, Function):
            _restate_hints(node)
            _restate_variables(node)


def _restate_hints(function: Function) -> None:
    if not all(_is_unread(each, function) for each in function.decorator_list):
        return
    for each in (each for each in ast.walk(function.args) if isinstance(each, ast.arg)):
        each.annotation = _unless_plain(each.annotation)
    function.returns = _unless_plain(function.returns)


def _is_unread(decorator: ast.expr, function: Function) -> bool:
    """Whether a decorator reads no hints. Hypothesis does where `...` or `infer` asks for it."""
    asks = any(
        (isinstance(each, ast.Constant) and each.value is ...) or (isinstance(each, ast.Name) and each.id == "infer")
        for each in ast.walk(decorator)
    )
    name = last_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
    return not asks and (function.name.startswith("test") or root_of(decorator) == "pytest" or name in _UNREAD)


def _unless_plain(hint: ast.expr | None) -> ast.expr | None:
    """Nothing in the place of a hint that runs nothing."""
    return None if hint is None or all(isinstance(each, _HINTS) for each in ast.walk(hint)) else hint


def _restate_variables(function: Function) -> None:
    """Hints of local variables, which are never evaluated; in inner classes they make fields."""
    waiting: list[ast.AST] = [function]
    while waiting:
        node = waiting.pop()
        for name in ("body", "orelse", "finalbody"):
            if isinstance(body := getattr(node, name, None), list):
                body[:] = [_without_hint(each) for each in body]
        inner = ast.iter_child_nodes(node)
        waiting += [each for each in inner if isinstance(each, ast.stmt | ast.ExceptHandler | ast.match_case)]
        waiting = [each for each in waiting if not isinstance(each, ast.ClassDef | Function)]


def _without_hint(node: ast.stmt) -> ast.stmt:
    match node:
        case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
            return ast.copy_location(ast.Assign(targets=[target], value=value), node)
        case _:
            return node


def _names_apart(names: ast.expr) -> ast.expr:
    """The names of parameters as a tuple, if there are several."""
    match names:
        case ast.Constant(value=str(text)) if "," in text:
            parts = [ast.Constant(word.strip()) for word in text.split(",") if word.strip()]
            return ast.Tuple(elts=[*parts], ctx=ast.Load()) if len(parts) > 1 else names
        case ast.List(elts=[_, _, *_] as parts):
            return ast.Tuple(elts=parts, ctx=ast.Load())
        case _:
            return names


def _as_list(rows: ast.expr, is_wide: bool) -> ast.expr:
    """The rows of a test as a list; those with several values as tuples, which pytest takes apart as it does lists."""
    if not isinstance(rows, ast.List | ast.Tuple):
        return rows
    parts = [
        ast.Tuple(elts=row.elts, ctx=row.ctx) if is_wide and isinstance(row, ast.List) else row for row in rows.elts
    ]
    return ast.List(elts=parts, ctx=rows.ctx)


def _without_brackets(decorator: ast.expr) -> ast.expr:
    """`@pytest.fixture()` and `@pytest.mark.slow()` are the same without brackets."""
    match decorator:
        case ast.Call(func=ast.Attribute() as function, args=[], keywords=[]) if root_of(function) == "pytest":
            return function
        case _:
            return decorator


def _is_about_hints(node: ast.stmt) -> bool:
    match node:
        case ast.ImportFrom(module="__future__", names=[ast.alias(name="annotations", asname=None)]):
            return True
        case _:
            return False
