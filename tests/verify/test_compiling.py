"""Test files that base and head have in common are compiled once, before either of them is run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dualgate.core.values.suite import Suite
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.compiled import compiled_sources
from dualgate.runners.python import PytestRunner
from dualgate.testing import a_control
from dualgate.verify.compiling import compile_once, take_compiled
from dualgate.verify.request import Request
from dualgate.verify.sides import Sides, resolve
from dualgate.verify.trees import Written

MANY = f"TEXT = '{'x' * 100_000}'\n\n\ndef test_many():\n    assert len(TEXT) == 100_000\n"
FEW = "def test_few():\n    assert 1 == 1\n"
PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov")


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def sides(tmp_path: Path) -> Sides:
    """A large test file that both sides have, and one that changed."""
    root = tmp_path.resolve() / "shop"
    (root / "tests").mkdir(parents=True)
    (root / "tests" / "test_many.py").write_text(MANY)
    (root / "tests" / "test_changed.py").write_text(MANY)
    (root / "other").mkdir()
    git(root, "init", "-qb", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "base")
    (root / "tests" / "test_changed.py").write_text(MANY + FEW)
    return resolve(Request(project=root, base="main"), tmp_path / "own")


def written(sides: Sides, environment: dict[str, str] | None = None) -> Written:
    root = sides.revisions.root
    return Written(root=root, project=root, environment=environment or dict(os.environ))


def expected(sides: Sides, suite: Suite, place: Written | None = None) -> list[str]:
    """The files that the next run of a suite compiles before it starts."""
    compile_once([suite], place or written(sides), sides)
    return [Path(name).name for name in compiled_sources(suite, sides.revisions.root).missed]


def test_only_test_files_that_are_the_same_on_both_sides_are_compiled_for_both(sides: Sides) -> None:
    assert expected(sides, Suite(name="tests", command=PYTEST)) == ["test_many.py"]


def test_test_files_outside_the_paths_of_the_command_are_not_compiled(sides: Sides) -> None:
    assert expected(sides, Suite(name="tests", command=(*PYTEST, "other"))) == []
    assert expected(sides, Suite(name="tests", command=(*PYTEST, "tests"))) == ["test_many.py"]


def test_the_script_pytest_shows_its_interpreter(sides: Sides) -> None:
    place = written(sides, {"PATH": str(Path(sys.executable).parent)})
    assert shutil.which("pytest", path=place.environment["PATH"])
    assert expected(sides, Suite(name="tests", command=("pytest", "-q")), place) == ["test_many.py"]


@pytest.mark.parametrize("command", [("make", "test"), ("no-such-python", "-m", "pytest"), ("no-such/pytest",)])
def test_command_that_does_not_show_its_interpreter_compiles_as_usual(sides: Sides, command: tuple[str, ...]) -> None:
    assert expected(sides, Suite(name="tests", command=command)) == []


def test_both_trees_run_the_code_that_was_compiled_before_the_first_run(sides: Sides, tmp_path: Path) -> None:
    suite = Suite(name="tests", command=PYTEST, timeout=60)
    first = written(sides)
    copied = Path(shutil.copytree(first.root, tmp_path.resolve() / "copy"))
    second = Written(root=copied, project=copied, environment=first.environment)
    expected(sides, suite)

    reports = []
    for place in (first, second):
        take_compiled([suite], place, [suite], first)
        reports.append(PytestRunner(suite, place.project, Supervisor(os.environ)).run(a_control()))

    assert [(report.problems, report.counts.passed) for report in reports] == [((), 3)] * 2
    missed = [compiled_sources(suite, place.project).missed for place in (first, second)]
    assert [[Path(name).name for name in names] for names in missed] == [["test_changed.py"]] * 2
