"""Facts about code, errors and the interpreter, for the reporters of all runners."""

from __future__ import annotations

import ast
import hashlib
import inspect
import os
import platform
import re
import sys
import sysconfig
import threading
from functools import lru_cache
from importlib import _bootstrap_external as external
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MISSING_BEHAVIOUR = (AttributeError, ImportError, NameError, NotImplementedError)
NO_ASSERTIONS = "Python leaves out assertions (-O or PYTHONOPTIMIZE), so that tests pass whatever they assert"
FEWER_ASSERTIONS = (
    "Python leaves out assertions (-O or PYTHONOPTIMIZE): pytest checks those of tests, conftest.py and plug-ins, "
    "but those of other modules that tests use are not checked"
)
MESSAGE_LENGTH = 2000
DOC_LENGTH = 500
STEERING = ("PYTEST", "PYTHON", "COVERAGE", "COV_", "HYPOTHESIS", "TOX", "NOX", "UNITTEST", "DJANGO_SETTINGS", "CI")
# variables that differ between runs and steer nothing; the last is ours, made from the settings of tox
FLEETING = ("PYTEST_CURRENT_TEST", "PYTEST_XDIST", "PYTEST_VERSION", "PYTHONDONTWRITEBYTECODE", "TOX_OVERRIDE")
ORIGIN = os.environ.get("DUALGATE_ORIGIN", "")
"""The project that the tested tree is a copy of; empty if it is the project itself."""
NAMED = 3
ANCHORS = ("json", "hashlib", "inspect", "threading", "importlib", "functools", "traceback", "unittest")


class Entry:
    """Whether the code of a test was entered, observed in the interpreter, so that no hook can fake it.

    It listens only until then, in this thread and those started meanwhile. None if another profiler is active.
    """

    def __init__(self) -> None:
        self.seen: bool | None = None
        self.listen: Any = None

    def await_(self, code: Any) -> None:
        if code is None or sys.getprofile() is not None:
            self.seen = None
            return
        self.seen = False

        def listen(frame: Any, _event: str, _argument: Any) -> None:
            if frame.f_code is code:
                self.seen = True
            if self.seen is not False:
                sys.setprofile(None)

        self.listen = listen
        threading.setprofile(listen)
        sys.setprofile(listen)

    def end(self) -> bool | None:
        seen, self.seen = self.seen, None
        if seen is not None:
            threading.setprofile(None)
            if sys.getprofile() is self.listen:
                sys.setprofile(None)
        return seen


def code_of(function: Any) -> Any:
    """The code of a test function without its wrappers; None if it has no code."""
    if hasattr(function, "__wrapped__"):
        try:
            function = inspect.unwrap(function)
        except ValueError:
            return None
    return getattr(getattr(function, "__func__", function), "__code__", None)


def place_of(code: Any, function: Any) -> dict[str, Any]:
    """File and line of a test; for code without a file, its digest and docstring."""
    file = _file(code.co_filename) if code is not None else None
    if file is not None:
        return {"code": file, "at": code.co_firstlineno}
    doc = getattr(function, "__doc__", None)
    return {"digest": short(_essence(code)), "doc": doc[:DOC_LENGTH] if isinstance(doc, str) else ""}


@lru_cache(maxsize=None)
def _file(name: str) -> str | None:
    """The absolute path of an existing file, else None; cached for all tests of a file."""
    return os.path.abspath(name) if os.path.isfile(name) else None


def _essence(code: Any) -> str:
    if code is None:
        return ""
    inner = [_essence(each) if hasattr(each, "co_code") else repr(each) for each in code.co_consts]
    return repr((code.co_code, code.co_names, inner))


def short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def kind_of(error: BaseException, failures: tuple[type[BaseException], ...]) -> str:
    if isinstance(error, (AssertionError, *failures)):
        return "assertion"
    return "missing_behaviour" if isinstance(error, MISSING_BEHAVIOUR) else "other"


