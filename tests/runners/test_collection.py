"""Whether tests can be run, seen without running them."""

import os
import sys
from pathlib import Path

import pytest

from dualgate.core.values.suite import Suite
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.collection import Collection, collect
from dualgate.testing import a_control

PYTEST = (sys.executable, "-m", "pytest")


def collected(project: Path, *command: str, **variables: str) -> Collection:
    return collect(Suite(name="x", command=command), project, Supervisor({**os.environ, **variables}), a_control())


def test_pytest_finds_its_tests_and_runs_none_of_them(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("def test_a(): open('ran', 'w')\ndef test_b(): pass\n")

    assert collected(tmp_path, *PYTEST, "-q") == Collection(count=2)
    assert [item.name for item in tmp_path.iterdir()] == ["test_a.py"]


@pytest.mark.parametrize(
    ("words", "variable", "ini"), [("-q", "-q", ""), ("-q", "", "-q"), ("-qq", "", ""), ("-qqq", "-qq", "-q")]
)
def test_tests_are_counted_however_quiet_pytest_is(tmp_path: Path, words: str, variable: str, ini: str) -> None:
    (tmp_path / "test_a.py").write_text("def test_a(): pass\ndef test_b(): pass\n")
    (tmp_path / "pytest.ini").write_text(f"[pytest]\naddopts = {ini}\n")

    assert collected(tmp_path, *PYTEST, words, PYTEST_ADDOPTS=variable) == Collection(count=2)


def test_a_project_without_tests_has_none(tmp_path: Path) -> None:
    assert collected(tmp_path, *PYTEST) == Collection(count=0)


def test_tests_that_cannot_be_collected_are_a_problem_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("import no_such_module_at_all\n")

    assert "No module named 'no_such_module_at_all'" in collected(tmp_path, *PYTEST).problem


def test_a_command_that_pytest_does_not_understand_is_a_problem(tmp_path: Path) -> None:
    assert "unrecognized arguments: --nonsense" in collected(tmp_path, *PYTEST, "--nonsense").problem


def test_a_program_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    assert collected(tmp_path, "no-such-program").problem == "There is no program 'no-such-program'."


def test_what_a_shell_is_told_is_not_started_for_a_look(tmp_path: Path) -> None:
    assert collected(tmp_path, "/bin/sh", "-c", "touch ran; pytest").count is None
    assert not (tmp_path / "ran").exists()


def test_what_takes_long_is_said_to(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("import time; time.sleep(60)\n")
    suite = Suite(name="x", command=PYTEST)

    assert "take long" in collect(suite, tmp_path, Supervisor(os.environ), a_control().within(0.3)).note
