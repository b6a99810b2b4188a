"""Running some tests only, by their ids as they were told."""

import sys
from pathlib import Path

import pytest

from dualgate.testing import a_control
from tests.runners.projects import WORKERS, a_runner, run_pytest

ODD = """
import pytest
@pytest.mark.parametrize("value", ["a b", "x::y", "new\\nline", "[]", "ü", "'\\"$(ls)", "-k"])
def test_odd(value): pass
def test_other(): assert 0
"""


@pytest.mark.parametrize("words", [(), WORKERS], ids=["one process", "workers"])
def test_only_what_is_asked_for_is_run_whatever_its_name(tmp_path: Path, words: tuple[str, ...]) -> None:
    whole = run_pytest(tmp_path, *words, test_a=ODD, test_b="import nowhere")
    odd = tuple(result.id for result in whole.results if "test_odd" in result.id)

    report = run_pytest(tmp_path, *words, only=odd)

    assert len(odd) == 7
    assert (report.problems, report.only, report.exit_code) == ((), odd, 0)
    assert {result.id for result in report.results} == set(odd)


def test_a_test_that_is_not_there_is_a_problem_and_the_others_are_run(tmp_path: Path) -> None:
    only = ("test_a.py::test_gone", "test_a.py::test_here", "gone.py::test_b")

    report = run_pytest(tmp_path, only=only, test_a="def test_here(): pass\ndef test_other(): assert 0")

    assert [result.id for result in report.results] == ["test_a.py::test_here"]
    (problem,) = report.problems
    assert problem == "2 of the selected tests are missing: test_a.py::test_gone, gone.py::test_b"


def test_a_broken_file_can_be_asked_for(tmp_path: Path) -> None:
    report = run_pytest(tmp_path, only=("test_a.py",), test_a="import nowhere", test_b="import elsewhere")

    assert [(result.id, result.is_broken_file) for result in report.results] == [("test_a.py", True)]
    assert report.problems == ()


def test_what_calls_pytest_needs_no_argument(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("def test_a(): pass\ndef test_b(): assert 0")
    (tmp_path / "Makefile").write_text(f"test:\n\t@{sys.executable} -m pytest -q\n")

    report = a_runner(("make", "test"), tmp_path).run(a_control(), ["test_a.py::test_a"])

    assert (report.problems, report.exit_code, report.counts.passed) == ((), 0, 1)