def described(error: BaseException, path: str, failures: tuple[type[BaseException], ...], text: str) -> dict[str, str]:
    """The kind and the message of a failure, and the package that it did not find. `path` is the file of the test."""
    mistake = mistake_in(error, path)
    return {
        "kind": "broken_test" if mistake else "other" if is_crash(error, path) else kind_of(error, failures),
        "message": (mistake or text)[:MESSAGE_LENGTH],
        "module": missing_module(error),
    }


def is_crash(error: BaseException, path: str) -> bool:
    """Whether code that is tested looked for an attribute or a name in vain: it is there, and does not work."""
    return isinstance(error, (AttributeError, NameError)) and _last_file(error.__traceback__) != path


def mistake_in(error: BaseException, path: str) -> str:
    """The mistake of a test itself: an unknown fixture, or a name that its file binds nowhere; else empty.

    A name that the file imports or assigns somewhere may be missing because the code is missing, so that is no mistake.
    """
    if type(error).__name__ == "FixtureLookupError":
        return f"fixture '{getattr(error, 'argname', '?')}' not found"
    found = re.search(r"^name '(\w+)' is not defined", str(error))
    if not isinstance(error, NameError) or found is None or _last_file(error.__traceback__) != path:
        return ""
    return "" if may_bind(path, found.group(1)) else f"name '{found.group(1)}' is not defined in the test file"


def missing_module(error: BaseException) -> str:
    """The package whose module was not found; empty for other errors."""
    name = getattr(error, "name", None) if type(error).__name__ == "ModuleNotFoundError" else None
    return name.partition(".")[0] if isinstance(name, str) else ""


def _last_file(traceback: Any) -> str:
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    return str(traceback.tb_frame.f_code.co_filename)


def may_bind(path: str, name: str) -> bool:
    """Whether a file binds a name anywhere, or may do so by a star import."""
    try:
        with open(path, "rb") as file:
            nodes = list(ast.walk(ast.parse(file.read())))
    except (OSError, SyntaxError, ValueError):
        return True
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            bound = [(each.asname or each.name).partition(".")[0] for each in node.names]
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            bound = list(node.names)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound = [node.id]
        else:
            bound = [str(getattr(node, "name", None) or getattr(node, "arg", None))]
        if name in bound or "*" in bound:
            return True
    return False


def line_in(path: str, traceback: Any) -> int | None:
    """The last line of a file in a traceback, or None."""
    line = None
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == path:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


def environment(packages: Iterable[str], project: str) -> dict[str, Any]:
    """The interpreter, packages and variables of the tests. Files are only named; the runner hashes them itself."""
    tops = set(packages)
    files = {
        getattr(module, "__file__", None)
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] in tops
    }
    return {
        "python": f"{platform.python_implementation().lower()} {platform.python_version()}",
        "executable": sys.executable,
        "files": sorted(file for file in files if isinstance(file, str) and not within(file, project)),
        "installed": sorted(_installed(project)),
        "variables": {
            name: value
            for name, value in sorted(os.environ.items())
            if name.startswith(STEERING) and not name.startswith(FLEETING)
        },
        "flags": str(sys.flags),
    }


def _installed(project: str) -> Iterable[str]:
    """Names of installed packages, without the metadata of the project itself: its files count anyway."""
    for folder in sys.path:
        if folder and os.path.isdir(folder) and not within(os.path.join(folder, "x"), project):
            names = os.listdir(folder)
            own = {each for name in names for each in _of_editable(folder, name, project)}
            for name in names:
                if name.endswith((".dist-info", ".egg-info", ".egg-link", ".pth")) and name not in own:
                    yield name


def _of_editable(folder: str, name: str, project: str) -> list[str]:
    """The files of an editable install of the project itself, if they only add its folders to the path."""
    metadata = os.path.join(folder, name)
    found = _EDITABLE.search(_text(os.path.join(metadata, "direct_url.json"))) if name.endswith(".dist-info") else None
    if found is None or not _is_below(unquote(found[1]), project):
        return []
    files = [line.partition(",")[0] for line in _text(os.path.join(metadata, "RECORD")).splitlines()]
    paths = [file for file in files if file.endswith(".pth")]
    lines = [line.strip() for file in paths for line in _text(os.path.join(folder, file)).splitlines()]
    return [name, *paths] if all(_is_below(line, project) for line in lines if line) else []


