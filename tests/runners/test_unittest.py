"""unittest as it is: real runs in real folders, and runs that say more than what happened."""

import os
import sys
from pathlib import Path

import pytest

from dualgate.core.values.suite import CaseResult, FailureKind, Suite, SuiteReport
from dualgate.errors import SuiteUnusable
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.python import UnittestRunner, with_reporter
from dualgate.testing import a_control
from tests.runners.projects import run_unittest

EVERY_OUTCOME = """
import unittest
class TestAll(unittest.TestCase):
    def test_passes(self): "Shows AC-7."
    def test_fails(self): self.assertEqual(1, 2)
    def test_misses(self): self.undefined_name
    def test_mistake(self): undefined_name
    def test_other(self): raise ValueError("x")
    @unittest.skip("why not")
    def test_skipped(self): pass
    def test_skips(self): self.skipTest("later")
    @unittest.expectedFailure
    def test_xfailed(self): self.fail()
    @unittest.expectedFailure
    def test_unexpected(self): pass
    def test_subtests(self):
        for value in range(3):
            with self.subTest(value=value): self.assertNotEqual(value, 1)
class TestSetUp(unittest.TestCase):
    def setUp(self): raise RuntimeError("no")
    def test_error(self): pass
class TestAsync(unittest.IsolatedAsyncioTestCase):
    async def test_waits(self): pass
"""
CLASSES = """
import unittest
class TestBroken(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise RuntimeError("no class")
    def test_a(self): pass
    def test_b(self): pass
class TestSkipped(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise unittest.SkipTest("not today")
    def test_a(self): pass
class TestTornDown(unittest.TestCase):
    @classmethod
    def tearDownClass(cls): raise RuntimeError("no end")
    def test_a(self): pass
"""


def by_name(report: SuiteReport) -> dict[str, CaseResult]:
    return {result.id.rpartition(".")[2]: result for result in report.results}


def test_every_outcome_and_kind_of_failure_is_told(tmp_path: Path) -> None:
    report = run_unittest(tmp_path, test_all=EVERY_OUTCOME)

    results = by_name(report)
    assert report.problems == ()
    assert {name: str(result.outcome) for name, result in results.items()} == {
        "test_passes": "passed",
        "test_fails": "failed",
        "test_misses": "failed",
        "test_mistake": "failed",
        "test_other": "failed",
        "test_skipped": "skipped",
        "test_skips": "skipped",
        "test_xfailed": "xfailed",
        "test_unexpected": "failed",
        "test_subtests": "failed",
        "test_error": "error",
        "test_waits": "passed",
    }
    assert [results[name].kind for name in ("test_fails", "test_misses", "test_mistake", "test_other")] == [
        FailureKind.ASSERTION,
        FailureKind.MISSING,
        FailureKind.BROKEN_TEST,
        FailureKind.OTHER,
    ]
    assert results["test_subtests"].message == "(value=1) AssertionError: 1 == 1"
    assert results["test_skipped"].message == "why not"
    assert (results["test_passes"].doc, results["test_passes"].line) == ("Shows AC-7.", 4)
    assert (results["test_fails"].file, results["test_fails"].line) == ("test_all.py", 5)


def test_a_class_that_cannot_be_set_up_is_told_of_each_of_its_tests(tmp_path: Path) -> None:
    report = run_unittest(tmp_path, test_classes=CLASSES)

    assert report.problems == ()
    assert {result.id: str(result.outcome) for result in report.results} == {
        "test_classes.TestBroken.test_a": "error",
        "test_classes.TestBroken.test_b": "error",
        "test_classes.TestSkipped.test_a": "skipped",
        "test_classes.TestTornDown.test_a": "passed",
        "tearDownClass (test_classes.TestTornDown)": "error",
    }
    assert "no class" in report.results[0].message


def test_a_module_that_cannot_be_set_up_is_told_of_each_of_its_tests(tmp_path: Path) -> None:
    code = "import unittest\ndef setUpModule(): raise RuntimeError('no')\n"
    report = run_unittest(
        tmp_path, test_a=code + "class TestA(unittest.TestCase):\n def test_a(self): pass\n def test_b(self): pass\n"
    )

    assert (report.problems, report.counts.error) == ((), 2)


def test_a_file_that_cannot_be_imported_is_a_broken_file(tmp_path: Path) -> None:
    good = "import unittest\nclass TestA(unittest.TestCase):\n def test_a(self): pass\n"
    report = run_unittest(tmp_path, test_bad="import nowhere_to_be_found", test_good=good)

    (broken,) = [result for result in report.results if result.is_broken_file]
    assert report.problems == ()
    assert (broken.id, broken.file) == ("test_bad", "test_bad.py")
    assert "nowhere_to_be_found" in broken.message
    assert by_name(report)["test_a"].outcome == "passed"


