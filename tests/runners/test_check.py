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


def test_the_tools_of_the_project_come_first(tmp_path: Path) -> None:
    own = tmp_path / ".venv" / "bin"
    own.mkdir(parents=True)
    (own / "ruff").write_text("#!/bin/sh\necho the own one\n")
    (own / "ruff").chmod(0o755)

    run = a_checker(tmp_path).run("ruff", (), a_control())

    assert (run.exit_code, run.last_line) == (0, "the own one")


def test_a_failed_run_names_the_files_of_the_project_in_its_output(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").touch()
    (tmp_path / "b.py").touch()
    said = f"src/a.py:3:1: F401 in os.path\n  --> {tmp_path}/b.py:1:2\nwould reformat ./src/a.py\n/etc/host.conf\n"

    def named(code: int) -> tuple[str, ...]:
        return a_checker(tmp_path).run(f"printf '{said}'; exit {code}", (), a_control()).named

    assert (named(1), named(0)) == (("src/a.py", "b.py"), ())


def test_of_an_endless_output_only_the_end_is_read_and_no_file_is_taken_for_all(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()

    run = a_checker(tmp_path).run("yes 'a.py:1: error' | head -c 50000000; exit 1", (), a_control())

    assert (run.exit_code, run.named, "a.py:1: error" in run.output) == (1, (), True)
    assert len(run.output) == 2000


def test_an_output_that_names_too_much_names_nothing(tmp_path: Path) -> None:
    (tmp_path / "a1.py").touch()

    run = a_checker(tmp_path).run("seq -f 'a%g.py' 3000; exit 1", (), a_control())

    assert run.named == ()
