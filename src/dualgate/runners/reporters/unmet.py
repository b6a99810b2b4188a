"""The error that kept a test file from being collected -> what it looked for in vain, if that may be missing work."""

from __future__ import annotations

import ast
import os
import re
import sys
from typing import Any

from . import witness

# faults of code that is there, whoever wrote it
_FAULTS = (UnboundLocalError, SyntaxError)
_CALLED = re.compile(r"^([A-Za-z_][\w.]*)\(\) (?:got an unexpected|takes|missing)")
_MODULE = re.compile(r"^(?:partially initialized )?module '([\w.]+)'")


def unmet(error: BaseException | None, path: str, project: str) -> dict[str, str]:
    """The `module` that does not exist, or the `place` in the project at which a name, a file or behaviour is missing.

    Empty for a mistake of the test file (`path`) itself, and for anything that does not belong to the project.
    """
    error = _cause(error)
    if error is None or isinstance(error, _FAULTS):
        return {}
    if isinstance(error, ModuleNotFoundError):
        name = error.name or ""
        top = sys.modules.get(name.partition(".")[0])
        return {"module": name} if top is None or witness.within(_home(top), project) else {}
    place = os.path.abspath(_place(error, path, project) or path)
    return {"place": place} if place != path and witness.within(place, project) else {}


def _cause(error: BaseException | None) -> BaseException | None:
    """pytest wraps what an import raised, and what a conftest raised."""
    while error is not None and type(error).__name__ in ("CollectError", "ConftestImportFailure"):
        error = error.__cause__ or error.__context__ or getattr(error, "cause", None)
    return error


def _place(error: BaseException, path: str, project: str) -> str:
    """The file that lacks what was looked for; the last file of the project that ran, if it failed in its own code."""
    if isinstance(error, ImportError):
        return error.path or _home(sys.modules.get(error.name or ""))
    if isinstance(error, FileNotFoundError) and isinstance(error.filename, (str, bytes)):
        return os.fsdecode(error.filename)
    last = _last_frame(error, project)
    return _place_in(last, error, path, project) if last is not None else ""


def _place_in(last: Any, error: BaseException, path: str, project: str) -> str:
    """The place by the innermost frame of the project."""
    is_own = os.path.abspath(last.f_code.co_filename) == path
    if isinstance(error, NameError):
        return _starred(path, last.f_globals, project) if is_own else ""
    asked = _asked(error, last.f_globals)
    # a helper of tests may ask for what is missing as well
    return asked if is_own or (asked and witness.within(asked, project)) else str(last.f_code.co_filename)


def _asked(error: BaseException, names: dict[str, Any]) -> str:
    """The file of what lacks an attribute, or was called with others than it takes; empty if that is not known."""
    if isinstance(error, AttributeError):
        return _home(_owner(error))
    called = _CALLED.match(str(error)) if isinstance(error, TypeError) else None
    return _home(_named(called.group(1), names)) if called else ""


def _last_frame(error: BaseException, project: str) -> Any:
    """The innermost frame of the project; code of others that it called is left out."""
    trace, last = error.__traceback__, None
    while trace is not None:
        if witness.within(trace.tb_frame.f_code.co_filename, project):
            last = trace.tb_frame
        trace = trace.tb_next
    return last


def _starred(path: str, names: dict[str, Any], project: str) -> str:
    """A module of the project from which a file imports every name; one beside the file only if there is no other."""
    with open(path, "rb") as file:
        imports = [each for each in ast.walk(ast.parse(file.read())) if isinstance(each, ast.ImportFrom)]
    package = str(names.get("__package__") or "").split(".")
    modules = [
        ".".join((*package[: len(package) + 1 - each.level], each.module or "")) if each.level else str(each.module)
        for each in imports
        if any(alias.name == "*" for alias in each.names)
    ]
    homes = [_home(sys.modules.get(name)) for name in modules]
    found = [each for each in homes if each and witness.within(each, project)]
    return min(found, key=lambda each: os.path.dirname(each) == os.path.dirname(path), default="")


def _owner(error: AttributeError) -> Any:
    """The object without the attribute; before Python 3.10 only a module is known, by its name."""
    found = _MODULE.match(str(error))
    return getattr(error, "obj", None) or (sys.modules.get(found.group(1)) if found else None)


def _named(name: str, names: dict[str, Any]) -> Any:
    """A function or class by its qualified name, as a file calls it or under the module that it calls it by."""
    first = name.partition(".")[0]
    modules = [value for value in names.values() if isinstance(value, type(sys))]
    return names.get(first) or next((vars(each)[first] for each in modules if first in vars(each)), None)


def _home(value: Any) -> str:
    """The file of a module, or of the module in which a class, a function or the class of an object is written."""
    if not isinstance(value, type(sys)):
        name = getattr(value, "__module__", None) or type(value).__module__
        value = sys.modules.get(name) if isinstance(name, str) else None
    folders = [str(each) for each in getattr(value, "__path__", None) or ()]
    return getattr(value, "__file__", None) or (folders[0] if folders else "")
