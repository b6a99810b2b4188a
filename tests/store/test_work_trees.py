"""The sessions of a project: those of its worktrees are its own."""

import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dualgate.store.work_trees import session_folders
from dualgate.store.worktree_records import WorktreeRecord, WorktreeState, write_record

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b")
    for words in (("init", "-q", "repository"), ("-C", "repository", "commit", "-q", "--allow-empty", "-m", "first")):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    return tmp_path / "repository"


def record(repository: Path, name: str, environment: dict[str, str], project: str = ".", removed: bool = False) -> Path:
    """A worktree as dualgate records it."""
    path = repository.parent / "trees" / name
    if not removed:
        subprocess.run(["git", "worktree", "add", "-q", "--detach", str(path)], cwd=repository, check=True)
    made = WorktreeRecord(
        name=name,
        path=str(path),
        repository=str(repository),
        git_folder=str(repository / ".git"),
        origin=str(repository),
        project=project,
        branch=f"dualgate/{name}",
        commit="c",
        made=NOW,
        state=WorktreeState.REMOVED if removed else WorktreeState.READY,
    )
    write_record(made, environment)
    return made.folder


def test_sessions_of_worktrees_belong_to_the_project_from_each_of_them(repository: Path, tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path / "home")}
    one = record(repository, "one", environment)
    record(repository, "gone", environment, removed=True)
    record(repository, "other", environment, project="packages/other")

    names = [[folder.name for folder in session_folders(place, environment)] for place in (repository, one)]

    assert names == [["repository", "gone", "one"], ["one", "repository", "gone"]]
    (repository / "packages" / "other").mkdir(parents=True)
    inside = session_folders(repository / "packages" / "other", environment)
    assert {folder.name for folder in inside} == {"other"}


def test_a_folder_without_git_and_one_session_folder_for_all_have_one(repository: Path, tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path / "home")}
    record(repository, "one", home)

    assert [folder.name for folder in session_folders(tmp_path, home)] == [tmp_path.name]
    assert session_folders(repository, home | {"PRP_SESSION_DIR": str(tmp_path / "all")}) == (tmp_path / "all",)
