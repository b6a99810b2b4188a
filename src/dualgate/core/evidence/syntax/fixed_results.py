"""Source -> functions that return a constant whatever they are given."""

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from dualgate.core.evidence.syntax.trees import FileScope, Function, file_scope, is_constant, last_name, scope_of

_TRANSPARENT = frozenset({"staticmethod", "classmethod", "cache", "lru_cache"})
"""Other decorators register a function, and whoever calls it prescribes its parameters."""
_Assigned = ast.Assign | ast.AnnAssign


def passed_on(modules: Iterable[ast.Module]) -> frozenset[str]:
    """Names that are used otherwise than for a call: the parameters of such a function may be prescribed."""
    nodes = [node for module in modules for node in ast.walk(module)]
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    loaded = (node for node in nodes if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load))
    return frozenset(last_name(node) for node in loaded if id(node) not in called)


def fixed_results(module: ast.Module, before: ast.Module | None, passed: Collection[str]) -> Iterator[tuple[int, str]]:
    """Lines and names of new and changed functions that have parameters and return a constant."""
    known = {ast.dump(node) for node in ast.walk(before) if isinstance(node, Function)} if before else set()
    functions = list(_functions(module))
    # a name that several functions have belongs to variants of one interface
    names = Counter(function.name for function in functions)
    scope = file_scope(module)
    for function in functions:
        is_free = names[function.name] == 1 and function.name not in passed and not function.name.startswith("__")
        if is_free and _has_parameters(function) and _is_fixed(function, scope) and ast.dump(function) not in known:
            yield function.lineno, function.name


def _functions(module: ast.Module) -> Iterator[Function]:
    """Functions and methods, without those of classes that inherit or are inherited from: these may be defaults."""
    classes = [node for node in module.body if isinstance(node, ast.ClassDef)]
    bases = {last_name(base) for each in classes for base in each.bases}
    plain = (each for each in classes if not each.bases and each.name not in bases)
    for node in (*module.body, *(inner for each in plain for inner in each.body)):
        if isinstance(node, Function) and {last_name(each) for each in node.decorator_list} <= _TRANSPARENT:
            yield node


def _has_parameters(function: Function) -> bool:
    """Whether it has named parameters; a name such as `_amount` says that it is not used."""
    given = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    return any(each.arg not in ("self", "cls") and not each.arg.startswith("_") for each in given)


def _is_fixed(function: Function, file: FileScope) -> bool:
    """Whether it does nothing but return a constant other than None."""
    scope = scope_of(file, function)
    statements = [each for each in function.body if not _is_text(each)]
    *others, last = statements or [ast.Pass()]
    values = [each.value for each in others if isinstance(each, _Assigned) and each.value is not None]
    if not isinstance(last, ast.Return) or last.value is None or len(values) < len(others):
        return False
    is_none = isinstance(last.value, ast.Constant) and last.value.value is None
    return not is_none and all(is_constant(each, scope) for each in (*values, last.value))


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
