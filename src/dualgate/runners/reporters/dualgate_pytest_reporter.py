"""A pytest plug-in that writes one JSON line for each test, as it ends, to the file named in DUALGATE_REPORT.

It runs inside the tested project's own interpreter: standard library only, Python 3.8 or newer, no import of dualgate.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
import os
import pathlib
import textwrap
from importlib import _bootstrap_external as external
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.assertion import rewrite

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMAT = 1
COMPILED = str(pathlib.Path(__file__).with_name("compiled"))
MISSING_BEHAVIOUR = (AttributeError, ImportError, NameError, NotImplementedError)
MESSAGE_LENGTH = 2000
DOC_LENGTH = 500


def pytest_configure(config: Any) -> None:
    path = os.environ.pop("DUALGATE_REPORT", None)
    is_worker = hasattr(config, "workerinput")
    if is_worker or not getattr(config.option, "numprocesses", None):
        leave_environment()
    if is_worker or path:
        config.pluginmanager.register(Annotator(), "dualgate-annotator")
    if path and not is_worker:
        config.pluginmanager.register(Reporter(path, str(config.rootdir)), "dualgate-reporter")
        # a run is evidence only if it is whole
        config.option.maxfail = 0
        config.option.continue_on_collection_errors = True


def keep_compiled_files_apart(project: str) -> None:
    """Compiled files in the project's tree are not read: one of the same second and size as its source hides an edit,
    and one may be forged. Those of installed packages are, since compiling them takes longer than most test runs.
    """

    def moved(path: str) -> str:
        is_own = path.startswith(project + os.sep) and "site-packages" not in path
        return COMPILED + path if is_own else path

    usual, usual_folder = external.cache_from_source, getattr(rewrite, "get_cache_dir", None)
    external.cache_from_source = lambda path, *rest, **more: usual(moved(os.fspath(path)), *rest, **more)
    if usual_folder is not None:
        changed: Any = rewrite
        changed.get_cache_dir = lambda path: usual_folder(pathlib.Path(moved(str(path))))


def leave_environment() -> None:
    """So that a pytest which the tests themselves start is left alone; pytest-xdist's workers must still find us."""
    others = [name for name in os.environ.pop("PYTEST_PLUGINS", "").split(",") if name and name != __name__]
    if others:
        os.environ["PYTEST_PLUGINS"] = ",".join(others)


class Annotator:
    """Notes on each report what only the process that ran the test knows; pytest-xdist carries it over."""

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Iterator[None]:
        made: Any = yield
        report = made.get_result()
        # a doctest stands in a source file, which is not a test file for that
        path = "" if hasattr(item, "dtest") else str(getattr(item, "path", None) or item.fspath)
        report.dualgate = {"digest": digest(item), "doc": doc(item), "path": path, "kind": None, "message": ""}
        if call.excinfo is not None:
            report.dualgate["kind"] = kind(call.excinfo.value)
            report.dualgate["message"] = call.excinfo.exconly(tryshort=True)[:MESSAGE_LENGTH]


class Reporter:
    def __init__(self, path: str, root: str) -> None:
        self.path = path
        self.root = root
        self.stages: dict[str, list[Any]] = {}

    def write(self, event: str, **values: Any) -> None:
        line = json.dumps({"event": event, **values}) + "\n"
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, line.encode("ascii"))
        finally:
            os.close(descriptor)

    def pytest_sessionstart(self) -> None:
        self.write("started", format=FORMAT, pytest=pytest.__version__)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            path = str(pathlib.Path(self.root, report.nodeid.partition("::")[0]))
            self.write("broken", id=report.nodeid, file=path, message=str(report.longreprtext)[-MESSAGE_LENGTH:])

    def pytest_runtest_logreport(self, report: Any) -> None:
        stages = self.stages.setdefault(report.nodeid, [])
        stages.append(report)
        if report.when == "teardown":
            self.write("result", **result(self.stages.pop(report.nodeid)))

    def pytest_sessionfinish(self, session: Any, exitstatus: int) -> None:
        for stages in self.stages.values():
            self.write("unfinished", id=stages[0].nodeid)
        self.write("finished", exit=int(exitstatus), collected=session.testscollected)


def result(stages: list[Any]) -> dict[str, Any]:
    """One result out of the reports of set-up, call and tear-down: the worst of them decides."""
    failed = [report for report in stages if report.failed]
    decisive = failed[0] if failed else next((r for r in stages if r.skipped), None)
    if decisive is None:
        decisive = next((report for report in stages if report.when == "call"), stages[0])
    notes = getattr(decisive, "dualgate", {})
    return {
        "id": decisive.nodeid,
        "file": notes.get("path", ""),
        "outcome": outcome(decisive),
        "digest": notes.get("digest", ""),
        "doc": notes.get("doc", ""),
        "kind": notes.get("kind") if decisive.failed else None,
        "message": notes.get("message", "") if decisive.failed else "",
        "seconds": round(sum(report.duration for report in stages), 6),
    }


def outcome(report: Any) -> str:
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.skipped else "xpassed"
    if report.failed:
        return "failed" if report.when == "call" else "error"
    return "skipped" if report.skipped else "passed"


def kind(error: BaseException) -> str:
    if isinstance(error, (AssertionError, pytest.fail.Exception)):
        return "assertion"
    return "missing_behaviour" if isinstance(error, MISSING_BEHAVIOUR) else "other"


def digest(item: Any) -> str:
    """Of the code of one test, however it is formatted, so that a changed test is told from its neighbours."""
    if hasattr(item, "dtest"):
        examples = "".join(f"{example.source}\0{example.want}\0" for example in item.dtest.examples)
        return hashlib.sha256(examples.encode("utf-8", "backslashreplace")).hexdigest()[:16]
    target: Any = getattr(item, "function", None) or getattr(item, "obj", None)
    try:
        source = textwrap.dedent(inspect.getsource(inspect.unwrap(target)))
        source = ast.dump(ast.parse(source))
    except (OSError, TypeError, ValueError, SyntaxError, RecursionError, MemoryError):
        source = str(getattr(item, "name", ""))
    return hashlib.sha256(source.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def doc(item: Any) -> str:
    target = getattr(item, "function", None) or getattr(item, "obj", None)
    text = getattr(target, "__doc__", None)
    return text[:DOC_LENGTH] if isinstance(text, str) else ""


if "DUALGATE_PROJECT" in os.environ:
    keep_compiled_files_apart(os.environ["DUALGATE_PROJECT"])
