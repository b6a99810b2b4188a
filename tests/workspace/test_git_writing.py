"""Commands that write to a repository: with the user's configuration, without questions, and never by force."""

from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from dualgate.errors import GitFailed
from dualgate.workspace.git_writing import write_git, writing_environment
from tests.workspace.places import git

WHO = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b.c", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b.c"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "-q")
    git(root, "commit", "-q", "--allow-empty", "-m", "first")
    return root


def a_hook(repository: Path, name: str, script: str) -> None:
    place = repository / ".git" / "hooks" / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"#!/bin/sh\n{script}\n")
    place.chmod(0o755)


def test_a_command_writes_and_its_output_is_returned(repository: Path) -> None:
    commit = write_git(repository, "commit-tree", "HEAD^{tree}", "-p", "HEAD", given=b"second\n", variables=WHO)
    write_git(repository, "update-ref", "refs/heads/other", commit.decode().strip(), "0" * 40)

    assert git(repository, "log", "--format=%s", "other").split() == ["second", "first"]


def test_a_failure_quotes_gits_own_lines_and_names_the_next_step(repository: Path) -> None:
    with pytest.raises(GitFailed) as failed:
        write_git(repository, "branch", "main", next_step="Choose another name.")

    assert failed.value.message == "'git branch' exits with 128.\n  fatal: a branch named 'main' already exists"
    assert failed.value.next_step == "Choose another name."


def test_a_hook_of_the_project_runs_and_its_words_are_quoted(repository: Path) -> None:
    a_hook(repository, "pre-commit", "printf 'no\\033[2J good\\n' >&2; exit 1")

    with pytest.raises(GitFailed, match=r"no\\x1b\[2J good"):
        write_git(repository, "commit", "--allow-empty", "-m", "x", variables=WHO)


def test_a_command_that_takes_too_long_is_stopped_with_all_that_its_hook_started(
    repository: Path, tmp_path: Path
) -> None:
    a_hook(repository, "pre-commit", f"sleep 600 & echo $! >{tmp_path}/pid; wait")

    with pytest.raises(GitFailed, match=r"did not end within 1 s and was stopped"):
        write_git(repository, "commit", "--allow-empty", "-m", "x", variables=WHO, patience=1)

    pid = int((tmp_path / "pid").read_text())
    with suppress(psutil.NoSuchProcess, psutil.TimeoutExpired):  # a killed process ends only when it is its turn
        psutil.Process(pid).wait(10)
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    assert not (repository / ".git" / "index.lock").exists()


def test_a_process_that_a_hook_leaves_behind_does_not_hold_up_the_command(repository: Path, tmp_path: Path) -> None:
    a_hook(repository, "post-commit", f"sleep 60 & echo $! >{tmp_path}/pid")

    write_git(repository, "commit", "--allow-empty", "-m", "x", variables=WHO, patience=20)

    psutil.Process(int((tmp_path / "pid").read_text())).kill()


@pytest.mark.parametrize(
    "words",
    [
        ("push", "--force", "origin", "main"),
        ("push", "-f", "origin", "main"),
        ("push", "--force-with-lease=main", "origin", "main"),
        ("push", "origin", "+main"),
        ("push", "origin", ":main"),
        ("push", "origin", "--delete", "main"),
        ("commit", "--amend"),
        ("commit", "--no-verify", "-m", "x"),
        ("branch", "-D", "main"),
        ("worktree", "remove", "--force", "x"),
        ("reset", "--hard"),
    ],
)
def test_nothing_is_forced_rewritten_or_bypassed(repository: Path, words: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="must not be called with"):
        write_git(repository, *words)


def test_a_folder_outside_of_every_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GitFailed, match="is in no git repository"):
        write_git(tmp_path, "init")


def test_git_gets_the_users_identity_and_neither_the_repository_of_a_calling_hook_nor_a_way_to_ask() -> None:
    given = {"GIT_AUTHOR_NAME": "a", "GIT_DIR": "/x", "GIT_INDEX_FILE": "/y", "GIT_ASKPASS": "dialog", "HOME": "/h"}

    found = writing_environment(given)

    assert found["GIT_AUTHOR_NAME"] == "a"
    assert found["HOME"] == "/h"
    assert found["GIT_ASKPASS"] == ""
    assert found["GIT_TERMINAL_PROMPT"] == "0"
    assert not {"GIT_DIR", "GIT_INDEX_FILE"} & found.keys()
