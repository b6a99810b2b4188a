"""Test -> which names it replaces, if it runs nothing else: then it tests its own mocks."""

import ast
import builtins
from collections.abc import Iterator

from dualgate.core.evidence.syntax.trees import (
    Function,
    Scope,
    argument,
    calls_in,
    imports_in,
    last_name,
    name_parts,
    text_of,
)

_MAKERS = frozenset({"Mock", "MagicMock", "AsyncMock", "NonCallableMock", "PropertyMock", "create_autospec"})
_TOOLS = frozenset({"monkeypatch", "mocker", "pytest", "mock", "patch", "unittest"})
_OF_TEST_CASE = ("assert", "fail", "subTest", "skip", "addCleanup")
_TOOL_PATHS = ("unittest", "mock", "pytest")


def why_only_mocks(function: Function, scope: Scope) -> str:
    """Why a test runs only mocks that it made itself; empty if it calls anything else, or nothing."""
    replaced = {*_replaced(function, scope)}
    mocks = {*_own_mocks(function)}
    late = {*imports_in(ast.walk(function))}
    met: list[str] = []
    for call in calls_in(function):
        path = _path(call.func, scope)
        parts = name_parts(call.func)
        is_early = parts[0] in scope.imports and parts[0] not in (*scope.modules, *late)
        if path in replaced and not is_early:
            met.append(path)
        elif parts[0] in mocks:
            met.append(parts[0])
        elif not _is_tool(parts, scope):
            return ""
    others = [
        name for name in _read_names(function, scope) if not any(f"{path}.".startswith(f"{name}.") for path in replaced)
    ]
    return f"runs only what it replaced itself: {met[0]}" if met and not others else ""


def _is_tool(parts: tuple[str, ...], scope: Scope) -> bool:
    root = parts[0]
    if root == "self":
        return parts[-1].startswith(_OF_TEST_CASE)
    is_builtin = len(parts) == 1 and hasattr(builtins, root)
    of_tools = scope.imports.get(root, "").partition(".")[0] in _TOOL_PATHS
    return root in _TOOLS or is_builtin or of_tools


def _replaced(function: Function, scope: Scope) -> Iterator[str]:
    """Dotted paths that a test replaces, by pytest's and mock's functions or by an assignment."""
    for call in calls_in(function):
        first, name = argument(call, 0), last_name(call)
        if first is None or not (name in ("setattr", "patch") or "patch" in name_parts(call.func)):
            continue
        if text := text_of(first):
            yield text
        elif attribute := text_of(argument(call, 1)):
            yield f"{_path(first, scope)}.{attribute}"
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield _path(node, scope)


def _path(node: ast.expr, scope: Scope) -> str:
    root, *rest = name_parts(node)
    return ".".join((scope.imports.get(root, root), *rest))


def _own_mocks(function: Function) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and last_name(node.value) in _MAKERS:
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        if isinstance(node, ast.withitem) and isinstance(node.optional_vars, ast.Name):
            yield from [node.optional_vars.id] if "patch" in name_parts(node.context_expr) else []


def _read_names(function: Function, scope: Scope) -> Iterator[str]:
    """Imported names that a test reads, without the tools of tests."""
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id in scope.imports and not _is_tool((node.id,), scope):
            yield scope.imports[node.id]
