"""Python before and after -> whether everything that tests depend on is unchanged, and the rest is only added.

Tests themselves are left out: the caller compares them one by one.
"""

import ast
from collections.abc import Iterator, Sequence

Binding = (
    ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign
)
# names that a runner calls or obeys for every test
IMPOSING = frozenset(
    {
        *("pytestmark", "collect_ignore", "collect_ignore_glob", "load_tests", "__getattr__"),
        *(
            begin + unit
            for begin in ("setup", "teardown")
            for unit in ("", "_module", "_class", "_function", "_method")
        ),
        *(begin + unit for begin in ("setUp", "tearDown") for unit in ("", "Module", "Class")),
    }
)


def only_adds(before: bytes, after: bytes) -> bool:
    """Whether every definition, import and constant stays, and no addition replaces one or affects all tests."""
    try:
        was, now = ast.parse(before), ast.parse(after)
    except (SyntaxError, ValueError):
        return before == after
    return _keeps_all(was.body, now.body)


def _keeps_all(was: Sequence[ast.stmt], now: Sequence[ast.stmt]) -> bool:
    added = _added(list(_supporting(was)), list(_supporting(now)))
    taken = {name for node in was for name in _bound(node)}
    if added is None or not all(_is_harmless(node, taken) for node in added):
        return False
    later = {node.name: node for node in now if isinstance(node, ast.ClassDef)}
    pairs = ((node, later[node.name]) for node in was if isinstance(node, ast.ClassDef) and node.name in later)
    return all(_head(old) == _head(new) and _keeps_all(old.body, new.body) for old, new in pairs if _is_test(old))


def _supporting(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements except tests; imports name by name, since names may be added to them."""
    for node in body:
        if isinstance(node, ast.Import):
            yield from (ast.Import(names=[alias]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (ast.ImportFrom(module=node.module, names=[alias], level=node.level) for alias in node.names)
        elif not _is_test(node) and not _is_text(node):
            yield node


def _added(was: Sequence[ast.stmt], now: Sequence[ast.stmt]) -> list[ast.stmt] | None:
    """The added statements; None if one is removed, changed or moved. The order of imports does not count."""
    imported = {ast.dump(node) for node in now if isinstance(node, ast.Import | ast.ImportFrom)}
    known = {ast.dump(node) for node in was if isinstance(node, ast.Import | ast.ImportFrom)}
    wanted = [ast.dump(node) for node in was if not isinstance(node, ast.Import | ast.ImportFrom)]
    added = []
    for node in now:
        found = ast.dump(node)
        if wanted and found == wanted[0]:
            wanted.pop(0)
        elif found not in known:
            added.append(node)
    return None if wanted or not known <= imported else added


def _is_harmless(node: ast.stmt, taken: set[str]) -> bool:
    names = set(_bound(node))
    if not isinstance(node, Binding) or not names.isdisjoint(taken | IMPOSING | {"*"}):
        return False
    return not any(name.startswith("pytest_") for name in names) and "autouse" not in ast.dump(node)


def _bound(node: ast.AST) -> Iterator[str]:
    """The names that a statement binds; `*` for unknown names, as of a star import or an attribute."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in aliases)
        case ast.Name(id=name, ctx=ast.Store()):
            yield name
        case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
            yield "*"
        case _:
            yield from (name for child in ast.iter_child_nodes(node) for name in _bound(child))


def _head(node: ast.ClassDef) -> list[str]:
    return [ast.dump(each) for each in (*node.bases, *node.keywords, *node.decorator_list)]


def _is_test(node: ast.stmt) -> bool:
    if isinstance(node, ast.ClassDef):
        return node.name.startswith("Test") or any(_is_test(each) for each in node.body)
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test")


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
