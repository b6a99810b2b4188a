"""A pytest plug-in, for pytest 4.6 to 9, that runs the collected tests again for each probe: PYTEST_DONT_REWRITE."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

from .. import witness
from ..pytest_compiled import keep_rewritten_files_apart
from ..pytest_facts import bare_function_of
from . import children
from .begin import GIVEN, HERE, HOME, PROJECT, Imports, begin
from .engine import Engine
from .outcomes import Outcome, raised_by_test

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .switches import Switches

BEGINNING = begin()
OWN_FAILURES = (AssertionError, pytest.fail.Exception)
# options that leave out tests, run them elsewhere, or stop early; each has a plug-in that need not be there
SWITCHED_OFF: dict[str, Any] = {
    **dict.fromkeys(
        ("looponfail", "usepdb", "trace", "stepwise", "lf", "failedfirst", "newfirst", "cacheclear"), False
    ),
    **dict.fromkeys(("maxfail", "reruns"), 0),
    **dict.fromkeys(("continue_on_collection_errors", "benchmark_disable"), True),
    "numprocesses": None,
    "dist": "no",
    "tx": [],
    "count": 1,
    # nobody reads how failures look, and each takes longer to write than most tests to run
    **dict.fromkeys(("fulltrace", "showlocals"), False),
    "tbstyle": "line",
}


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> None:
    """Measure before any conftest is loaded: it may import code that has to be broken when it is imported."""
    if BEGINNING is None:
        return
    if hasattr(early_config.known_args_namespace, "cov_source"):
        early_config.known_args_namespace.cov_source = []
    tests = Tests(early_config, BEGINNING.switches)
    engine = Engine(BEGINNING.switches, BEGINNING.plan, tests, BEGINNING.channel)
    if not engine.measure():
        leave(0)
    early_config.pluginmanager.register(tests, __name__ + "-tests")
    early_config.pluginmanager.register(Prober(engine, tests), __name__ + "-prober")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: Any) -> None:
    if BEGINNING is not None:
        for name, value in SWITCHED_OFF.items():
            if hasattr(config.option, name):
                setattr(config.option, name, value)


def pytest_configure() -> None:
    witness.leave_environment(__name__, HOME)


class Prober:
    """Takes over in a fork when the tests are collected."""

    def __init__(self, engine: Engine, tests: Tests) -> None:
        self.engine = engine
        self.tests = tests

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: Any) -> None:
        self.tests.begin(session)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> bool:
        del session
        self.engine.collected()
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        # nothing of a run with probes is written into reports or caches
        leave(3)


def leave(code: int) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


class Tests:
    """The collected tests, and how to run one."""

    def __init__(self, config: Any, switches: Switches) -> None:
        self.config = config
        self.switches = switches
        self.session: Any = None
        self.selected: list[str] = []
        self.reports: list[Any] = []
        self.crashed = False
        self.of_fixture: dict[Any, set[int]] = {}
        self.names: list[str] = []

    def go_on_in_fork(self) -> None:
        """Capture again: files for captured output are shared between forks."""
        capture = self.config.pluginmanager.getplugin("capturemanager")
        if capture is not None:
            capture.stop_global_capturing()
        children.silence()
        if capture is not None:
            capture.start_global_capturing()
            # while the first conftest files are loaded, pytest captures and suspends by itself
            if self.session is not None:
                capture.suspend_global_capture()

    def select(self, names: list[str]) -> None:
        """Collect only the files of these tests."""
        self.selected = names

    def begin(self, session: Any) -> None:
        """The session has begun, and its tests are collected next."""
        self.session = session
        factory = getattr(self.config, "_tmp_path_factory", None)
        if factory is not None:
            factory._given_basetemp = None
            factory._basetemp = None
        root = str(getattr(self.config, "rootpath", None) or self.config.rootdir)
        files = sorted({os.path.join(root, name.partition("::")[0]) for name in self.selected})
        if files and all(map(os.path.isfile, files)):
            self.config.args = files

    def known(self) -> list[str]:
        """The ids, made unique in the order of the tests."""
        if not self.names:
            seen: dict[str, int] = {}
            for item in self.session.items:
                seen[item.nodeid] = seen.get(item.nodeid, 0) + 1
                self.names.append(item.nodeid if seen[item.nodeid] == 1 else f"{item.nodeid}#{seen[item.nodeid]}")
        return self.names

    def names_and_reach(self) -> list[tuple[str, list[str]]]:
        imports = Imports()
        plugins = [module for _, module in self.config.pluginmanager.list_name_plugin() if hasattr(module, "__file__")]
        shared = imports.reach(plugins)
        by_module: dict[Any, list[str]] = {}
        made = []
        for name, item in zip(self.known(), self.session.items):  # noqa: B905 - newer than Python 3.8
            module = getattr(item, "module", None)
            if module not in by_module:
                by_module[module] = sorted(shared | imports.reach([module]))
            made.append((name, by_module[module]))
        return made

    def function(self, index: int) -> Any:
        return bare_function_of(self.session.items[index])

    def run_named(self, name: str, following: str | None) -> Outcome | None:
        places = {known: index for index, known in enumerate(self.known())}
        if name not in places:
            return None
        return self.run(places[name], places.get(following) if following is not None else None)

    def run(self, index: int, following: int | None) -> Outcome:
        items = self.session.items
        item = items[index]
        self.reports, self.crashed = [], False
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None if following is None else items[following])
        hits = set(self.switches.ran)
        info = getattr(item, "_fixtureinfo", None)
        for definitions in getattr(info, "name2fixturedefs", {}).values():
            for definition in definitions:
                hits |= self.of_fixture.get(definition, set())
        return Outcome(self.outcome(), self.crashed, hits)

    def outcome(self) -> str:
        if any(report.outcome == "failed" for report in self.reports):
            return "failed"
        called = [report for report in self.reports if report.when == "call"]
        if any(hasattr(report, "wasxfail") for report in self.reports):
            return "xfailed"
        return "passed" if called and all(report.outcome == "passed" for report in called) else "skipped"

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.reports.append(report)

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Iterator[None]:
        yield
        if call.excinfo is not None and not isinstance(call.excinfo.value, OWN_FAILURES):
            path = str(getattr(item, "path", None) or item.fspath)
            self.crashed = self.crashed or not raised_by_test(call.excinfo.value, path, PROJECT)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        """A fixture that several tests share runs its code for the first of them only."""
        if str(getattr(fixturedef, "scope", "function")) == "function":
            yield
            return
        before = set(self.switches.ran)
        self.switches.ran.clear()
        yield
        self.of_fixture[fixturedef] = set(self.switches.ran)
        self.switches.ran |= before


if PROJECT:
    keep_rewritten_files_apart(GIVEN, os.path.join(HERE, "compiled"))
