"""What in a file steers a test run: whole files by name, and the part of a shared file that concerns tests."""

import ast
import configparser
import json
import os
import re
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath

WHOLE_FILES = frozenset(
    {
        "conftest.py",
        "pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        ".pytest.toml",
        "sitecustomize.py",
        "usercustomize.py",
        "entry_points.txt",
    }
)
# a module or folder of such a name, where the interpreter looks first, is run in place of the runner
RUNNER_NAMES = frozenset({"pytest", "_pytest", "pluggy", "iniconfig"})
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
TEST_FOLDERS = frozenset({"test", "tests", "testing", "__tests__"})
DOCUMENT_ENDINGS = frozenset({".md", ".rst", ".adoc"})


def is_steering(path: str) -> bool:
    pure = PurePosixPath(path)
    shadows = not RUNNER_NAMES.isdisjoint((pure.parts[0], pure.stem))
    return pure.name in WHOLE_FILES or pure.name in SHARED_FILES or pure.suffix == ".pth" or shadows


def is_in_test_folder(path: str) -> bool:
    """Whether a file stands with the tests, as their helpers and data do."""
    return not TEST_FOLDERS.isdisjoint(PurePosixPath(path).parts[:-1])


def is_document(path: str) -> bool:
    pure = PurePosixPath(path)
    return pure.suffix.lower() in DOCUMENT_ENDINGS or pure.parts[0] in ("docs", "doc")


def called_files(root: Path, command: Sequence[str]) -> frozenset[str]:
    """The files of the project that the test command runs: its scripts, and the Makefile that make reads."""
    words = [word for part in command for word in re.split(r"[\s;&|()<>'\"]+", part) if word]
    named = {os.path.relpath(root / word, root) for word in words}
    makes = any(PurePosixPath(word).name in ("make", "gmake") for word in words)
    candidates = named | set(MAKEFILES if makes else ())
    return frozenset(name for name in candidates if not name.startswith("..") and (root / name).is_file())


def steering_part(path: str, content: bytes | None) -> str | None:
    """The part that must not change, in a form in which formatting and comments do not count; None: not there."""
    pure = PurePosixPath(path)
    if pure.name in SHARED_FILES:
        return SHARED_FILES[pure.name](content or b"")
    if content is None:
        return None
    return _python(content) if pure.suffix == ".py" else _plain(content)


def code_part(path: str, content: bytes | None) -> str | None:
    """What a Python file does: its syntax tree without docstrings. Any other file is all of its bytes."""
    if content is None:
        return None
    return _python(content, without_docstrings=True) if path.endswith(".py") else _plain(content)


def _plain(content: bytes) -> str:
    return content.decode("utf-8", "backslashreplace")


def _python(content: bytes, without_docstrings: bool = False) -> str:
    try:
        tree = ast.parse(content)
        if without_docstrings:
            _strip_docstrings(tree)
        return ast.dump(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _plain(content)


def _strip_docstrings(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]


def _pyproject(content: bytes) -> str:
    try:
        tools = tomllib.loads(content.decode()).get("tool", {})
        return json.dumps(tools.get("pytest"), sort_keys=True, default=str)
    except (AttributeError, ValueError, RecursionError):
        return _plain(content)


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
