import os
import sys
from pathlib import Path

from dualgate.core.values.suite import COMMAND_CASE, Suite
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.detect import given_suite
from dualgate.runners.exit_code import NAME, ExitCodeRunner, by_exit_code
from dualgate.testing import a_control


def runner(project: Path, *command: str) -> ExitCodeRunner:
    return ExitCodeRunner(
        suite=Suite(name="tests", runner=NAME, command=command, timeout=60.0),
        project=project,
        supervisor=Supervisor(os.environ),
    )


def test_a_failing_command_is_one_failing_test_with_its_last_words(tmp_path: Path) -> None:
    report = runner(tmp_path, "sh", "-c", "echo 2 of 3 failed; exit 3").run(a_control())

    assert [(result.id, result.failed) for result in report.results] == [(COMMAND_CASE, True)]
    assert "exit code 3): 2 of 3 failed" in report.results[0].message


def test_a_command_that_starts_pytest_after_all_is_told_by_pytest(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("def test_one(): pass\ndef test_two(): pass\n")

    report = runner(tmp_path, "sh", "-c", f"{sys.executable} -m pytest -q").run(a_control())

    assert [result.id for result in report.results] == ["test_a.py::test_one", "test_a.py::test_two"]
    assert report.trusted


def test_where_there_is_no_such_program_nothing_failed_and_nothing_is_known(tmp_path: Path) -> None:
    report = runner(tmp_path, "sh", "-c", "no-such-program").run(a_control())

    assert (report.trusted, report.results) == (False, ())


def test_asked_for_its_own_test_it_runs_the_command(tmp_path: Path) -> None:
    assert runner(tmp_path, "true").run(a_control(), [COMMAND_CASE]).trusted


def test_only_a_command_that_does_not_tell_how_it_reports_is_read_by_its_code() -> None:
    commands = ("make test", "python -m pytest", "prove -v t", "mvn -B test")

    assert [by_exit_code(given_suite(command)).runner for command in commands] == [NAME, "pytest", "tap", "junit"]
