"""A Python test file -> the same file, in which a name that cannot be imported fails only the tests that use it."""

import ast


def with_lone_imports(source: bytes) -> bytes:
    """Import each name at the top of a file by itself; the file is unchanged if it is no Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return source
    rows = source.splitlines(keepends=True)
    for node in reversed(tree.body):
        if isinstance(node, ast.Import | ast.ImportFrom) and not _is_future(node) and _is_alone(node, tree):
            rows[node.lineno - 1 : node.end_lineno] = [_lone(node)]
    return b"".join(rows)


def _is_future(node: ast.Import | ast.ImportFrom) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _is_alone(node: ast.stmt, tree: ast.Module) -> bool:
    """Whether no other statement stands on the lines of a statement."""
    own = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    return not any(other is not node and (other.lineno in own or other.end_lineno in own) for other in tree.body)


def _lone(node: ast.Import | ast.ImportFrom) -> bytes:
    lines = [f"try: {ast.unparse(_with(node, alias))}\nexcept ImportError: pass\n" for alias in node.names]
    return "".join(lines).encode()


def _with(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> ast.stmt:
    if isinstance(node, ast.Import):
        return ast.Import(names=[alias])
    return ast.ImportFrom(module=node.module, names=[alias], level=node.level)
