"""A block of code with one test function -> WholeFunction, read strictly; WholeFunction, text -> text with it in place.

Only Python: the old function is found by the syntax tree, and every byte outside of it stays, but for added imports.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from textwrap import shorten

from dualgate.core.said.patches import Unfit

SUFFIXES = (".py", ".pyi")
FUTURE = "__future__"
BYTE_ORDER_MARK = "\ufeff"
SHOWN = 80
# python ends a line at each of these, and at nothing else
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
# stands in for the class around a function that is given with its indentation
_HOLDER = "if True:"
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Import = ast.Import | ast.ImportFrom


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """One name that an import binds: `statement` alone imports it."""

    name: str
    statement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeFunction:
    """A complete new test function: `lines` without indentation, decorators included."""

    path: str
    scope: tuple[str, ...]
    """The classes around it, and its name."""
    lines: tuple[str, ...]
    kept: frozenset[int] = frozenset()
    """The places of lines that begin within a string, and so are never indented."""
    imports: tuple[Imported, ...] = ()

    @property
    def name(self) -> str:
        return ".".join(self.scope)


def read_function(text: str, path: str, scope: tuple[str, ...]) -> WholeFunction | Unfit:
    """Read a block that holds the test `scope` of a file, and nothing else but imports above it."""
    if not path.endswith(SUFFIXES):
        return Unfit(
            reason=f"a whole function can be given for Python only: write a unified diff of {path} under PATCH"
        )
    lines = text.replace("\r\n", "\n").split("\n")
    tree = _parsed(lines)
    if isinstance(tree, Unfit):
        return tree
    found = list(_parts(tree.body, scope))
    others = [node for node in found if not isinstance(node, _Function | _Import)]
    functions = [node for node in found if isinstance(node, _Function)]
    if others:
        line = shorten(lines[others[0].lineno - 1], SHOWN)
        return Unfit(reason=f"the block may contain only imports and {scope[-1]}, and it contains {line!r}")
    if [function.name for function in functions] != [scope[-1]]:
        names = ", ".join(function.name for function in functions) or "no function"
        return Unfit(reason=f"the block must contain {scope[-1]} alone, and it contains {names}")
    imports = _imported([node for node in found if isinstance(node, _Import)])
    return imports if isinstance(imports, Unfit) else _function(functions[0], lines, path, scope, imports)


def put_function(new: WholeFunction, text: str) -> str | Unfit:
    """Replace the function of the same name, and add the imports that the file does not have."""
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    lines = _LINES.findall(text.removeprefix(mark))
    tree = _tree("".join(lines))
    if tree is None:
        return Unfit(reason=f"{new.path} cannot be read as Python: write a unified diff under PATCH")
    found = list(_defined(tree.body, new.scope))
    if len(found) != 1:
        times = f"{len(found)} times" if found else "nowhere"
        return Unfit(reason=f"{new.name} is defined {times} in {new.path}: write a unified diff under PATCH")
    missing = _missing(new, tree)
    if isinstance(missing, Unfit):
        return missing
    first, last = _first_line(found[0]), found[0].end_lineno or found[0].lineno
    ending = next((end for end in ("\r\n", "\n", "\r") if lines[first - 1].endswith(end)), "\n")
    body = "".join(f"{line}{ending}" for line in _indented(new, lines[first - 1]))
    if not lines[last - 1].endswith(("\r", "\n")):
        body = body.removesuffix(ending)
    lines[first - 1 : last] = [body]
    if missing:
        lines.insert(_place_of_imports(tree, lines), "".join(f"{each}{ending}" for each in missing))
    return f"{mark}{''.join(lines)}"


def _tree(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except _UNREADABLE:
        return None


def _parsed(lines: list[str]) -> ast.Module | Unfit:
    """The syntax tree of the lines. A function with the indentation of its class gets a line above that holds it."""
    try:
        return ast.parse("\n".join(lines))
    except _UNREADABLE as error:
        why = f"line {error.lineno}: {error.msg}" if isinstance(error, SyntaxError) else str(error)
    place = next((n for n, line in enumerate(lines) if line[:1] in (" ", "\t") and line.strip()), None)
    if place is not None:
        lines.insert(place, _HOLDER)
        if (tree := _tree("\n".join(lines))) is not None:
            return tree
    return Unfit(reason=f"the block is not valid Python ({why})")


def _parts(body: Sequence[ast.stmt], scope: Sequence[str]) -> Iterator[ast.stmt]:
    """The statements of a block, without the class around the test."""
    for node in body:
        is_class = isinstance(node, ast.ClassDef) and node.name in scope[:-1]
        if isinstance(node, ast.ClassDef | ast.If) and (is_class or _is_holder(node)):
            yield from _parts(node.body, scope)
        else:
            yield node


def _is_holder(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "True" and not node.orelse


def _imported(nodes: Sequence[_Import]) -> tuple[Imported, ...] | Unfit:
    found: list[Imported] = []
    for node in nodes:
        for alias in node.names:
            if alias.name == "*" or (isinstance(node, ast.ImportFrom) and node.module == FUTURE):
                return Unfit(reason=f"the block may not contain `{ast.unparse(node)}`, which changes the whole file")
            found.append(_name_of(node, alias))
    return tuple(dict.fromkeys(found))


def _name_of(node: _Import, alias: ast.alias) -> Imported:
    """`import a.b` binds a."""
    name = alias.asname or alias.name
    if isinstance(node, ast.Import):
        return Imported(name=name.partition(".")[0], statement=ast.unparse(ast.Import(names=[alias])))
    alone = ast.ImportFrom(module=node.module, names=[alias], level=node.level)
    return Imported(name=name, statement=ast.unparse(alone))


def _function(
    node: _Function, lines: Sequence[str], path: str, scope: tuple[str, ...], imports: tuple[Imported, ...]
) -> WholeFunction:
    first, last = _first_line(node), node.end_lineno or node.lineno
    margin = len(lines[first - 1]) - len(lines[first - 1].lstrip(" \t"))
    kept = frozenset(line - first for line in _within_strings(node))
    given = lines[first - 1 : last]
    # a comment or the rest of a bracket may begin further left
    own = [line if n in kept else line[:margin].lstrip(" \t") + line[margin:] for n, line in enumerate(given)]
    return WholeFunction(path=path, scope=scope, lines=tuple(own), kept=kept, imports=imports)


def _first_line(node: _Function) -> int:
    return min((node.lineno, *(each.lineno for each in node.decorator_list)))


def _within_strings(function: _Function) -> Iterator[int]:
    """The lines that begin within a string. The docstring is left out: it is indented as the code is."""
    doc = function.body[0].value if isinstance(function.body[0], ast.Expr) else None
    for node in ast.walk(function):
        if isinstance(node, ast.JoinedStr | ast.Constant) and node is not doc:
            yield from range(node.lineno + 1, (node.end_lineno or node.lineno) + 1)


def _defined(body: Sequence[ast.stmt], scope: Sequence[str]) -> Iterator[_Function]:
    """The functions with this name in a module or a class, in branches too."""
    name, *inner = scope
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _defined(node.body, inner) if inner and node.name == name else ()
        elif isinstance(node, _Function):
            if not inner and node.name == name:
                yield node
        else:
            yield from (each for branch in _branches(node) for each in _defined(branch, scope))


def _branches(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    for holder in (node, *getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield from (getattr(holder, each, []) for each in ("body", "orelse", "finalbody"))


def _missing(new: WholeFunction, tree: ast.Module) -> tuple[str, ...] | Unfit:
    """The imports that the module does not have. One that gives another meaning to a name would change other tests."""
    nodes = [node for node in tree.body if isinstance(node, _Import)]
    there = {_name_of(node, alias) for node in nodes for alias in node.names}
    bound = {each.name for each in there} | {*_bound(tree)}
    missing = [each for each in new.imports if each not in there]
    taken = [each.statement for each in missing if each.name in bound and not _adds_part(each, there)]
    if taken:
        return Unfit(reason=f"`{taken[0]}` redefines a name that {new.path} uses: import it in the function")
    return tuple(each.statement for each in missing)


def _adds_part(new: Imported, there: set[Imported]) -> bool:
    """`import a.b` beside `import a` binds the same module."""
    bare = f"import {new.name}"
    others = [each.statement for each in there if each.name == new.name]
    return all(each == bare or each.startswith(f"{bare}.") for each in (new.statement, *others)) and bool(others)


def _bound(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, _Function | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, _Import):
            yield from (_name_of(node, alias).name for alias in node.names)


def _place_of_imports(tree: ast.Module, lines: Sequence[str]) -> int:
    """The number of lines above the place: behind the first imports of the module, its docstring, or its comments."""
    comments = next(number for number, line in enumerate(lines) if not line.startswith("#"))
    heading = takewhile(_is_heading, tree.body)
    return max((node.end_lineno or comments for node in heading), default=comments)


def _is_heading(node: ast.stmt) -> bool:
    return isinstance(node, _Import) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _indented(new: WholeFunction, old: str) -> Iterator[str]:
    margin = old[: len(old) - len(old.lstrip(" \t"))]
    for number, line in enumerate(new.lines):
        yield f"{margin}{line}" if line.strip() and number not in new.kept else line
