"""The key of a tree: it changes with the commit and the files, and with nothing else."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dualgate.workspace.tree_key import head_of, tree_key

GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")


def git(root: Path, *words: str) -> None:
    subprocess.run([*GIT, *words], cwd=root, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "code.py").write_text("one\n")
    (root / ".gitignore").write_text("*.log\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    return root


def _edit_twice(root: Path) -> None:
    (root / "code.py").write_text("two\n")
    tree_key(root)
    (root / "code.py").write_text("six\n")


def _in_untracked_folder(root: Path) -> None:
    (root / "new" / "deep").mkdir(parents=True)
    (root / "new" / "deep" / "a b\nc.py").write_text("")


def _committed(root: Path) -> None:
    git(root, "commit", "-q", "--allow-empty", "-m", "second")


def _inside_nested(root: Path) -> None:
    nested = root / "nested"
    nested.mkdir()
    git(nested, "init", "-q")
    (nested / "file").write_text("1")


CHANGES: list[Callable[[Path], None]] = [
    lambda root: (root / "code.py").unlink(),
    lambda root: (root / "code.py").chmod(0o755),
    lambda root: (root / "link").symlink_to("nowhere"),
    _edit_twice,
    _in_untracked_folder,
    _committed,
    _inside_nested,
]


@pytest.mark.parametrize("change", CHANGES)
def test_the_key_changes_with_the_tree(repository: Path, change: Callable[[Path], None]) -> None:
    before = tree_key(repository)
    change(repository)

    assert tree_key(repository) not in (before, "")


def test_each_edit_of_a_changed_file_changes_the_key(repository: Path) -> None:
    (repository / "code.py").write_text("two\n")
    first = tree_key(repository)
    (repository / "code.py").write_text("six\n")

    assert tree_key(repository) != first


def test_the_key_stays_when_nothing_changes_or_ignored_files_do(repository: Path) -> None:
    (repository / "code.py").write_text("two\n")
    before = tree_key(repository)
    (repository / "run.log").write_text("text")

    assert tree_key(repository) == before


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_file_that_git_was_asked_to_overlook_is_seen(repository: Path, flag: str) -> None:
    git(repository, "update-index", flag, "code.py")
    before = tree_key(repository)
    (repository / "code.py").write_text("two\n")

    assert tree_key(repository) != before


def test_there_is_no_key_where_git_sees_no_repository(tmp_path: Path) -> None:
    assert (tree_key(tmp_path), head_of(tmp_path)) == ("", "")


def test_the_head_is_the_commit_or_empty_before_the_first(repository: Path, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    git(fresh, "init", "-q")

    assert len(head_of(repository)) == 40
    assert head_of(fresh) == ""
    assert tree_key(fresh) != ""


def test_no_filter_of_the_repository_runs(repository: Path, tmp_path: Path) -> None:
    (repository / ".gitattributes").write_text("*.py filter=own\n")
    git(repository, "config", "filter.own.clean", f"touch {tmp_path}/ran; cat")
    (repository / "code.py").write_text("other\n")

    assert tree_key(repository)
    assert not (tmp_path / "ran").exists()
