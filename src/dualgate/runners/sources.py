"""File and line -> the test at that line: its docstring, its line, and a digest that ignores formatting.

Sources are read here rather than in the test process, which they would slow down; each file once until it changes.
"""

import ast
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from dualgate.core.evidence.rows import MARK
from dualgate.languages.imports import Import, in_one_order
from dualgate.languages.parameters import parameter_tables
from dualgate.languages.restating import restate_function

DOC_LENGTH = 500
FILES_KEPT = 4096
ROW_LENGTH = 12
# fields that a formatter may change, or that follow from the position
MEANINGLESS = frozenset({"ctx", "kind", "type_comment"})
NAMES_OF_VARIABLES: Mapping[type[ast.AST], str] = {ast.Name: "id", ast.ExceptHandler: "name"}
NO_VARIABLES: Mapping[str, str] = {}

DOING = ("parametrize", "usefixtures")
"""Marks that change what a test does."""
DOING_NOTHING = ("skip", "skipif", "xfail", "filterwarnings", "asyncio", "anyio", "timeout")

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    digest: str
    body: str = ""
    """A digest without the name, the docstring and the marks; with what its class adds, if it is in one."""
    doc: str = ""
    line: int | None = None


def written_at(path: str, first_line: int) -> Written:
    """The function that begins at a line, decorators included; the whole file if no function begins there."""
    try:
        found = os.stat(path)  # noqa: PTH116 - for every test of every run; a path object costs more than the call
    except OSError:
        return Written(digest=_short(f"{path}:{first_line}"))
    source = _read(path, (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino))
    return source.at(first_line)


class _Source:
    def __init__(self, content: bytes) -> None:
        self.whole = Written(digest=sha256(content).hexdigest()[:16])
        self.known: dict[int, Written] = {}
        self.functions: dict[int, _Function] = {}
        self.owners: dict[int, ast.ClassDef] = {}
        try:
            tree = ast.parse(content)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            # perhaps the syntax of a newer Python
            return
        for node in _walk(tree):
            if isinstance(node, _Function):
                self.functions[_first_line(node)] = node
            elif isinstance(node, ast.ClassDef):
                self.owners.update({_first_line(each): node for each in node.body if isinstance(each, _Function)})

    def at(self, line: int) -> Written:
        if line not in self.known:
            function = self.functions.get(line)
            self.known[line] = _written(function, self.owners.get(line)) if function is not None else self.whole
        return self.known[line]


@lru_cache(maxsize=FILES_KEPT)
def _read(path: str, stamp: tuple[int, ...]) -> _Source:
    del stamp
    try:
        return _parsed(Path(path).read_bytes())
    except OSError:
        return _Source(path.encode("utf-8", "backslashreplace"))


@lru_cache(maxsize=FILES_KEPT)
def _parsed(content: bytes) -> _Source:
    """A source by its content: trees of one project have most of their files in common."""
    return _Source(content)


def _first_line(function: _Function) -> int:
    return min((function.lineno, *(each.lineno for each in function.decorator_list)))


def _written(function: _Function, owner: ast.ClassDef | None) -> Written:
    doc = "\n".join(filter(None, (ast.get_docstring(function), *_marks(function))))
    restate_function(function)
    _bring_into_one_form(function)
    nodes = [inner for each in function.body for inner in _walk(each)]
    for inner in nodes:
        _bring_into_one_form(inner)
    try:
        digest = _digest(function)
        body = _short("\n".join(_essence(function, nodes, owner)))
    except RecursionError:
        digest, body = _short(ast.unparse(function.args)), ""
    return Written(digest=digest, body=body, doc=doc[:DOC_LENGTH], line=function.lineno)


def _bring_into_one_form(node: ast.AST) -> None:
    """Undo what a formatter may change: the indentation of a docstring, and the order of imports."""
    if isinstance(node, _Function) and (doc := ast.get_docstring(node)) is not None:
        node.body[0] = ast.Expr(value=ast.Constant(value=doc))
    body = getattr(node, "body", None)
    if isinstance(body, list) and any(isinstance(each, Import) for each in body):
        node.body = in_one_order(body)  # type: ignore[attr-defined]


