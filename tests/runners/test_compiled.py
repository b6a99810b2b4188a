"""Compiled files for the next run: made by a process that runs nothing of the project, read from nowhere else."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from dualgate.core.values.suite import Suite, SuiteReport
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.compiled import CompiledSources
from dualgate.runners.python import PytestRunner, UnittestRunner
from dualgate.testing import a_control
from tests.runners.projects import by_name

COMMAND = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")


@dataclass
class Project:
    """A project whose files are compiled for the next run however little time that takes."""

    folder: Path
    words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.compiled = CompiledSources(self.folder, worth=0.0)

    def write(self, **files: str) -> None:
        for name, text in files.items():
            path = self.folder / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def run(self) -> SuiteReport:
        suite = Suite(name="tests", command=(*COMMAND, *self.words), timeout=60)
        supervisor = Supervisor(os.environ)
        return PytestRunner(suite=suite, project=self.folder, supervisor=supervisor, compiled=self.compiled).run(
            a_control()
        )

    @property
    def names(self) -> set[str]:
        return {name.replace(f"{self.folder}{os.sep}", "") for name in self.compiled.names}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path.resolve())


def test_next_run_takes_tests_conftest_plugins_and_modules_from_the_compiled_files(project: Project) -> None:
    project.write(
        conftest="pytest_plugins = ['plugged']\n",
        plugged="import pytest\n@pytest.fixture\ndef one(): return 1\n",
        module="def two(): return 2\n",
        test_a="import module\ndef test_a(one): assert one + module.two() == 3\n",
    )
    reports = [project.run() for _ in range(3)]
    assert [(report.problems, by_name(report)["test_a"].outcome) for report in reports] == [((), "passed")] * 3
    assert project.names == {"rewritten conftest.py", "rewritten plugged.py", "rewritten test_a.py", "plain module.py"}
    assert project.compiled.missed == ()


def test_failing_assertions_of_compiled_tests_still_explain_values(project: Project) -> None:
    project.write(test_a="def test_a():\n    values = [1, 2]\n    assert sum(values) == 4\n")
    first, _, third = project.run(), project.run(), project.run()
    assert "rewritten test_a.py" in project.names
    assert "assert 3 == 4" in by_name(third)["test_a"].message
    assert by_name(first)["test_a"].message == by_name(third)["test_a"].message
    assert by_name(first)["test_a"].line == by_name(third)["test_a"].line == 3


def test_edit_of_the_same_second_and_size_is_seen(project: Project) -> None:
    project.write(module="def one(): return 1\n", test_a="import module\ndef test_a(): assert module.one() == 1\n")
    project.run(), project.run()
    before = (project.folder / "module.py").stat()
    project.write(module="def one(): return 2\n")
    os.utime(project.folder / "module.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert by_name(project.run())["test_a"].outcome == "failed"


def test_forged_compiled_files_in_the_project_are_not_read(project: Project) -> None:
    project.write(module="def one(): return 1\n", test_a="import module\ndef test_a(): assert module.one() == 1\n")
    project.run()
    before = (project.folder / "module.py").stat()
    forging = f"import py_compile; py_compile.compile({str(project.folder / 'module.py')!r})"
    assert os.spawnl(os.P_WAIT, sys.executable, sys.executable, "-c", forging) == 0
    project.write(module="def one(): return 3\n")
    os.utime(project.folder / "module.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert [by_name(project.run())["test_a"].outcome for _ in range(2)] == ["failed", "failed"]


REWRITES = """
import glob, os, pathlib, sys, tempfile
def test_a():
    for name in glob.glob(os.path.join(tempfile.gettempdir(), "dualgate-suite-*", "code")):
        content = pathlib.Path(name).read_bytes().replace(b"one is wrong", b"one is right")
        pathlib.Path(name).write_bytes(content)
        pathlib.Path("rewritten").touch()
def test_b():
    import late
    assert late.WORD == "one is wrong"
