"""What in a file steers a test run: whole files by name, and the part of a shared file that concerns tests."""

import ast
import json
import os
import re
import sys
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
    }
)
# a module or folder of such a name, where the interpreter looks first, is run in place of the runner or of a part of it
RUNNER_NAMES = frozenset({"_pytest", "pluggy", "iniconfig"})
STEERING_ENDINGS = frozenset({".pth", ".pyc"})
SCRIPT_ENDINGS = frozenset({"", ".sh", ".bash", ".mk"})
SCRIPTS_READ = 100
SCRIPT_LENGTH = 1 << 16
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
TEST_FOLDERS = frozenset({"test", "tests", "testing", "__tests__"})
DOCUMENT_ENDINGS = frozenset({".md", ".rst", ".adoc"})


def is_steering(path: str) -> bool:
    pure = PurePosixPath(path)
    return pure.name in WHOLE_FILES or pure.name in SHARED_FILES or pure.suffix in STEERING_ENDINGS


def shadows(path: str) -> bool:
    """Whether a module in the root stands before one that the runner imports: its own, a plug-in's, the library's."""
    pure = PurePosixPath(path)
    name = pure.parts[0].partition(".")[0]
    is_module = len(pure.parts) > 1 or pure.suffix == ".py"
    is_known = name in RUNNER_NAMES or name.startswith("pytest") or name in sys.stdlib_module_names
    return is_module and is_known and name not in TEST_FOLDERS


def is_in_test_folder(path: str) -> bool:
    """Whether a file stands with the tests, as their helpers and data do."""
    return not TEST_FOLDERS.isdisjoint(PurePosixPath(path).parts[:-1])


def is_document(path: str) -> bool:
    pure = PurePosixPath(path)
    return pure.suffix.lower() in DOCUMENT_ENDINGS or pure.parts[0] in ("docs", "doc")


def called_files(root: Path, command: Sequence[str]) -> frozenset[str]:
    """The files of the project that the test command runs: its scripts, those that they run, and what make reads."""
    words = _words(" ".join(command))
    folders = [".", *(word for word in words if _exists(root / word, Path.is_dir))]
    makes = any(PurePosixPath(word).name in ("make", "gmake") for word in words)
    # one that is not there yet would be read before the one that is
    makefiles = {os.path.normpath(f"{folder}/{name}") for folder in folders for name in (MAKEFILES if makes else ())}
    modules = [f"{word.replace('.', '/')}.py" for word in words if re.fullmatch(r"[\w.]+", word)]
    named = [_inside(root, folder, word) for folder in folders for word in (*words, *modules)]
    return frozenset(makefiles | _followed(root, [*named, *makefiles]))


def _followed(root: Path, waiting: list[str]) -> set[str]:
    """The files of the project among these, and the scripts that they name in turn."""
    found: set[str] = set()
    while waiting and len(found) < SCRIPTS_READ:
        name = waiting.pop()
        if name not in found and not name.startswith("..") and _exists(root / name, Path.is_file):
            found.add(name)
            waiting += _scripts_in(root, name)
    return found


def _scripts_in(root: Path, name: str) -> list[str]:
    """Scripts and parts of Makefiles that a script names; other files that it names are what it works on."""
    if PurePosixPath(name).suffix not in SCRIPT_ENDINGS:
        return []
    with (root / name).open("rb") as file:
        words = _words(file.read(SCRIPT_LENGTH).decode("utf-8", "replace"))
    folder = PurePosixPath(name).parent.as_posix()
    scripts = [word for word in words if PurePosixPath(word).suffix in SCRIPT_ENDINGS - {""}]
    return [_inside(root, place, script) for place in (".", folder) for script in scripts]


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[\s;&|()<>'\"=]+", text) if word and len(word) < 200]


def _inside(root: Path, folder: str, name: str) -> str:
    return os.path.relpath(root / folder / name, root)


def _exists(path: Path, kind: Callable[[Path], bool]) -> bool:
    try:
        return kind(path)
    except (OSError, ValueError):
        return False


def loads_plugins(content: bytes) -> bool:
    """Whether a module has pytest load others, as any test module may."""
    return b"pytest_plugins" in content


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


def _sections(word: str) -> Callable[[bytes], str]:
    """The lines of every section whose header holds a word: readers differ over what else a header may hold."""

    def read(content: bytes) -> str:
        kept, inside = [], False
        for line in _plain(content).splitlines():
            if line.lstrip().startswith("["):
                inside = word in line
            if inside and line.strip() and not line.lstrip().startswith(("#", ";")):
                kept.append(line.rstrip())
        return "\n".join(kept)

    return read


SHARED_FILES: dict[str, Callable[[bytes], str]] = {
    "pyproject.toml": _pyproject,
    "setup.cfg": _sections("pytest"),
    "tox.ini": _sections("pytest"),
    "entry_points.txt": _sections("pytest11"),
}
