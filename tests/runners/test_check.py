"""Commands of checks: run in the project, with a time limit, and with nothing left behind."""

import os
import time
from hashlib import sha256
from pathlib import Path

import pytest

from dualgate.processes.supervisor import Supervisor
from dualgate.runners.check import ShellChecker, files_named, programs_of
from dualgate.testing import a_control


def a_checker(project: Path, timeout: float | None = None) -> ShellChecker:
    return ShellChecker(project=project, supervisor=Supervisor(os.environ), timeout=timeout)


def test_the_exit_code_and_the_end_of_the_output_are_told(tmp_path: Path) -> None:
    (tmp_path / "here").touch()

    run = a_checker(tmp_path).run("ls; echo 2 errors >&2; exit 3", ("here", "nowhere"), a_control())

    assert (run.exit_code, run.printed, run.last_line, run.problem) == (3, ("here",), "2 errors", "")
    assert run.output_hash == sha256(b"here\n2 errors\n").hexdigest()


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

    assert (run.exit_code, run.last_line, run.tools) == (0, "the own one", ("ruff",))


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


LINES = [
    ("src/a.py-12-rest", ("src/a.py",)),
    ("see src/a.py.", ("src/a.py",)),
    ("src/a.py.bak and src/a.py", ("src/a.py",)),
    ("./src/../src/a.py: bad", ("src/a.py",)),
    ("src/ ... --- .", ()),
]


@pytest.mark.parametrize(("line", "files"), LINES)
def test_files_are_found_up_to_their_ending(tmp_path: Path, line: str, files: tuple[str, ...]) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").touch()

    assert files_named(tmp_path, line) == files


@pytest.mark.parametrize("piece", ["z", "/", "a.b", "a.py/", ".z", "z."])
def test_the_time_to_read_one_long_line_grows_with_its_length_alone(tmp_path: Path, piece: str) -> None:
    def cost(length: int) -> float:
        line = (piece * length)[:length]
        began = time.process_time()
        files_named(tmp_path, line)
        return time.process_time() - began

    short = min(cost(1 << 14) for _ in range(5))

    # 64 times the length: a quadratic pattern takes 4096 times as long
    assert cost(1 << 20) < 1000 * max(short, 1e-5)


def a_program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


STARTED = [
    ("mylint src", [".venv/bin/mylint"]),
    ("A=1 mylint", [".venv/bin/mylint"]),
    ("! mylint | other; mylint", [".venv/bin/mylint", "../bin/other"]),
    (".venv/bin/mylint", [".venv/bin/mylint"]),
    ("other run mylint other", ["../bin/other", ".venv/bin/mylint"]),
    ("other 'mylint x'", ["../bin/other", ".venv/bin/mylint"]),
    ("./build/app --version", []),
    ("build/app && no-such-program", []),
    ("linked", []),
    ("other ../bin/other", ["../bin/other"]),
    ("", []),
]


@pytest.mark.parametrize(("command", "programs"), STARTED)
def test_installed_programs_of_a_command_are_found_and_the_work_is_none(
    tmp_path: Path, command: str, programs: list[str]
) -> None:
    project = tmp_path / "project"
    for name in (".venv/bin/mylint", "build/app", "../bin/other"):
        a_program(project / name)
    (project / ".venv/bin/linked").symlink_to(project / "build/app")

    found = programs_of(command, project, os.pathsep.join(map(str, (project / ".venv/bin", tmp_path / "bin"))))

    assert [Path(each.partition(" (")[0]) for each in found] == [
        Path(os.path.normpath(project / each)) for each in programs
    ]


def test_a_program_with_another_content_or_place_is_another_one(tmp_path: Path) -> None:
    def ran() -> tuple[str, ...]:
        return a_checker(tmp_path).run("mylint", (), a_control()).programs

    a_program(tmp_path / "node_modules/.bin/mylint")
    first, again = ran(), ran()
    a_program(tmp_path / "node_modules/.bin/mylint", "#!/bin/sh\nexit 0\n")
    changed = ran()
    a_program(tmp_path / ".venv/bin/mylint")
    moved = ran()

    assert first == again
    assert len({first, changed, moved}) == 3
