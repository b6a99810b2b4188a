"""pytest as it is: real runs in real folders, and reports that lie."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dualgate.core.suite import CaseResult, FailureKind, SuiteReport
from dualgate.core.vocabulary import Ending
from dualgate.process import Exit
from dualgate.runners.pytest import PytestRunner, read_report
from dualgate.testing import a_control

PLAIN = {"PATH": os.environ["PATH"], "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
EVERY_OUTCOME = """
import pytest

def test_passes(): pass
def test_fails(): assert 1 == 2
def test_misses(): undefined_name
def test_other(): raise ValueError("x")
@pytest.mark.skip
def test_skipped(): pass
@pytest.mark.xfail(strict=False)
def test_xfailed(): assert False
@pytest.mark.xfail(strict=False)
def test_xpassed(): pass
@pytest.fixture
def broken(): raise RuntimeError("no")
def test_error(broken): pass
@pytest.mark.parametrize("value", [1, 2])
def test_parameter(value): pass
class TestClass:
    def test_method(self):
        "Shows AC-7."
"""


def run_pytest(folder: Path, *words: str, timeout: float = 60, **files: str) -> SuiteReport:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words)
    return PytestRunner(command=command, project=folder, timeout=timeout).run(a_control())


def by_name(report: SuiteReport) -> dict[str, CaseResult]:
    return {result.id.rpartition("::")[2]: result for result in report.results}


def test_every_outcome_and_kind_of_failure_is_told(tmp_path: Path) -> None:
    report = run_pytest(tmp_path, test_all=EVERY_OUTCOME)

    results = by_name(report)
    assert report.trusted
    assert {name: str(result.outcome) for name, result in results.items()} == {
        "test_passes": "passed",
        "test_fails": "failed",
        "test_misses": "failed",
        "test_other": "failed",
        "test_skipped": "skipped",
        "test_xfailed": "xfailed",
        "test_xpassed": "xpassed",
        "test_error": "error",
        "test_parameter[1]": "passed",
        "test_parameter[2]": "passed",
        "test_method": "passed",
    }
    assert [results[name].kind for name in ("test_fails", "test_misses", "test_other")] == [
        FailureKind.ASSERTION,
        FailureKind.MISSING,
        FailureKind.OTHER,
    ]
    assert results["test_fails"].message == "assert 1 == 2"
    assert results["test_method"].doc == "Shows AC-7."


def test_a_changed_test_has_another_digest_and_its_neighbour_has_not(tmp_path: Path) -> None:
    one = by_name(run_pytest(tmp_path, test_a="def test_a(): assert 1\ndef test_b(): pass\n"))
    two = by_name(run_pytest(tmp_path, test_a="\n\ndef test_a(): assert 2\ndef test_b(): pass\n"))

    assert one["test_a"].digest != two["test_a"].digest
    assert one["test_b"].digest == two["test_b"].digest


def test_a_file_that_cannot_be_imported_is_a_broken_file(tmp_path: Path) -> None:
    report = run_pytest(tmp_path, test_bad="import nowhere_to_be_found", test_good="def test_a(): pass")

    broken = [result for result in report.results if result.is_broken_file]
    assert report.trusted
    assert [result.file for result in broken] == ["test_bad.py"]
    assert "nowhere_to_be_found" in broken[0].message


def test_the_other_files_are_run_beside_a_broken_one(tmp_path: Path) -> None:
    report = run_pytest(tmp_path, test_bad="import nowhere_to_be_found", test_good="def test_a(): pass")

    assert by_name(report)["test_a"].outcome == "passed"


def test_files_are_named_from_the_project_wherever_pytest_is_started(tmp_path: Path) -> None:
    (tmp_path / "backend").mkdir()
    (tmp_path / "backend" / "test_a.py").write_text("def test_a(): pass")
    (tmp_path / "backend" / "pytest.ini").write_text("[pytest]")
    command = ("/bin/sh", "-c", f"cd backend && {sys.executable} -m pytest -q")

    (result,) = PytestRunner(command=command, project=tmp_path).run(a_control()).results

    assert (result.id, result.file) == ("test_a.py::test_a", "backend/test_a.py")


def test_a_caller_of_pytest_may_fail_with_a_code_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("def test_a(): assert 0")
    (tmp_path / "Makefile").write_text(f"test:\n\t@{sys.executable} -m pytest -q\n")

    report = PytestRunner(command=("make", "test"), project=tmp_path).run(a_control())

    assert (report.trusted, report.exit_code, report.counts.failed) == (True, 2, 1)


def test_a_reformatted_test_has_the_same_digest(tmp_path: Path) -> None:
    one = by_name(run_pytest(tmp_path, test_a="def test_a():\n    assert (1)\n"))
    two = by_name(run_pytest(tmp_path, test_a="def test_a(): assert 1  # same\n"))

    assert one["test_a"].digest == two["test_a"].digest


NESTED = """
pytest_plugins = "pytester"
def test_inner(pytester):
    pytester.makepyfile("def test_a(): pass\\ndef test_b(): assert 0")
    pytester.runpytest_inprocess().assert_outcomes(passed=1, failed=1)
    pytester.runpytest_subprocess().assert_outcomes(passed=1, failed=1)
