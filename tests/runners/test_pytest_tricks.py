"""Runs of pytest that say more than what happened: none of them may be believed."""

from pathlib import Path

import pytest

from tests.runners.projects import WORKERS, by_name, run_pytest

FAILING = "def test_a(): assert 0\n"
EXIT = "import os; os._exit(0)"
FORGED_OUTCOME = """
import pytest
@pytest.hookimpl(hookwrapper=True{options})
def pytest_runtest_makereport(item, call):
    made = yield
    made.get_result().outcome = "passed"
    made.get_result().longrepr = None
"""
FORGED_EXIT = "import pytest\n@pytest.hookimpl({})\ndef pytest_sessionfinish(session): session.exitstatus = 0\n"
PROTOCOL = """
from _pytest.reports import TestReport
def pytest_runtest_protocol(item):
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for when in ("setup", "call", "teardown"):
        item.ihook.pytest_runtest_logreport(
            report=TestReport(item.nodeid, item.location, {}, "passed", None, when, (), 0.0)
        )
    return True
"""
SWALLOWED = """
import pytest
@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_runtest_call(item):
    made = yield
    made.force_result(None)
"""
SWALLOWED_AROUND = """
import pytest
@pytest.fixture(autouse=True)
def strict():
    {fixture}
@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_runtest_{stage}(item):
    made = yield
    made.force_result(None)
"""
SWALLOWED_WITHIN = """
import pytest
@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_pyfunc_call():
    made = yield
    made.force_result(True)
"""
RUNTEST = """
import contextlib, pytest
usual = pytest.Function.runtest
def forged(item):
    with contextlib.suppress(Exception):
        usual(item)
pytest.Function.runtest = forged
"""
WRAPPED = """
import functools
def pytest_collection_modifyitems(items):
    for item in items:
        item.obj = functools.wraps(item.obj)(lambda: None)
"""
REPLACED = """
def pytest_collection_modifyitems(items):
    for item in items:
        item.obj = lambda: None
"""
REPLACED_LATE = """
import contextlib, pytest
@pytest.fixture(autouse=True)
def quiet(request):
    usual = request.node.obj
    def quietly():
        with contextlib.suppress(Exception):
            usual()
    request.node.obj = quietly
"""
REPLACED_AT_LAST = """
import pytest
@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    usual = pyfuncitem.obj
    def quietly():
        try: usual()
        except AssertionError: pass
    pyfuncitem.obj = quietly
"""
NOT_CALLED = """
from _pytest.runner import CallInfo
usual = CallInfo.from_call.__func__
def forged(kind, func, when, reraise=None):
    return usual(kind, (lambda: None) if when == "call" else func, when, reraise)
CallInfo.from_call = classmethod(forged)
"""
OF_ANOTHER = """
import copy, pytest
good = {}
@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(call):
    made = yield
    report = made.get_result()
    if report.passed:
        good[report.when] = report
    else:
        other = copy.copy(good[report.when])
        other.nodeid = report.nodeid
        made.force_result(other)
"""
FROM_CALL = """
from _pytest.reports import TestReport
usual = TestReport.from_item_and_call
def forged(item, call):
    call.excinfo = None
    return usual(item, call)
TestReport.from_item_and_call = forged
"""
OVERWRITTEN = """
import os
def test_a():
    for number in os.listdir("/proc/self/fd"):
        try:
            if "report-" in os.readlink(f"/proc/self/fd/{number}"):
                os.truncate(f"/proc/self/fd/{number}", 0)
        except OSError:
            pass
    assert 0
"""
# name: conftest, test file, what the report says of it
TRICKS = {
    "exit before the tests": ("", EXIT, "broke off before its end"),
    "exit during the tests": ("", f"def test_a(): {EXIT}", "broke off before its end"),
    "exit as pytest ends": (f"def pytest_sessionfinish(): {EXIT}", FAILING, "broke off before its end"),
    "exit as pytest leaves": (
        f"def pytest_unconfigure(): {EXIT}",
        FAILING,
        "pytest ended with 1 but its process with 0",
    ),
    "exit after pytest": (
        "",
        "import atexit, os\natexit.register(lambda: os._exit(0))\n" + FAILING,
        "pytest ended with 1 but its process with 0",
    ),
    "a result without a run": (
        "",
        "import gc\ndef test_a():\n"
        "    (reporter,) = [o for o in gc.get_objects() if type(o).__name__ == 'Reporter']\n"
        "    reporter.channel.put('result', id='forged')",
        "written by somebody else",
    ),
    "outcome set by a hook": (FORGED_OUTCOME.format(options=""), FAILING, "but raised AssertionError"),
    "outcome set by an outer hook": (FORGED_OUTCOME.format(options=", tryfirst=True"), FAILING, "but raised"),
    "outcome set by an inner hook": (FORGED_OUTCOME.format(options=", trylast=True"), FAILING, "but raised"),
    "outcome set as it is told": (
        "import pytest\n@pytest.hookimpl(tryfirst=True)\n"
        "def pytest_runtest_logreport(report): report.outcome = 'passed'",
        FAILING,
        "but raised AssertionError",
    ),
    "error taken out of the call": (
        "import pytest\n@pytest.hookimpl(tryfirst=True)\ndef pytest_runtest_makereport(call): call.excinfo = None",
        FAILING,
        "but raised AssertionError",
    ),
    "error swallowed around the call": (SWALLOWED, FAILING, "but raised AssertionError"),
    "error swallowed around the set-up": (
        SWALLOWED_AROUND.format(stage="setup", fixture="assert 0"),
        "def test_a(): pass",
        "was reported as passed, but raised AssertionError",
    ),
    "error swallowed around the tear-down": (
        SWALLOWED_AROUND.format(stage="teardown", fixture="yield\n    assert 0"),
        "def test_a(): pass",
        "was reported as passed, but raised AssertionError",
    ),
    "skipped instead of failed": (
        FORGED_OUTCOME.format(options="").replace('"passed"', '"skipped" if call.when == "call" else "passed"'),
        FAILING,
        "was reported as skipped, but raised AssertionError",
    ),
    "swallowed around the function": (SWALLOWED_WITHIN, FAILING, "was reported as passed, but raised AssertionError"),
    "swallowed by the function's item": (RUNTEST, FAILING, "was reported as passed, but raised AssertionError"),
    "called without a call": ("def pytest_pyfunc_call(): return True", FAILING, "its code was never entered"),
    "function behind another": (WRAPPED, FAILING, "its code was never entered"),
    "function replaced": (REPLACED, FAILING, "its code was never entered"),
    "function replaced by a fixture": (REPLACED_LATE, FAILING, "another function of the project took its place"),
    "function replaced as it is called": (REPLACED_AT_LAST, FAILING, "another function of the project took its place"),
    "call replaced": (NOT_CALLED, FAILING, "its code was never entered"),
    "report of another test": (OF_ANOTHER, "def test_0(): pass\n" + FAILING, "by the report of another test"),
    "protocol replaced": (PROTOCOL, FAILING, "but pytest did not run it"),
    "reports made by another function": (FROM_CALL, FAILING, "but raised AssertionError"),
    "exit code overwritten": (FORGED_EXIT.format(""), FAILING, "exit code 0 contradicts the report"),
    "exit code overwritten last": (FORGED_EXIT.format("trylast=True"), FAILING, "exit code 0 contradicts the report"),
    "tests taken away": (
        "def pytest_collection_modifyitems(items): items.pop()",
        "def test_b(): pass\n" + FAILING,
        "1 tests were removed after they were collected: test_trick.py::test_a",
    ),
    "tests never run": (
        "def pytest_runtest_protocol(item): return item.name == 'test_a' or None",
        "def test_b(): pass\n" + FAILING,
        "2 tests were collected but 1 reported",
    ),
    "report emptied": ("", OVERWRITTEN, "(exit code"),
}