def _digest(function: _Function) -> str:
    """A digest of the test without its rows of parameters, and one of each row."""
    tables = parameter_tables(function)
    rows = [each.elts for each in tables]
    parts = "|".join(",".join(_short("\n".join(_words(row)))[:ROW_LENGTH] for row in each) for each in rows)
    for table in tables:
        table.elts = []
    digest = _short("\n".join(_words(function)))
    for table, elements in zip(tables, rows, strict=True):
        table.elts = elements
    return f"{digest}{MARK}{parts}" if tables else digest


def _essence(function: _Function, nodes: Sequence[ast.AST], owner: ast.ClassDef | None) -> Iterator[str]:
    """The content of a test: its arguments, its statements, its parameters, and what its class has beside tests."""
    decorators = [each for each in function.decorator_list if _mark(each) in ("", *DOING)]
    yield from _words([function.args, decorators])
    # names of variables say nothing about what a test does
    yield from _words(_plain(function.body), _numbered(function, nodes))
    yield from _words([_plain(each for each in owner.body if not _is_test(each)), owner.bases] if owner else [])


def _plain(statements: Iterable[ast.stmt]) -> list[ast.stmt]:
    """Statements without texts that stand alone and without messages of assertions."""
    doing = (each for each in statements if not _is_text(each))
    return [ast.Assert(test=each.test, msg=None) if isinstance(each, ast.Assert) else each for each in doing]


def _numbered(function: _Function, nodes: Sequence[ast.AST]) -> dict[str, str]:
    """Names that a test binds by itself, numbered in their order; its arguments are names of fixtures, and stay.

    `nodes` are those of its body.
    """
    above = (inner for each in (function.args, *function.decorator_list) for inner in _walk(each))
    kept = {each.arg for each in (*above, *nodes) if isinstance(each, ast.arg)}
    kept = kept.union(*(each.names for each in nodes if isinstance(each, ast.Global | ast.Nonlocal)))
    stored = (each.id for each in nodes if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load))
    caught = (each.name for each in nodes if isinstance(each, ast.ExceptHandler) and each.name)
    own = dict.fromkeys(name for name in (*stored, *caught) if name not in kept)
    return {name: f"variable {number}" for number, name in enumerate(own)}


def _is_test(node: ast.stmt) -> bool:
    return isinstance(node, _Function) and node.name.startswith("test")


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _marks(function: _Function) -> Iterator[str]:
    """The marks of a test with their texts, such as `ac AC-1`: they may name a criterion."""
    for decorator in function.decorator_list:
        name = _mark(decorator)
        if name and name not in (*DOING, *DOING_NOTHING):
            given = decorator.args if isinstance(decorator, ast.Call) else []
            yield " ".join((name, *(str(each.value) for each in given if isinstance(each, ast.Constant))))


def _mark(decorator: ast.expr) -> str:
    """The name of a mark of pytest; empty for another decorator."""
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    is_mark = isinstance(node, ast.Attribute) and ast.unparse(node.value).endswith("mark")
    return node.attr if is_mark and isinstance(node, ast.Attribute) else ""


def _walk(node: ast.AST) -> list[ast.AST]:
    """The nodes of `ast.walk`, in less time: every test of every run is read."""
    found = [node]
    for each in found:
        for name in each._fields:
            value = getattr(each, name, None)
            if isinstance(value, ast.AST):
                found.append(value)
            elif isinstance(value, list):
                found.extend(inner for inner in value if isinstance(inner, ast.AST))
    return found


def _words(value: object, variables: Mapping[str, str] = NO_VARIABLES) -> list[str]:
    words: list[str] = []
    _add_words(value, variables, words)
    return words


def _add_words(value: object, variables: Mapping[str, str], words: list[str]) -> None:
    if isinstance(value, ast.AST):
        kind = type(value)
        words.append(kind.__name__)
        variable = NAMES_OF_VARIABLES.get(kind)
        for name in value._fields:
            if name == variable:
                words.append(variables.get(getattr(value, name), repr(getattr(value, name))))
            elif name not in MEANINGLESS:
                _add_words(getattr(value, name, None), variables, words)
    elif isinstance(value, list):
        words.append(f"[{len(value)}")
        for each in value:
            _add_words(each, variables, words)
    else:
        words.append(repr(value))


def _short(text: str) -> str:
    return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]
