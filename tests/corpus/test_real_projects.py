"""Projects of other people, in environments of their own: the same counts as without us.

They are downloaded with pip as it is set up; where it cannot, the test is skipped and says why.
"""

import os
import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dualgate.core.values.suite import Suite, SuiteReport
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.registry import RUNNERS
from dualgate.testing import a_control
from tests.corpus.packages import PATIENCE, environment, unpacked
from tests.runners.projects import by_name, run_pytest


@dataclass(frozen=True, kw_only=True)
class Project:
    package: str
    pytest: str
    """The version of pytest it is run with; none for unittest."""
    sources: str = "."
    words: tuple[str, ...] = ()


# layouts: src, flat with tests beside, tests inside the package, one file of tests; pytest 6 to 9, and unittest
PROJECTS = [
    Project(package="markupsafe==2.1.3", pytest="8.3.5", sources="src"),
    Project(package="click==8.1.7", pytest="7.4.4", sources="src"),
    Project(package="toolz==0.12.1", pytest="6.2.5"),
    Project(package="tabulate==0.9.0", pytest="9.0.1"),
    Project(package="more-itertools==10.1.0", pytest="9.0.1", words=("tests/test_recipes.py",)),
    Project(package="pathspec==0.11.2", pytest=""),
    Project(package="idna==3.4", pytest=""),
]
OURS = {"passed": "passed", "failed": "failed", "error": "error", "skipped": "skipped", "xfailed": "skipped"}


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.package)
def test_a_project_has_the_same_counts_as_without_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, project: Project
) -> None:
    folder = unpacked(project.package, tmp_path)
    python = environment((f"pytest=={project.pytest}",) if project.pytest else (), tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(folder / project.sources))
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    report = run_ours(project, folder, python)

    assert report.problems == ()
    assert Counter(OURS[result.outcome] for result in report.results) == plain_counts(project, folder, python)


PLUG_INS = (
    "pytest==8.3.5",
    "pytest-rerunfailures==15.0",
    "pytest-randomly==3.16.0",
    "pytest-asyncio==0.25.3",
    "pytest-subtests==0.14.1",
    "pytest-forked==1.6.0",
    "anyio==4.8.0",
)
CODE = """
import pytest
tries = []
@pytest.mark.flaky(reruns=2)
def test_again():
    tries.append(1)
    assert len(tries) > 1
@pytest.mark.asyncio
async def test_async(): pass
@pytest.fixture
def anyio_backend(): return "asyncio"
@pytest.mark.anyio
async def test_anyio(): pass
def test_subtests(subtests):
    for i in range(3):
        with subtests.test(i=i): assert i != 1
@pytest.mark.forked
def test_forked(): import os; os._exit(1)
"""


def test_plug_ins_that_run_tests_in_their_own_way_are_understood(tmp_path: Path) -> None:
    python = environment(PLUG_INS, tmp_path)
    (tmp_path / "project").mkdir()

    report = run_pytest(tmp_path / "project", python=str(python), test_a=CODE)

    assert report.problems == ()
    assert {name: str(result.outcome) for name, result in by_name(report).items()} == {
        "test_again": "passed",
        "test_async": "passed",
        "test_anyio": "passed",
        "test_subtests": "failed",
        "test_forked": "failed",
    }


def command_of(project: Project, python: Path) -> tuple[str, ...]:
    if project.pytest:
        return (str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", *project.words)
    return (str(python), "-m", "unittest", "discover", *project.words)


def run_ours(project: Project, folder: Path, python: Path) -> SuiteReport:
    runner = "pytest" if project.pytest else "unittest"
    suite = Suite(name="tests", runner=runner, command=command_of(project, python), timeout=PATIENCE)
    return RUNNERS[runner](suite, folder, Supervisor(os.environ)).run(a_control())


def plain_counts(project: Project, folder: Path, python: Path) -> Counter[str]:
    command = command_of(project, python)
    if project.pytest:
        xml = folder.parent / "plain.xml"
        subprocess.run([*command, f"--junitxml={xml}"], cwd=folder, capture_output=True, env=dict(os.environ))
        return Counter(junit_outcome(case) for case in ElementTree.parse(xml).iter("testcase"))
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True).stderr
    skipped = sum(map(int, re.findall(r"skipped=(\d+)", said)))
    (ran,) = re.findall(r"Ran (\d+) tests? in .*\n\nOK", said)
    return +Counter({"passed": int(ran) - skipped, "skipped": skipped})


def junit_outcome(case: ElementTree.Element) -> str:
    found = {child.tag for child in case}
    return next((word for tag, word in JUNIT.items() if tag in found), "passed")


JUNIT = {"failure": "failed", "error": "error", "skipped": "skipped"}