@pytest.mark.parametrize("trick", TRICKS)
def test_a_trick_never_yields_a_trusted_run(tmp_path: Path, trick: str) -> None:
    conftest, code, why = TRICKS[trick]

    report = run_pytest(tmp_path, conftest=conftest, test_trick=code)

    assert why in " ".join(report.problems)


@pytest.mark.parametrize("trick", ["outcome set by a hook", "called without a call", "protocol replaced"])
def test_a_trick_in_a_worker_never_yields_a_trusted_run(tmp_path: Path, trick: str) -> None:
    conftest, code, why = TRICKS[trick]

    report = run_pytest(tmp_path, *WORKERS, conftest=conftest, test_trick=code)

    assert why in " ".join(report.problems)


def test_tests_taken_away_in_a_worker_are_missed(tmp_path: Path) -> None:
    conftest, code, why = TRICKS["tests taken away"]

    report = run_pytest(tmp_path, *WORKERS, conftest=conftest, test_trick=code)

    assert why in " ".join(report.problems)


def test_words_of_the_summary_change_nothing(tmp_path: Path) -> None:
    conftest = "def pytest_report_teststatus(report): return 'passed', '.', 'PASSED'"

    report = run_pytest(tmp_path, conftest=conftest, test_a="print('5 passed in 0.01s')\n" + FAILING)

    assert (report.problems, by_name(report)["test_a"].outcome) == ((), "failed")


