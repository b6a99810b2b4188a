"""A `conftest.py` or `.pth` file -> whether all it does is to add folders of the project to the import path.

Folders are followed through the usual words: `Path(__file__).parent / "src"`, `os.path.join(…)`, a text.
"""

import ast
import posixpath
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from dualgate.languages.imports import Import, split
from dualgate.workspace.steering.formats import FAILURES
from dualgate.workspace.steering.hazards import is_quiet

_ROOT = "/project"
_IMPORTED = frozenset({"import sys", "import os", "import os.path", "import pathlib", "from pathlib import Path"})
_SAME = frozenset({"str", "Path", "pathlib.Path", "os.fspath"})
_RESOLVING = frozenset({"os.path.abspath", "os.path.realpath"})
_CONSTANTS = {"os.pardir": "..", "os.path.pardir": "..", "os.curdir": ".", "os.path.curdir": "."}


_UNIMPORTED = frozenset({"", "__init__", "__main__", "conftest", "setup"})
"""Names of files that no test imports by this name."""


class _Unknown(ValueError):
    """Something else than a folder of the project."""


def only_adds_paths(path: str, content: bytes) -> bool:
    """Whether a new file does nothing else; one that does nothing at all makes pytest add its own folder."""
    return _folders_of(path, content) is not None


def hides_modules(path: str, content: bytes, files: Iterable[str]) -> bool:
    """Whether the folders that a `conftest.py` adds, or its own, hold a module whose name a module elsewhere has."""
    folders = {posixpath.dirname(path), *(_folders_of(path, content) or ())}
    places: dict[str, set[str]] = {}
    for file in files:
        *above, name = PurePosixPath(file).with_suffix("").parts if file.endswith(".py") else ("",)
        for depth, part in enumerate((*above, name) if name not in _UNIMPORTED else above):
            places.setdefault(part, set()).add("/".join(above[:depth]))
    return any(len(found) > 1 and not folders.isdisjoint(found) for found in places.values())


def _folders_of(path: str, content: bytes) -> list[str] | None:
    """The folders that a file adds, seen from the root; None if it does anything else."""
    reader = _Reader(path)
    try:
        reader.read(ast.parse(content).body)
    except FAILURES:
        return None
    return reader.added


def names_folders_below(content: bytes, root: str) -> bool:
    """Whether a `.pth` file names folders of a project and nothing else: a line that begins with `import` is code."""
    try:
        lines = [line.strip() for line in content.decode().splitlines() if line.strip()]
    except ValueError:
        return False
    wholes = [posixpath.normpath(line) for line in lines]
    return bool(root) and all(f"{whole}/".startswith(f"{root}/") for whole in wholes)


class _Reader:
    def __init__(self, path: str) -> None:
        self.known = {"__file__": posixpath.join(_ROOT, path)}
        self.added: list[str] = []

    def read(self, body: Sequence[ast.stmt]) -> None:
        for node in body:
            self._read(node)

    def _read(self, node: ast.stmt) -> None:
        match node:
            case ast.Import() | ast.ImportFrom() if _is_usual(node):
                return
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name.isupper() or name.startswith("_"):
                self.known[name] = self._folder(value)
            case ast.If(test=ast.Compare(left=left, ops=[ast.NotIn()], comparators=[folders]), body=body, orelse=[]):
                self._add(folders, left)
                self.read(body)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=folders, attr="append"), args=[folder], keywords=[])):
                self._add(folders, folder)
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=folders, attr="insert"),
                    args=[ast.Constant(value=int()), folder],
                    keywords=[],
                )
            ):
                self._add(folders, folder)
            case _ if not is_quiet(node):
                raise _Unknown(ast.unparse(node))

    def _add(self, folders: ast.expr, folder: ast.expr) -> None:
        if ast.unparse(folders) != "sys.path" or not self._is_inside(self._folder(folder)):
            raise _Unknown(ast.unparse(folder))
        self.added.append(_resolved(self._folder(folder)).removeprefix(_ROOT).lstrip("/"))

    def _is_inside(self, folder: str) -> bool:
        whole = _resolved(folder)
        return whole == _ROOT or whole.startswith(f"{_ROOT}/")

    def _folder(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=str(text)):
                return text
            case ast.Name(id=name) if name in self.known:
                return self.known[name]
            case ast.Attribute(value=inner, attr="parent"):
                return str(PurePosixPath(self._folder(inner)).parent)
            case ast.Subscript(value=ast.Attribute(value=inner, attr="parents"), slice=ast.Constant(value=int(count))):
                return _above(self._folder(inner), count)
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return posixpath.join(self._folder(left), self._folder(right))
            case ast.Call(func=function, args=arguments, keywords=[]):
                return self._called(function, arguments)
            case _ if ast.unparse(node) in _CONSTANTS:
                return _CONSTANTS[ast.unparse(node)]
        raise _Unknown(ast.unparse(node))

    def _called(self, function: ast.expr, arguments: Sequence[ast.expr]) -> str:
        name, given = ast.unparse(function), [self._folder(each) for each in arguments]
        match function, given:
            case _, [folder] if name in _SAME:
                return folder
            case _, [folder] if name in _RESOLVING:
                return _resolved(folder)
            case _, [folder] if name == "os.path.dirname":
                return posixpath.dirname(folder)
            case _, [_, *_] if name in ("os.path.join", "Path", "pathlib.Path"):
                return posixpath.join(*given)
            case ast.Attribute(value=inner, attr="resolve"), []:
                return _resolved(self._folder(inner))
            case ast.Attribute(value=inner, attr="absolute" | "as_posix"), []:
                return self._folder(inner)
            case ast.Attribute(value=inner, attr="joinpath"), [_, *_]:
                return posixpath.join(self._folder(inner), *given)
        raise _Unknown(name)


def _above(folder: str, count: int) -> str:
    above = PurePosixPath(folder).parents
    if count not in range(len(above)):
        raise _Unknown(folder)
    return str(above[count])


def _resolved(folder: str) -> str:
    return posixpath.normpath(posixpath.join(_ROOT, folder))


def _is_usual(node: Import) -> bool:
    return all(ast.unparse(each) in {*_IMPORTED, "from __future__ import annotations"} for each in split([node]))
