from pathlib import Path

import pytest

from dualgate.errors import StoreFailed
from dualgate.workspace.watching import Watch


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "code.py").write_text("A = 1\n")
    (root / "log.txt").write_text("one\n")
    return root


def test_code_that_changes_or_goes_is_seen(root: Path, tmp_path: Path) -> None:
    (root / "other.py").touch()
    watch = Watch(root, tmp_path / "seen")
    (root / "code.py").write_text("A = 2\n")
    (root / "other.py").unlink()

    assert watch.changed() == ("code.py", "other.py")


def test_a_new_file_that_steers_tests_is_seen(root: Path, tmp_path: Path) -> None:
    watch = Watch(root, tmp_path / "seen")
    (root / "conftest.py").touch()

    assert watch.changed() == ("conftest.py",)


def test_what_runs_leave_behind_is_let_pass(root: Path, tmp_path: Path) -> None:
    (root / "made.py").write_text("A = 1\n")
    watch = Watch(root, tmp_path / "seen", outputs=("made.py",))
    (root / "made.py").write_text("A = 2\n")
    (root / "log.txt").write_text("two\n")
    (root / "new.py").touch()
    (root / "code.py").write_text("A = 1\n")

    assert watch.changed() == ()


def test_a_place_that_cannot_be_written_is_that_of_temporary_files(root: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(StoreFailed, match="TMPDIR"):
        Watch(root, tmp_path / "file" / "seen")
