"""Commands of checks: run in the project, with a time limit, and with nothing left behind."""

import os
from pathlib import Path

from dualgate.processes.supervisor import Supervisor
from dualgate.runners.check import ShellChecker
from dualgate.testing import a_control


def a_checker(project: Path, timeout: float | None = None) -> ShellChecker:
    return ShellChecker(project=project, supervisor=Supervisor(os.environ), timeout=timeout)


def test_the_exit_code_and_the_end_of_the_output_are_told(tmp_path: Path) -> None:
    (tmp_path / "here").touch()

    run = a_checker(tmp_path).run("ls; echo 2 errors >&2; exit 3", ("here", "nowhere"), a_control())

    assert (run.exit_code, run.printed, run.last_line, run.problem) == (3, ("here",), "2 errors", "")


def test_a_program_that_is_missing_is_a_failed_check(tmp_path: Path) -> None:
    run = a_checker(tmp_path).run("no-such-linter", (), a_control())

    assert (run.exit_code, "no-such-linter" in run.last_line) == (127, True)


def test_a_check_that_does_not_end_is_ended(tmp_path: Path) -> None:
    run = a_checker(tmp_path, timeout=0.3).run("sleep 60", (), a_control())

    assert (run.exit_code, run.problem) == (None, "did not end by itself: timed_out")