def test_tests_that_a_module_makes_itself_are_told(tmp_path: Path) -> None:
    code = """
import unittest
class Made(unittest.TestCase):
    def __init__(self, value):
        super().__init__("check")
        self.value = value
    def id(self): return f"made.{self.value}"
    def check(self): self.assertLess(self.value, 2)
def load_tests(loader, tests, pattern):
    return unittest.TestSuite(map(Made, range(3)))
"""
    report = run_unittest(tmp_path, test_made=code)

    assert report.problems == ()
    assert {result.id: str(result.outcome) for result in report.results} == {
        "made.0": "passed",
        "made.1": "passed",
        "made.2": "failed",
    }


def test_no_tests_at_all_is_an_honest_answer(tmp_path: Path) -> None:
    report = run_unittest(tmp_path)

    assert (report.problems, report.results) == ((), ())


def test_a_run_is_whole_even_where_it_should_stop_at_the_first_failure(tmp_path: Path) -> None:
    report = run_unittest(tmp_path, "-f", test_all=EVERY_OUTCOME)

    assert (report.problems, report.counts.total) == ((), 12)


def test_only_what_is_asked_for_is_run_and_what_is_not_there_is_said(tmp_path: Path) -> None:
    only = ("test_all.TestAll.test_passes", "test_all.TestAll.test_gone")

    report = run_unittest(tmp_path, only=only, test_all=EVERY_OUTCOME)

    assert [result.id for result in report.results] == ["test_all.TestAll.test_passes"]
    assert report.problems == ("1 of the selected tests are missing: test_all.TestAll.test_gone",)


def test_a_shell_may_start_unittest(tmp_path: Path) -> None:
    (tmp_path / "test_all.py").write_text(EVERY_OUTCOME)
    command = ("/bin/sh", "-c", f"cd . && {sys.executable} -m unittest discover -q; true && exit 1")

    report = UnittestRunner(
        suite=Suite(name="a", runner="unittest", command=command), project=tmp_path, supervisor=Supervisor(os.environ)
    ).run(a_control())

    assert (report.problems, report.counts.total) == ((), 12)


def test_a_command_that_does_not_name_unittest_is_refused() -> None:
    with pytest.raises(SuiteUnusable, match="does not say where unittest is started"):
        with_reporter(("make", "test"), "reporter")


HEAD = "import os, unittest\nclass TestA(unittest.TestCase):\n    def test_a(self): {}\n"
TRICKS = {
    "exit before": ("import os; os._exit(0)", "broke off before its end"),
    "exit during": (HEAD.format("os._exit(0)"), "broke off before its end"),
    "exit after": (
        "import atexit\n" + HEAD.format("self.fail()") + "atexit.register(lambda: os._exit(0))",
        "unittest ended with 1 but its process with 0",
    ),
    "swallowed around the method": (
        HEAD.format("self.fail()")
        + "    def _callTestMethod(self, method):\n        try: method()\n        except Exception: pass\n",
        "was reported as passed, but raised AssertionError",
    ),
    "never called": (HEAD.format("self.fail()") + "    def _callTestMethod(self, method): pass", "never entered"),
    "never run": (
        HEAD.format("self.fail()")
        + "    def run(self, result): result.startTest(self); result.addSuccess(self); result.stopTest(self)",
        "never entered",
    ),
    "nothing said": (HEAD.format("self.fail()") + "    def run(self, result): pass", "1 tests were collected but 0"),
}


@pytest.mark.parametrize("trick", TRICKS)
def test_a_trick_never_yields_a_trusted_run(tmp_path: Path, trick: str) -> None:
    code, why = TRICKS[trick]

    report = run_unittest(tmp_path, test_trick=code)

    assert why in " ".join(report.problems)


def test_a_python_without_assertions_proves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONOPTIMIZE", "1")

    report = run_unittest(tmp_path, test_a=HEAD.format("assert 0"))

    assert "Python leaves out assertions" in report.problems[0]


def test_a_hung_suite_ends_at_its_limit_with_what_was_told(tmp_path: Path) -> None:
    code = HEAD.format("pass") + "    def test_b(self):\n        import time; time.sleep(600)\n"

    report = run_unittest(tmp_path, timeout=6, test_a=code)

    assert (report.complete, report.counts.passed) == (False, 1)
    assert "timed_out while test_a.TestA.test_b was running" in report.problems[0]
