"""A commit is played as a run: its tests as RED, its code as GREEN."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus.features import write
from tools.replay_commit import Commit, replay, script, specification

BEFORE = {
    "fees.py": "def fee(hours):\n    return 2 * hours\n",
    "tests/test_fees.py": "from fees import fee\n\n\ndef test_fee():\n    assert fee(2) == 4\n",
    "tests/test_old.py": "def test_old():\n    assert sorted([2, 1]) == [1, 2]\n",
}
AFTER = {
    "fees.py": "def fee(hours):\n    return min(2 * hours, 9)\n",
    "tests/test_fees.py": BEFORE["tests/test_fees.py"] + "    assert fee(5) == 9\n",
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
    assert brought == ['tests/test_fees.py tests/test_old.py"]', 'fees.py"]', 'README.md"]']


def test_a_commit_whose_review_answers_for_no_removed_test_is_completed_and_not_proven(
    commit: Commit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in os.environ if name.startswith(("DUALGATE_", "PRP_", "PYTEST_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))

    code = replay(commit, Path(sys.executable), ("-q",), tmp_path)

    assert (code, "removing tests/test_old.py::test_old is justified" in capfd.readouterr().out) == (7, True)


def committed(root: Path, subject: str) -> None:
    git(root, "add", "-A")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", subject)


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True).stdout.strip()
