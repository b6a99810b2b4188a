"""A Python test file -> the same file, in which what cannot be imported or made fails only the tests that need it."""

import ast
from collections.abc import Iterable, Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef
_IMPORTS = "ImportError"
_ANY = "(ImportError, AttributeError, NameError, LookupError, TypeError, ValueError, OSError, NotImplementedError)"


def with_lone_imports(source: bytes) -> bytes:
    """Import each name at the top of a file by itself; the file is unchanged if it is no Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return source
    rows = source.splitlines(keepends=True)
    for node in reversed(tree.body):
        if _is_import(node) and _is_alone(node, tree):
            text = "\n".join(ast.unparse(each) for each in _lone(node, _IMPORTS))
            rows[node.lineno - 1 : node.end_lineno] = [f"{text}\n".encode()]
    return b"".join(rows)


def with_lone_statements(source: bytes) -> bytes:
    """Also define each test, class and constant by itself. The layout is lost, what the file says is not."""
    try:
        tree = ast.parse(source)
        tree.body = list(_guarded(tree.body))
        return ast.unparse(ast.fix_missing_locations(tree)).encode() + b"\n"
    except (SyntaxError, ValueError, RecursionError):
        return source


def _guarded(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            node.body = list(_guarded(node.body))
        if _is_import(node) or _can_fail(node):
            yield from _lone(node, _ANY)
        else:
            yield node


def _can_fail(node: ast.stmt) -> bool:
    """Whether a statement runs anything when the file is loaded. Texts that stand alone may be docstrings."""
    if isinstance(node, Function):
        return bool(node.decorator_list or node.args.defaults or node.args.kw_defaults or _is_annotated(node))
    if isinstance(node, ast.ClassDef):
        return bool(node.decorator_list or node.bases or node.keywords)
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return not is_text and not isinstance(node, ast.Import | ast.ImportFrom | ast.Pass)


def _is_annotated(node: Function) -> bool:
    return node.returns is not None or any(isinstance(n, ast.arg) and n.annotation for n in ast.walk(node.args))


def _is_import(node: ast.stmt) -> bool:
    is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
    return isinstance(node, ast.Import | ast.ImportFrom) and not is_future


def _is_alone(node: ast.stmt, tree: ast.Module) -> bool:
    """Whether no other statement stands on the lines of a statement."""
    own = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    return not any(other is not node and (other.lineno in own or other.end_lineno in own) for other in tree.body)


def _lone(node: ast.stmt, errors: str) -> Iterator[ast.Try]:
    """The statement, an import for each of its names, in a `try` of its own."""
    for part in _parts(node):
        (guard,) = ast.parse(f"try: pass\nexcept {errors}: pass").body
        assert isinstance(guard, ast.Try)
        guard.body = [part]
        yield guard


def _parts(node: ast.stmt) -> Iterator[ast.stmt]:
    if isinstance(node, ast.Import):
        yield from (ast.Import(names=[alias]) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (ast.ImportFrom(module=node.module, names=[alias], level=node.level) for alias in node.names)
    else:
        yield node
