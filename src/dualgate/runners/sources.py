"""File and line -> the test at that line: its docstring, its line, and a digest that ignores formatting.

Sources are read here rather than in the test process, which they would slow down; each file once until it changes.
"""

import ast
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

DOC_LENGTH = 500
FILES_KEPT = 4096
# fields that a formatter may change, or that follow from the position
MEANINGLESS = frozenset({"ctx", "kind", "type_comment"})

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    digest: str
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
        try:
            tree = ast.parse(content)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            # perhaps the syntax of a newer Python
            return
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self.functions[min((node.lineno, *(each.lineno for each in node.decorator_list)))] = node

    def at(self, line: int) -> Written:
        if line not in self.known:
            function = self.functions.get(line)
            self.known[line] = _written(function) if function is not None else self.whole
        return self.known[line]


@lru_cache(maxsize=FILES_KEPT)
def _read(path: str, stamp: tuple[int, ...]) -> _Source:
    del stamp
    try:
        return _Source(Path(path).read_bytes())
    except OSError:
        return _Source(path.encode("utf-8", "backslashreplace"))


def _written(function: _Function) -> Written:
    for inner in ast.walk(function):
        # a formatter may change the indentation of a docstring
        if isinstance(inner, _Function) and (doc := ast.get_docstring(inner)) is not None:
            inner.body[0] = ast.Expr(value=ast.Constant(value=doc))
    try:
        digest = _short("\n".join(_words(function)))
    except RecursionError:
        digest = _short(ast.unparse(function.args))
    return Written(digest=digest, doc=(ast.get_docstring(function) or "")[:DOC_LENGTH], line=function.lineno)


def _words(value: object) -> Iterator[str]:
    if isinstance(value, ast.AST):
        yield type(value).__name__
        for name in value._fields:
            if name not in MEANINGLESS:
                yield from _words(getattr(value, name, None))
    elif isinstance(value, list):
        yield f"[{len(value)}"
        for each in value:
            yield from _words(each)
    else:
        yield repr(value)


def _short(text: str) -> str:
    return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]
