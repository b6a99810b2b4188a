"""How a git repository stands, seen without changing it."""

import subprocess
from pathlib import Path

import pytest

from dualgate.workspace.repository import UNDER_WAY, RepositoryState, head_commit, read_repository_state


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "a.txt").write_text("a\n")
    git(root, "add", "-A")
    git(root, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "one")
    return root


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)


def test_a_clean_repository_has_a_branch_and_no_changes(repository: Path) -> None:
    assert read_repository_state(repository) == RepositoryState(branch="main", changed=(), under_way="")


def test_what_is_changed_or_unknown_to_git_is_named(repository: Path) -> None:
    (repository / "a.txt").write_text("b\n")
    (repository / "new name.txt").write_text("")

    state = read_repository_state(repository)

    assert state is not None
    assert state.changed == ("a.txt", "new name.txt")


@pytest.mark.parametrize("name", UNDER_WAY)
def test_what_is_under_way_is_named(repository: Path, name: str) -> None:
    (repository / ".git" / name).write_text("")

    state = read_repository_state(repository)

    assert state is not None
    assert state.under_way == UNDER_WAY[name]


def test_a_folder_inside_a_repository_is_of_it(repository: Path) -> None:
    (repository / "inner").mkdir()

    state = read_repository_state(repository / "inner")

    assert state is not None
    assert state.branch == "main"


def test_a_folder_outside_of_any_has_none(tmp_path: Path) -> None:
    assert read_repository_state(tmp_path) is None


def test_a_broken_repository_is_there_and_has_no_branch(repository: Path) -> None:
    (repository / ".git" / "config").write_text("[broken")

    state = read_repository_state(repository)

    assert state is not None
    assert state.branch is None


def test_the_commit_that_is_checked_out_is_read_from_files(repository: Path) -> None:
    said = subprocess.run(["git", "rev-parse", "HEAD"], cwd=repository, check=True, capture_output=True, text=True)
    commit = said.stdout.strip()

    on_branch = head_commit(repository)
    git(repository, "worktree", "add", "-q", "-b", "other", str(repository.parent / "linked"))
    linked = head_commit(repository.parent / "linked")
    git(repository, "pack-refs", "--all")
    packed = head_commit(repository)
    git(repository, "checkout", "-q", "--detach")

    assert (on_branch, linked, packed, head_commit(repository)) == (commit,) * 4


def test_without_a_repository_or_a_commit_there_is_none(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")

    assert (head_commit(tmp_path), head_commit(tmp_path / "x"), head_commit(None)) == ("", "", "")