@pytest.mark.parametrize("name", ["pluggy", "json"])
def test_a_module_of_the_project_in_place_of_the_runners_is_a_problem(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.py").write_text(
        f"import sys, importlib\nsys.path.remove({str(tmp_path)!r})\ndel sys.modules[{name!r}]\n"
        f"importlib.import_module({name!r}).__file__ = __file__"
    )

    report = run_pytest(tmp_path, test_a="def test_a(): pass")

    assert f"a module of the project replaces the runner's: {name} is {name}.py" in report.problems


def test_a_python_without_assertions_proves_nothing_but_where_pytest_makes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONOPTIMIZE", "1")

    plain, rewritten = (run_pytest(tmp_path, f"--assert={how}", test_a=FAILING) for how in ("plain", "rewrite"))

    assert "Python leaves out assertions" in plain.problems[0]
    assert (rewritten.problems, by_name(rewritten)["test_a"].outcome) == ((), "failed")
    assert plain.notes == ()
    assert "other modules that tests use" in rewritten.notes[0]


@pytest.mark.parametrize("option", ["--setup-only", "--setup-plan"])
def test_a_test_that_is_only_set_up_has_not_passed(tmp_path: Path, option: str) -> None:
    report = run_pytest(tmp_path, option, test_a=FAILING)

    assert report.problems == ("test_a.py::test_a was reported as passed, but was only set up",)


def test_tests_deselected_by_the_project_are_a_fact_and_no_problem(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -k 'not slow'\n")

    report = run_pytest(tmp_path, test_a="def test_fast(): pass\ndef test_slow(): pass")

    assert report.problems == ()
    assert ("deselected test", "test_a.py::test_slow") in report.configuration
    assert ("deselected by", "-k not slow") in report.configuration
    assert ("option keyword", "not slow") in report.configuration
    assert ("inifile", "pytest.ini") in report.configuration


DESELECTING = """
def pytest_collection_modifyitems(items, config):
    config.hook.pytest_deselected(items=[items.pop()])
"""


@pytest.mark.parametrize(
    ("conftest", "words", "variable", "by"),
    [
        ("", ["--deselect", "test_a.py::test_slow"], "", "--deselect test_a.py::test_slow"),
        ("", ["-m", "not slow"], "", "-m not slow"),
        ("", [], "-k fast", "-k fast (PYTEST_ADDOPTS)"),
        ("", [], "--ignore=test_b.py", "--ignore test_b.py (PYTEST_ADDOPTS)"),
        ("", [], "--ignore-glob=*_b.py", "--ignore-glob (PYTEST_ADDOPTS)"),
        ("", ["--ignore=docs", "--ignore=test_b.py"], "", "--ignore test_b.py"),
        (DESELECTING, [], "", "plug-in conftest.py"),
    ],
)
def test_who_deselects_tests_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, conftest: str, words: list[str], variable: str, by: str
) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", variable)
    code = "import pytest\ndef test_fast(): pass\n@pytest.mark.slow\ndef test_slow(): pass"

    report = run_pytest(tmp_path, *words, conftest=conftest, test_a=code)

    assert [value for name, value in report.configuration if name == "deselected by"] == [by]