"""


def test_run_that_rewrites_its_compiled_files_changes_neither_itself_nor_the_next(project: Project) -> None:
    project.write(test_a=REWRITES, late="WORD = 'one is wrong'\n")
    for _ in range(3):
        assert by_name(project.run())["test_b"].outcome == "passed"
    assert (project.folder / "rewritten").exists()


def test_compiling_runs_no_code_of_the_project(project: Project) -> None:
    noted = "import os, pathlib\nwith open('ran', 'a') as file: file.write(f'{os.getpid()}\\n')\n"
    project.write(
        conftest=noted,
        test_a="def test_a(): pass\n",
    )
    reports = [project.run() for _ in range(3)]
    assert all(report.trusted for report in reports)
    assert "rewritten conftest.py" in project.names
    assert len((project.folder / "ran").read_text().split()) == 3


@pytest.mark.parametrize("source", ["def test_a(:\n", "def test_a():\n    assert '\\d'\n", "x = '\0'\n"])
def test_file_that_does_not_compile_cleanly_is_left_to_the_run(project: Project, source: str) -> None:
    project.write(test_a=source)
    first, second, third = project.run(), project.run(), project.run()
    assert "rewritten test_a.py" not in project.names
    assert (
        [r.message for r in first.results] == [r.message for r in second.results] == [r.message for r in third.results]
    )


def test_assertions_with_a_pass_hook_are_rewritten_by_the_run(project: Project) -> None:
    (project.folder / "pytest.ini").write_text("[pytest]\nenable_assertion_pass_hook = true\n")
    project.write(
        conftest="def pytest_assertion_pass(orig): open('passed', 'a').write(orig)\n",
        test_a="def test_a(): assert 1 == 1\n",
    )
    for _ in range(3):
        project.run()
    assert (project.folder / "passed").read_text() == "1 == 1" * 3


def test_nothing_is_kept_for_an_interpreter_that_cannot_be_started(project: Project) -> None:
    project.write(test_a="def test_a(): pass\n")
    nowhere = [str(project.folder / "nowhere"), "", "", "", ""]
    missed = {f"rewritten {project.folder / 'test_a.py'}": 10}
    project.compiled.learn([{"event": "compiled", "identity": nowhere, "missed": missed}])
    assert by_name(project.run())["test_a"].outcome == "passed"
    assert project.names == set()


@pytest.mark.parametrize("event", [{}, {"identity": 1, "missed": {}}, {"identity": ["a"], "missed": {"odd": "x"}}])
def test_odd_events_are_ignored(project: Project, event: dict[str, object]) -> None:
    project.compiled.learn([{"event": "compiled", **event}])
    assert project.compiled.missed == ()


def test_files_outside_the_project_are_not_compiled(project: Project) -> None:
    identity = [sys.executable, "", "", "", ""]
    project.compiled.learn([{"event": "compiled", "identity": identity, "missed": {"plain /etc/other.py": 10}}])
    assert project.compiled.missed == ()


def test_unittest_takes_modules_from_the_compiled_files(project: Project) -> None:
    project.write(
        module="def one(): return 1\n",
        test_a="import module, unittest\nclass T(unittest.TestCase):\n    def test_a(self): assert module.one() == 1\n",
    )
    suite = Suite(name="tests", runner="unittest", command=(sys.executable, "-m", "unittest", "-q"), timeout=60)
    supervisor = Supervisor(os.environ)
    runner = UnittestRunner(suite=suite, project=project.folder, supervisor=supervisor, compiled=project.compiled)
    for _ in range(3):
        assert by_name(runner.run(a_control()))["test_a.T.test_a"].outcome == "passed"
    assert project.names == {"plain module.py", "plain test_a.py"}
    assert project.compiled.missed == ()


AT_HOME = "import sys\ndef test_a():\n    assert sys._getframe().f_code.co_filename == __file__\n"


def in_two_folders(folder: Path, **files: str) -> tuple[Project, Project]:
    """Two folders with the same files, of which the first is compiled."""
    first, second = Project(folder / "first"), Project(folder / "second")
    for project in (first, second):
        project.write(**files)
    first.run(), first.run()
    second.compiled.take_over(first.compiled)
    return first, second


def test_code_of_the_same_file_in_another_folder_is_used_with_the_path_of_this_one(tmp_path: Path) -> None:
    _, second = in_two_folders(tmp_path.resolve(), module="one = 1\n", test_a=f"import module\n{AT_HOME}")
    report = second.run()
    assert (report.problems, by_name(report)["test_a"].outcome) == ((), "passed")
    assert second.compiled.missed == ()


def test_code_of_another_folder_is_not_used_for_a_file_with_other_content(tmp_path: Path) -> None:
    _, second = in_two_folders(tmp_path.resolve(), test_a="def test_a(): assert 1 == 1\n")
    second.write(test_a="def test_a(): assert 1 == 2\n")
    assert by_name(second.run())["test_a"].outcome == "failed"
    assert [name.rpartition("/")[2] for name in second.compiled.missed] == ["test_a.py"]


def test_code_of_another_interpreter_is_not_taken_over(tmp_path: Path) -> None:
    first, second = in_two_folders(tmp_path.resolve(), test_a=AT_HOME)
    other = Project(tmp_path.resolve() / "other")
    other.compiled.learn([{"event": "compiled", "identity": ["python", "3", "0", "", ""], "missed": {}}])
    other.compiled.take_over(first.compiled)
    assert (second.names, other.names) == ({"rewritten test_a.py"}, set())
