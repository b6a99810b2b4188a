"""Python before and after -> whether only stubs were added: definitions without behaviour, which no test passes for."""

import ast
from collections.abc import Sequence

PLAIN = frozenset({"staticmethod", "classmethod", "property", "abstractmethod", "overload", "dataclass", "override"})
"""Decorators that add no behaviour to a stub."""
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def only_stubs(before: bytes | None, after: bytes | None) -> bool:
    """Whether everything else is as it was. Imports may be added, and `__all__` may grow."""
    if after is None:
        return False
    try:
        was, now = ast.parse(before or b""), ast.parse(after)
    except (SyntaxError, ValueError):
        return False
    kept = [ast.dump(node) for node in was.body if not _is_list(node)]
    now_kept = [ast.dump(node) for node in now.body if not _is_list(node) and not _is_added_stub(node, was.body)]
    return now_kept == kept


def _is_added_stub(node: ast.stmt, was: Sequence[ast.stmt]) -> bool:
    return ast.dump(node) not in {ast.dump(each) for each in was} and _is_stub(node, was)


def _is_stub(node: ast.stmt, was: Sequence[ast.stmt]) -> bool:
    """Whether a statement adds nothing that could make a test pass, and hides nothing that was there."""
    names = {each.name for each in was if isinstance(each, Definition)}
    match node:
        case ast.ClassDef():
            is_empty = all(_is_stub(each, ()) or _is_empty(each) for each in node.body)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            is_empty = all(map(_is_empty, node.body))
        case ast.Import() | ast.ImportFrom():
            return not any((alias.asname or alias.name) in names for alias in node.names)
        case _:
            return _is_text(node)
    return is_empty and node.name not in names and all(map(_is_plain, node.decorator_list))


def _is_plain(decorator: ast.expr) -> bool:
    name = decorator.attr if isinstance(decorator, ast.Attribute) else getattr(decorator, "id", "")
    return name in PLAIN


def _is_empty(node: ast.stmt) -> bool:
    """`pass`, `...`, a docstring, an annotation, or a raised exception."""
    is_annotation = isinstance(node, ast.AnnAssign) and node.value is None
    return isinstance(node, ast.Pass | ast.Raise) or is_annotation or _is_text(node)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_list(node: ast.stmt) -> bool:
    """Whether it is `__all__`, which names and does nothing."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets)
