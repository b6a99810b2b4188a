"""What in a file steers a test run: whole files by name, and the part of a shared file that concerns tests."""

import ast
import configparser
import json
import tomllib
from collections.abc import Callable
from pathlib import PurePosixPath

WHOLE_FILES = frozenset(
    {"conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "sitecustomize.py", "usercustomize.py"}
)
DOCUMENT_ENDINGS = frozenset({".md", ".rst", ".adoc"})


def is_steering(path: str) -> bool:
    pure = PurePosixPath(path)
    return pure.name in WHOLE_FILES or pure.name in SHARED_FILES or pure.suffix == ".pth"


def is_document(path: str) -> bool:
    pure = PurePosixPath(path)
    return pure.suffix.lower() in DOCUMENT_ENDINGS or "docs" in pure.parts[:-1]


def steering_part(path: str, content: bytes) -> str:
    """The part that must not change, in a form in which formatting and comments do not count."""
    pure = PurePosixPath(path)
    reader = SHARED_FILES.get(pure.name) or (_python if pure.suffix == ".py" else _plain)
    return reader(content)


def code_part(path: str, content: bytes) -> str:
    """What a Python file does: its syntax tree without docstrings. Any other file is all of its bytes."""
    return _python(content, without_docstrings=True) if path.endswith(".py") else _plain(content)


def _plain(content: bytes) -> str:
    return content.decode("utf-8", "backslashreplace")


def _python(content: bytes, without_docstrings: bool = False) -> str:
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _plain(content)
    if without_docstrings:
        for node in ast.walk(tree):
            if isinstance(
                node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
            ) and ast.get_docstring(node, clean=False):
                node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(tree)


def _pyproject(content: bytes) -> str:
    try:
        tools = tomllib.loads(content.decode()).get("tool", {})
    except ValueError:
        return _plain(content)
    return json.dumps(tools.get("pytest"), sort_keys=True, default=str)


def _ini_section(section: str) -> Callable[[bytes], str]:
    def read(content: bytes) -> str:
        parser = configparser.ConfigParser(interpolation=None)
        try:
            parser.read_string(content.decode())
        except (ValueError, configparser.Error):
            return _plain(content)
        return json.dumps(dict(parser[section]) if parser.has_section(section) else None, sort_keys=True)

    return read


SHARED_FILES: dict[str, Callable[[bytes], str]] = {
    "pyproject.toml": _pyproject,
    "setup.cfg": _ini_section("tool:pytest"),
    "tox.ini": _ini_section("pytest"),
}
