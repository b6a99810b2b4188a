"""Compiled files for pytest, which rewrites the assertions of tests: none is read from the project."""

from __future__ import annotations

import _imp
import marshal
import os
import pathlib
import sys
from typing import Any

import pytest
from _pytest.assertion import rewrite

from . import compiled, witness

PYTEST_HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(rewrite.__file__))))


def serve(project: str, home: str) -> compiled.Compiled:
    """Move compiled files apart, and use those that were compiled before the run."""
    apart = os.path.join(home, "compiled")
    keep_rewritten_files_apart(project, apart)
    changed: Any = rewrite
    code = compiled.Compiled(os.path.dirname(home), compiled.identity(PYTEST_HOME, pytest.__version__))
    code.serve_imports(apart)
    if hasattr(rewrite, "_read_pyc"):
        changed._read_pyc = _finder(code, changed._read_pyc, project)
    return code


def keep_rewritten_files_apart(project: str, folder: str) -> None:
    """Move compiled files apart, including those that pytest rewrites and caches itself."""
    moved = witness.keep_compiled_files_apart(project, folder)
    changed: Any = rewrite
    usual: Any = getattr(rewrite, "get_cache_dir", None)
    if usual is not None:
        changed.get_cache_dir = lambda path: usual(pathlib.Path(moved(str(path))))


def _finder(code: compiled.Compiled, usual: Any, project: str) -> Any:
    """pytest's function that looks for a rewritten file. Returns before pytest rewrites, so errors look as usual."""

    def find(source: Any, *rest: Any, **more: Any) -> Any:
        path = str(source)
        if not witness.is_own(path, project) or _has_pass_hook():
            return usual(source, *rest, **more)
        found = code.find(compiled.REWRITTEN, path)
        if found is not None:
            made = marshal.loads(found)
            # it may have been compiled from the same file in another folder
            _imp._fix_co_filename(made, path)  # type: ignore[attr-defined]
            return made
        made = usual(source, *rest, **more)
        if made is None:
            code.note(compiled.REWRITTEN, path)
        return made

    return find


def _has_pass_hook() -> bool:
    """Whether assertions are rewritten in the other way, for the hook of assertions that pass."""
    for finder in sys.meta_path:
        if isinstance(finder, rewrite.AssertionRewritingHook):
            try:
                return bool(finder.config.getini("enable_assertion_pass_hook"))
            except (AttributeError, KeyError, ValueError):
                return False
    return True
