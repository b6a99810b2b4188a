"""A commit is played as a run: its tests as RED, its code as GREEN."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.corpus.features import write
from tools.replay_commit import Commit, replay, script, specification

COMMAND = f"{sys.executable} -m pytest -q"
BEFORE = {
    "fees.py": "def fee(hours):\n    return 2 * hours\n",
    "tests/test_fees.py": "from fees import fee\n\n\ndef test_fee():\n    assert fee(2) == 4\n",
    "tests/test_free.py": "def test_free():\n    assert not [] * 2\n",
    "tests/test_old.py": "def test_old():\n    assert sorted([2, 1]) == [1, 2]\n",
}
AFTER = {
    "fees.py": "def fee(hours):\n    return min(2 * hours, 9)\n",
    "tests/test_fees.py": BEFORE["tests/test_fees.py"] + "    assert fee(5) == 9\n",
    "tests/test_free.py": BEFORE["tests/test_free.py"].replace(":\n", ':\n    """Nothing is free."""\n', 1),
    "README.md": "# Fees\n\n`fee` is 9 at most.\n",
}


@pytest.fixture
def commit(tmp_path: Path) -> Commit:
    root = tmp_path / "repository"
    write(root, BEFORE)
    git(root, "init", "-q")
    committed(root, "begin")
    write(root, AFTER)
    (root / "tests" / "test_old.py").unlink()
    committed(root, "Cap fees.")
    return Commit(repository=root, name=git(root, "rev-parse", "HEAD"))


def test_a_commit_is_told_apart_by_its_files(commit: Commit) -> None:
    assert specification(commit) == "# Cap fees\n\n## Acceptance Criteria\n\n- Cap fees (`test_fee`)\n"
    brought = [line.rpartition(" -- ")[2] for line in script(commit).splitlines() if line.startswith("run")]
    tests = 'tests/test_fees.py tests/test_free.py tests/test_old.py"]'
    assert brought == [tests, 'fees.py"]', 'README.md"]', 'README.md"]']


def test_a_commit_without_new_behaviour_says_so_and_may_bring_more_with_its_tests(commit: Commit) -> None:
    commit = replace(commit, kind="review", red=("README.md",))

    assert "- [review] Cap fees (`test_fee`)" in specification(commit)
    assert 'README.md tests/test_fees.py tests/test_free.py tests/test_old.py"]' in script(commit)
    assert "AC-1: met README.md:1" in script(commit)


def test_tests_that_cannot_be_found_in_python_files_are_named(commit: Commit) -> None:
    assert "- Cap fees (`caps fees`)" in specification(replace(commit, tests=("caps fees",)))


def test_tests_that_read_changed_data_are_those_of_its_commit(tmp_path: Path) -> None:
    cases = "import json\n\n\ndef test_cases():\n    assert json.load(open('tests/cases.json'))\n"
    write(tmp_path, {"tests/test_cases.py": cases, "tests/test_other.py": BEFORE["tests/test_old.py"]})
    git(tmp_path, "init", "-q")
    committed(tmp_path, "begin")
    write(tmp_path, {"tests/cases.json": "[1]\n"})
    committed(tmp_path, "Read more")

    assert "- Read more (`test_cases`)" in specification(Commit(repository=tmp_path, name="HEAD"))


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("DUALGATE_", "PRP_", "PYTEST_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.mark.usefixtures("alone")
def test_a_commit_whose_code_has_a_test_that_reads_documents_is_proven(commit: Commit, tmp_path: Path) -> None:
    root = commit.repository
    reading = "from pathlib import Path\n\n\ndef test_named():\n    name = Path('fees.py').read_text()[4:7]\n"
    write(root, {"tests/test_named.py": reading + "    assert name in Path('README.md').read_text()\n"})
    committed(root, "Compare with documents")
    tested = "from fees import tax\n\n\ndef test_tax():\n    assert tax(10) == 2\n"
    taxed = "def tax(fee):\n    return fee // 5\n\n\n" + AFTER["fees.py"]
    write(root, {"fees.py": taxed, "tests/test_tax.py": tested, "README.md": "`tax` and `fee`\n"})
    committed(root, "Add a tax")

    assert replay(replace(commit, name=git(root, "rev-parse", "HEAD")), COMMAND, tmp_path) == 0


@pytest.mark.usefixtures("alone")
def test_a_commit_that_removes_a_test_is_proven(commit: Commit, tmp_path: Path) -> None:
    code = replay(commit, COMMAND, tmp_path, "touch set-up")

    assert (code, (tmp_path / "project" / "set-up").exists()) == (0, True)


def committed(root: Path, subject: str) -> None:
    git(root, "add", "-A")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", subject)


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True).stdout.strip()