"""


def test_a_pytest_that_the_tests_start_themselves_does_not_report(tmp_path: Path) -> None:
    report = run_pytest(tmp_path, test_nested=NESTED)

    assert (report.problems, [result.outcome for result in report.results]) == ((), ["passed"])


def test_a_run_is_whole_even_where_the_project_stops_at_the_first_failure(tmp_path: Path) -> None:
    report = run_pytest(tmp_path, "-x", test_a="def test_a(): assert 0\ndef test_b(): pass")

    assert (report.trusted, report.counts.failed, report.counts.passed) == (True, 1, 1)


def test_a_doctest_makes_no_test_file_of_its_source(tmp_path: Path) -> None:
    report = run_pytest(
        tmp_path, "--doctest-modules", counting='def f():\n    """\n    >>> f()\n    1\n    """\n    return 1'
    )

    assert [(result.id, result.file, result.outcome) for result in report.results] == [
        ("counting.py::counting.f", "", "passed")
    ]


def test_prose_around_a_doctest_is_no_part_of_it(tmp_path: Path) -> None:
    source = 'def f():\n    """{}\n\n    >>> f()\n    1\n    """\n    return 1'
    one = run_pytest(tmp_path, "--doctest-modules", counting=source.format("Old."))
    two = run_pytest(tmp_path, "--doctest-modules", counting=source.format("New words."))

    assert one.results[0].digest == two.results[0].digest


def test_a_module_of_the_project_cannot_stand_in_for_the_reporter(tmp_path: Path) -> None:
    forged = "def pytest_runtest_makereport(item, call): call.excinfo = None"

    report = run_pytest(tmp_path, dualgate_pytest_reporter=forged, test_a="def test_a(): assert 0")

    assert by_name(report)["test_a"].outcome == "failed"


@pytest.mark.parametrize("changed", ["test_a.py", "code_under_test.py"])
def test_a_compiled_file_in_the_tree_is_not_read(tmp_path: Path, changed: str) -> None:
    (tmp_path / "code_under_test.py").write_text("value = 0\n")
    (tmp_path / "test_a.py").write_text("import code_under_test\ndef test_a(): assert 0 or code_under_test.value\n")
    subprocess.run([sys.executable, "-m", "pytest", "-q"], cwd=tmp_path, env=PLAIN, capture_output=True)
    stamp = (tmp_path / changed).stat()
    (tmp_path / changed).write_text((tmp_path / changed).read_text().replace("0", "1"))
    os.utime(tmp_path / changed, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))

    assert len(list(tmp_path.glob("__pycache__/*.pyc"))) == 2
    assert by_name(run_pytest(tmp_path))["test_a"].outcome == "passed"


def test_no_tests_at_all_is_an_honest_answer(tmp_path: Path) -> None:
    report = run_pytest(tmp_path)

    assert (report.trusted, report.results, report.exit_code) == (True, (), 5)


def test_tests_spread_over_processes_are_all_told(tmp_path: Path) -> None:
    report = run_pytest(tmp_path, "-n", "2", test_all=EVERY_OUTCOME)

    assert report.trusted
    assert report.counts.total == 11
    assert by_name(report)["test_fails"].digest


def test_nothing_is_written_into_the_project(tmp_path: Path) -> None:
    run_pytest(tmp_path, test_a="def test_a(): pass")

    assert [path.name for path in tmp_path.iterdir()] == ["test_a.py"]


TRICKS = [
    ("exit before the tests", "import os; os._exit(0)", "broke off before its end"),
    ("exit during the tests", "import os\ndef test_a(): os._exit(0)", "broke off before its end"),
    (
        "exit after the tests",
        "import atexit, os\natexit.register(lambda: os._exit(0))\ndef test_a(): assert 0",
        "pytest ended with 1 but its process with 0",
    ),
    (
        "report written by the tests",
        "import gc\ndef test_a():\n"
        "    (reporter,) = [o for o in gc.get_objects() if type(o).__name__ == 'Reporter']\n"
        "    reporter.write('result', id='forged')",
        "written by somebody else",
    ),
]


@pytest.mark.parametrize(("code", "why"), [trick[1:] for trick in TRICKS], ids=[trick[0] for trick in TRICKS])
def test_a_trick_never_yields_a_trusted_run(tmp_path: Path, code: str, why: str) -> None:
    report = run_pytest(tmp_path, test_trick=code)

    assert why in report.problems[0]


def test_a_hung_suite_ends_at_its_limit(tmp_path: Path) -> None:
    report = run_pytest(tmp_path, timeout=2, test_a="import time\ndef test_a(): time.sleep(600)")

    assert report.problems == ("the test run did not end by itself: timed_out",)


def test_an_interpreter_without_pytest_says_so(tmp_path: Path) -> None:
    runner = PytestRunner(command=(sys.executable, "-S", "-m", "pytest"), project=tmp_path)

    (problem,) = runner.run(a_control()).problems

    assert "gave no pytest report (exit code 1)" in problem
    assert "No module named pytest" in problem


PASSED = {
    "event": "result",
    "id": "a",
    "file": "/project/a.py",
    "outcome": "passed",
    "digest": "d",
    "doc": "\udc80",
    "kind": None,
    "message": "",
    "seconds": 0.1,
}


def a_read(*events: object, code: int = 0) -> SuiteReport:
    lines = [json.dumps(event).encode() for event in events]
    runner = PytestRunner(command=("pytest",), project=Path("/project"))
    torn = [b"{torn", b"[" * 100_000]
    return read_report(runner, [*lines, *torn], Exit(code=code, ending=Ending.EXITED, seconds=1.0), "out")


CONTRADICTIONS = [
    (a_read(PASSED, {"event": "finished", "exit": 0, "collected": 2}), "2 tests were collected but 1 reported"),
    (a_read(PASSED, {"event": "finished", "exit": 1, "collected": 1}, code=1), "in which no tests failed"),
    (
        a_read({**PASSED, "outcome": "failed"}, {"event": "finished", "exit": 0, "collected": 1}),
        "in which some tests failed",
    ),
    (a_read(PASSED, {"event": "finished", "exit": 3, "collected": 1}, code=3), "could not run the tests"),
    (a_read({**PASSED, "outcome": "great"}, {"event": "finished", "exit": 0, "collected": 1}), "somebody else"),
    (a_read(PASSED, 7, {"event": 7}), "broke off before its end"),
    (a_read({**PASSED, "id": 5}, {"event": "finished", "exit": 0, "collected": 1}), "somebody else"),
    (a_read({**PASSED, "seconds": "x"}, {"event": "finished", "exit": 0, "collected": 1}), "somebody else"),
    (
        a_read({**PASSED, "file": "/elsewhere/a.py"}, {"event": "finished", "exit": 0, "collected": 1}),
        "tests outside the project cannot be guarded: ../elsewhere/a.py",
    ),
]


@pytest.mark.parametrize(("report", "why"), CONTRADICTIONS, ids=[why for _, why in CONTRADICTIONS])
def test_a_report_that_contradicts_itself_is_not_believed(report: SuiteReport, why: str) -> None:
    assert not report.trusted
    assert why in report.problems[0]


def test_halves_of_surrogate_pairs_are_taken_out() -> None:
    report = a_read(PASSED, {"event": "finished", "exit": 0, "collected": 1})

    assert (report.trusted, report.results[0].doc) == (True, "?")
