"""Statements of Python -> the same with their imports in one order, as isort and ruff may write them in another."""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

Import = ast.Import | ast.ImportFrom
_WITHOUT_EFFECT = (sys.stdlib_module_names | {"pytest"}) - {"__future__", "test"}
_WORD = re.compile(r"[^\W\d]\w*")


def in_one_order(body: Iterable[ast.stmt]) -> list[ast.stmt]:
    """Split adjacent imports into single names, and sort them; other statements stay where they are."""
    ordered: list[ast.stmt] = []
    for is_sortable, group in groupby(body, _is_sortable):
        statements = list(group)
        ordered.extend(_sorted(list(split(statements))) if is_sortable else statements)
    return ordered


def without_unused(module: ast.Module) -> list[ast.stmt]:
    """The statements of a module without imports of the library and of pytest whose name nothing in it mentions.

    Other imports count: a name may be a fixture, and the module may do something when it is imported.
    """
    used = words_in(module)
    body: list[ast.stmt] = []
    for node in module.body:
        body.extend([node] if not _is_sortable(node) else (each for each in split([node]) if not _is_idle(each, used)))
    return body


def words_in(tree: ast.AST) -> frozenset[str]:
    """Names of variables, definitions and arguments, and the words in texts: a test may ask for a name as a text."""
    return frozenset(word for node in ast.walk(tree) for word in _words(node))


def split(body: Iterable[ast.stmt]) -> Iterator[Import]:
    """The imports among some statements, name by name."""
    for node in body:
        match node:
            case ast.Import(names=aliases):
                yield from (ast.Import(names=[alias]) for alias in aliases)
            case ast.ImportFrom(module=module, names=aliases, level=level):
                yield from (ast.ImportFrom(module=module, names=[alias], level=level) for alias in aliases)


def name_bound(node: Import) -> str:
    """The name that the import of a single name binds."""
    (alias,) = node.names
    return alias.asname or (alias.name.partition(".")[0] if isinstance(node, ast.Import) else alias.name)


def thing_bound(node: Import) -> str:
    """The object that the import of a single name binds: two texts are equal if it is the same."""
    (alias,) = node.names
    if isinstance(node, ast.ImportFrom):
        return f"{'.' * node.level}{node.module or ''} {alias.name}"
    return alias.name if alias.asname else alias.name.partition(".")[0]


def _words(node: ast.AST) -> Iterable[str]:
    match node:
        case ast.Name(id=name) | ast.arg(arg=name):
            return (name,)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return names
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return (name,)
        case ast.Constant(value=str(text)):
            return _WORD.findall(text)
        case _:
            return ()


def _is_idle(node: Import, used: frozenset[str]) -> bool:
    (alias,) = node.names
    origin = (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
    is_near = isinstance(node, ast.ImportFrom) and node.level > 0
    return not is_near and origin.partition(".")[0] in _WITHOUT_EFFECT and name_bound(node) not in used


def _is_sortable(node: ast.stmt) -> bool:
    """Whether an import may be sorted: after a star import another name may stand for something else."""
    return isinstance(node, Import) and all(alias.name != "*" for alias in node.names)


def _sorted(imports: Sequence[Import]) -> list[Import]:
    """Imports that bind one name to several things keep their order: the last one counts."""
    things: dict[str, set[str]] = {}
    for node in imports:
        things.setdefault(name_bound(node), set()).add(thing_bound(node))
    if any(len(each) > 1 for each in things.values()):
        return list(imports)
    by_form = {ast.dump(node): node for node in imports}
    return [by_form[form] for form in sorted(by_form)]
