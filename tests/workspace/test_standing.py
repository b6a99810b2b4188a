"""How a git repository stands, seen without changing it."""

import subprocess
from pathlib import Path

import pytest

from dualgate.workspace.repository import UNDER_WAY, Standing, read_standing


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
    assert read_standing(repository) == Standing(branch="main", changed=(), under_way="")


def test_what_is_changed_or_unknown_to_git_is_named(repository: Path) -> None:
    (repository / "a.txt").write_text("b\n")
    (repository / "new name.txt").write_text("")

    standing = read_standing(repository)

    assert standing is not None
    assert standing.changed == ("a.txt", "new name.txt")


@pytest.mark.parametrize("name", UNDER_WAY)
def test_what_is_under_way_is_named(repository: Path, name: str) -> None:
    (repository / ".git" / name).write_text("")

    standing = read_standing(repository)

    assert standing is not None
    assert standing.under_way == UNDER_WAY[name]


def test_a_folder_inside_a_repository_is_of_it(repository: Path) -> None:
    (repository / "inner").mkdir()

    standing = read_standing(repository / "inner")

    assert standing is not None
    assert standing.branch == "main"


def test_a_folder_outside_of_any_has_none(tmp_path: Path) -> None:
    assert read_standing(tmp_path) is None


def test_a_broken_repository_is_there_and_has_no_branch(repository: Path) -> None:
    (repository / ".git" / "config").write_text("[broken")

    standing = read_standing(repository)

    assert standing is not None
    assert standing.branch is None