_EDITABLE = re.compile(r'(?s)^(?=.*"editable":\s*true).*"url":\s*"file://([^"]+)"')


def _is_below(path: str, project: str) -> bool:
    places = [os.path.realpath(place) for place in (project, ORIGIN) if place]
    return os.path.isabs(path) and any((os.path.realpath(path) + os.sep).startswith(place + os.sep) for place in places)


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, ValueError):
        return ""


def within(path: Any, project: str) -> bool:
    """Whether a path is in the project's tree, but not in the interpreter's library or packages."""
    if not isinstance(path, str) or not os.path.abspath(path).startswith(project + os.sep):
        return False
    return not os.path.realpath(path).startswith(_kept())


@lru_cache(maxsize=None)
def _kept() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return tuple(os.path.realpath(paths[name]) + os.sep for name in ("stdlib", "platstdlib", "purelib", "platlib"))


def shadowed(names: Iterable[str], project: str) -> list[str]:
    """Modules of the runner or the standard library that files of the project shadow."""
    found = {name: getattr(sys.modules.get(name), "__file__", None) for name in (*names, *ANCHORS)}
    return [f"{name} is {os.path.relpath(str(file), project)}" for name, file in found.items() if within(file, project)]


def elsewhere() -> list[str]:
    """Modules that were imported from the project itself, although a copy of it is tested: such a run tells nothing."""
    if not ORIGIN:
        return []
    files = {name: getattr(module, "__file__", None) for name, module in list(sys.modules.items())}
    return [f"{name} ({file})" for name, file in sorted(files.items()) if _is_of_origin(file)][:NAMED]


def _is_of_origin(file: Any) -> bool:
    """Whether a module is the project's own: packages that are installed in its environment may be shared."""
    return within(file, ORIGIN) and is_own(os.path.abspath(file), ORIGIN)


def surroundings(project: str) -> list[tuple[str, str]]:
    """Facts that steer any Python run: folders of the project on sys.path, and modules run at startup."""
    facts = [("path", named(folder, project)) for folder in sys.path if within(os.path.join(folder, "x"), project)]
    for name in ("sitecustomize", "usercustomize"):
        if name in sys.modules:
            facts.append((name, named(str(getattr(sys.modules[name], "__file__", None)), project)))
    return facts


def named(path: str, project: str) -> str:
    """A path relative to the project; absolute if it is outside."""
    whole = os.path.abspath(path)
    return os.path.relpath(whole, project) if (whole + os.sep).startswith(project + os.sep) else whole


def is_own(path: str, project: str) -> bool:
    """Whether a source file is the project's own, by its path alone: asked for every import."""
    return path.startswith(project + os.sep) and "site-packages" not in path


def leave_environment(module: str, home: str, *names: str) -> None:
    """Remove our variables, so that a test runner started by a test does not load us."""
    for name, separator, ours in (("PYTEST_PLUGINS", ",", module), ("PYTHONPATH", os.pathsep, home)):
        others = [each for each in os.environ.pop(name, "").split(separator) if each and each != ours]
        if others:
            os.environ[name] = separator.join(others)
    for name in ("DUALGATE_PROJECT", "DUALGATE_ORIGIN", *names):
        os.environ.pop(name, None)
    sys.path[:] = [folder for folder in sys.path if folder != home]


def keep_compiled_files_apart(project: str, folder: str) -> Callable[[str], str]:
    """Keep Python from reading compiled files in the project: they may be forged, or hide an edit of the same second
    and size. Those of installed packages are read, since compiling them takes longer than most test runs.
    """

    def moved(path: str) -> str:
        return folder + path if is_own(path, project) else path

    usual = external.cache_from_source
    external.cache_from_source = lambda path, *rest, **more: usual(moved(os.fspath(path)), *rest, **more)
    return moved
