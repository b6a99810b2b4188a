"""Source text -> syntax tree; expression -> its dotted name, imports and simple values."""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

Function = ast.FunctionDef | ast.AsyncFunctionDef
_PURE = frozenset(
    [
        "abs",
        "all",
        "any",
        "bool",
        "bytes",
        "dict",
        "float",
        "frozenset",
        "int",
        "len",
        "list",
        "max",
        "min",
        "range",
        "repr",
        "round",
        "set",
        "sorted",
        "str",
        "sum",
        "tuple",
    ]
)
_PLAIN = (
    *(ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare),
    *(ast.JoinedStr, ast.FormattedValue, ast.IfExp, ast.Starred),
    *(ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context),
)


@lru_cache(maxsize=32)  # one turn looks at the same texts several times, and changes no tree
def parsed(text: str) -> ast.Module | None:
    """None if this Python cannot read the text: perhaps it has the syntax of a newer one."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def name_parts(node: ast.expr) -> tuple[str, ...]:
    """The parts of a dotted name; calls and subscripts in it count as what they are made on."""
    match node:
        case ast.Name():
            return (node.id,)
        case ast.Attribute():
            return (*name_parts(node.value), node.attr)
        case ast.Call():
            return name_parts(node.func)
        case ast.Subscript() | ast.Await():
            return name_parts(node.value)
        case _:
            return ("",)


def last_name(node: ast.expr) -> str:
    return name_parts(node)[-1]


def calls_in(node: ast.AST) -> Iterator[ast.Call]:
    return (each for each in ast.walk(node) if isinstance(each, ast.Call))


def argument(call: ast.Call, place: int) -> ast.expr | None:
    return call.args[place] if len(call.args) > place else None


def text_of(node: ast.AST | None) -> str:
    """The text of a string constant; empty for anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def imports_in(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """Imported names, each with the dotted path of its object. Relative paths begin with dots."""
    found: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            for alias in node.names:
                dot = "" if base.endswith(".") or not base else "."
                found[alias.asname or alias.name] = f"{base}{dot}{alias.name}"
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The meanings of the names in a test."""

    imports: Mapping[str, str] = field(default_factory=dict)
    modules: frozenset[str] = frozenset()
    """Names bound by `import x`, so that they stand for modules."""
    values: Mapping[str, ast.expr] = field(default_factory=dict)
    """Names that are bound once, to this expression."""
    loads: Mapping[str, int] = field(default_factory=dict)
    """How often a name is read in the whole file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileScope:
    """The names of a whole file, found once for all its tests."""

    own: tuple[ast.AST, ...]
    """Nodes outside of functions and classes."""
    shared: tuple[str, ...]
    """Names that functions declare global."""
    loads: Mapping[str, int]


def file_scope(module: ast.Module) -> FileScope:
    nodes = list(ast.walk(module))
    names = (node for node in nodes if isinstance(node, ast.Name))
    return FileScope(
        own=tuple(_own_nodes(module)),
        shared=tuple(name for node in nodes if isinstance(node, ast.Global) for name in node.names),
        loads=Counter(node.id for node in names if isinstance(node.ctx, ast.Load)),
    )


def scope_of(file: FileScope, function: Function) -> Scope:
    nodes = [*file.own, *ast.walk(function)]
    plain = [alias for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    modules = frozenset(alias.asname or alias.name.partition(".")[0] for alias in plain)
    values = _bound_once(nodes, function, file.shared)
    return Scope(imports=imports_in(nodes), modules=modules, values=values, loads=file.loads)


def _own_nodes(module: ast.Module) -> Iterator[ast.AST]:
    """The nodes of a module outside of its functions and classes."""
    for statement in module.body:
        if not isinstance(statement, Function | ast.ClassDef):
            yield from ast.walk(statement)


def _bound_once(nodes: Iterable[ast.AST], function: Function, shared: Iterable[str]) -> dict[str, ast.expr]:
    """Names with one binding only, which is a plain assignment; `shared` are those that other functions bind too."""
    arguments = (each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg))
    bound: dict[str, list[ast.expr | None]] = {name: [None] for name in (*arguments, *shared)}
    seen = list(nodes)
    plain = {
        id(target): node.value
        for node in seen
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in seen:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.setdefault(node.id, []).append(plain.get(id(node)))
    return {name: value for name, (value, *more) in bound.items() if value is not None and not more}


def is_constant(node: ast.AST, scope: Scope) -> bool:
    """Whether an expression is made of constants only, names of constants and plain functions of them included."""
    match node:
        case ast.Name():
            value = scope.values.get(node.id)
            return value is not None and is_constant(value, Scope()) and not _may_be_filled(value)
        case ast.Call(func=ast.Name(id=name), args=given, keywords=[]):
            return name in _PURE and all(is_constant(each, scope) for each in given)
        case _:
            return isinstance(node, _PLAIN) and all(is_constant(each, scope) for each in ast.iter_child_nodes(node))


def _may_be_filled(node: ast.expr) -> bool:
    """Whether it makes a container, which the code under test may change."""
    return any(isinstance(each, ast.List | ast.Dict | ast.Set | ast.Call) for each in ast.walk(node))
