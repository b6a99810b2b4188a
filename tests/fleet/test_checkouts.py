"""Checkouts in the middle of something: a run in a worktree goes to its end and commits, and they stay as they are."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fleet.conftest import Called
from tests.fleet.places import committed, everything, git

Agent = tuple[str, str]
Laid = Callable[[Path], None]


def conflicting(repository: Path) -> None:
    """Two branches that change one line; `other` is not checked out."""
    git(repository, "checkout", "-q", "-b", "other")
    committed(repository, **{"notes.txt": "theirs\n"})
    git(repository, "checkout", "-q", "main")
    committed(repository, **{"notes.txt": "mine\n"})


def failing_git(repository: Path, *words: str) -> None:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    done = subprocess.run(["git", *identity, *words], cwd=repository, capture_output=True)
    assert done.returncode != 0


def staged(repository: Path) -> None:
    (repository / "conftest.py").write_text("# staged\n")
    (repository / "added.py").write_text("x = 1\n")
    git(repository, "add", "-A")
    (repository / "added.py").write_text("x = 2\n")
    git(repository, "rm", "-q", "--cached", "tests/test_old.py")


def stashed(repository: Path) -> None:
    (repository / "conftest.py").write_text("# first\n")
    git(repository, "stash")
    (repository / "conftest.py").write_text("# second\n")
    (repository / "loose.txt").write_text("untracked\n")
    git(repository, "stash", "--include-untracked")


def in_merge(repository: Path) -> None:
    conflicting(repository)
    failing_git(repository, "merge", "other")
    assert (repository / ".git" / "MERGE_HEAD").is_file()


def in_rebase(repository: Path) -> None:
    conflicting(repository)
    failing_git(repository, "rebase", "other")
    assert (repository / ".git" / "rebase-merge").is_dir()


def in_bisect(repository: Path) -> None:
    for number in range(4):
        committed(repository, **{"counted.txt": f"{number}\n"})
    git(repository, "bisect", "start", "HEAD", "HEAD~3")


def detached(repository: Path) -> None:
    committed(repository, **{"later.txt": "1\n"})
    git(repository, "checkout", "-q", "--detach", "HEAD~1")


def with_submodule_changes(repository: Path) -> None:
    library = repository.parent / "library"
    library.mkdir()
    committed(library, **{"code.py": "x = 1\n"})
    git(repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "vendored")
    committed(repository)
    committed(repository / "vendored", **{"code.py": "x = 2\n"})  # a commit that the repository does not have yet
    (repository / "vendored" / "code.py").write_text("x = 3\n")
    (repository / "vendored" / "loose.txt").write_text("untracked\n")


STATES = [staged, stashed, in_merge, in_rebase, in_bisect, detached, with_submodule_changes]


@pytest.mark.parametrize("lay", STATES, ids=lambda lay: lay.__name__)
def test_a_checkout_stays_the_same_while_a_run_commits_in_a_worktree(
    lay: Laid, repository: Path, call: Called, honest: Agent
) -> None:
    git(repository, "config", "user.name", "A")
    git(repository, "config", "user.email", "a@example.org")
    lay(repository)
    before, refs = everything(repository), git(repository, "for-each-ref").splitlines()
    head, stashes = git(repository, "rev-parse", "HEAD"), git(repository, "stash", "list")

    ended = call(repository, "run", "SPEC.md", "--worktree", "x", *honest, "--commit", "run", "--json")

    assert (ended.code, ended.lines[-1]["proven"]) == (0, True), ended.err
    assert everything(repository) == before
    assert [row for row in git(repository, "for-each-ref").splitlines() if "dualgate" not in row] == refs
    assert (git(repository, "rev-parse", "HEAD"), git(repository, "stash", "list")) == (head, stashes)
    assert git(repository, "rev-parse", "dualgate/x~1") == head
    assert "doubling.py" in git(repository, "show", "--name-only", "--format=", "dualgate/x")


@pytest.mark.parametrize("name", ["my shop", "läden-店", "new\nline", "line\u2028separated", "it's $HOME"])
def test_a_repository_may_have_any_name(
    name: str, repository: Path, tmp_path: Path, call: Called, honest: Agent
) -> None:
    place = tmp_path / "odd" / name
    place.parent.mkdir()
    repository.rename(place)
    before = everything(place)

    ended = call(place, "run", "SPEC.md", "--worktree", "one", *honest, "--json")
    inner = place.parent / f"{name}.worktrees" / "one"
    second = call(inner, "run", "SPEC.md", "--worktree", "two", *honest, "--json")

    assert (ended.code, second.code) == (0, 0), ended.err + second.err
    assert call(place, "status", "--worktree", "one").code == 0
    assert call(inner, "worktrees", "remove", "two").code == 0
    assert call(place, "worktrees", "remove", "one").code == 0
    assert call(place, "worktrees", "restore", "one").code == 0
    assert (inner / "doubling.py").is_file()
    assert everything(place) == before


@pytest.mark.parametrize("name", ["über", "店-2", "a.b_c"])
def test_a_worktree_may_have_a_name_of_any_script(name: str, repository: Path, call: Called, honest: Agent) -> None:
    ended = call(repository, "run", "SPEC.md", "--worktree", name, *honest, "--json")

    assert ended.code == 0, ended.err
    assert call(repository, "status", "--worktree", name).code == 0
    assert git(repository, "rev-parse", "--verify", f"dualgate/{name}")


@pytest.mark.parametrize("name", ["two words", "new\nline", "a/b", "x~1", ".."])
def test_a_name_that_git_does_not_take_is_refused_and_nothing_is_written(
    name: str, repository: Path, call: Called, honest: Agent
) -> None:
    before = everything(repository)

    ended = call(repository, "run", "SPEC.md", f"--worktree={name}", *honest)

    assert (ended.code, "cannot name a worktree" in ended.err) == (1, True)
    assert everything(repository) == before


def test_files_with_odd_names_are_in_the_worktree(repository: Path, call: Called, honest: Agent) -> None:
    names = ["two words.txt", "läden-店.txt", "new\nline.txt", '"quoted".txt']
    committed(repository, **dict.fromkeys(names, "kept\n"))
    (repository / "more\nlines.local").write_text("copied\n")
    before = everything(repository)

    ended = call(repository, "run", "SPEC.md", "--worktree", "x", *honest, "--json")

    made = repository.parent / "doubling.worktrees" / "x"
    assert ended.code == 0, ended.err
    assert [(made / name).read_text() for name in names] == ["kept\n"] * 4
    assert (made / "more\nlines.local").read_text() == "copied\n"
    assert everything(repository) == before


def test_a_folder_that_cannot_be_written_is_refused_and_nothing_is_left(
    repository: Path, call: Called, honest: Agent
) -> None:
    before = everything(repository)

    # nobody can make a folder there, not even root
    ended = call(repository, "run", "SPEC.md", "--worktree", "x", *honest, DUALGATE_WORKTREE_FOLDER="/proc/trees")

    assert ended.code == 1, ended.err
    assert "worktree.folder" in ended.err
    assert everything(repository) == before
    assert git(repository, "for-each-ref", "refs/heads/dualgate") == ""
    assert call(repository, "worktrees", "--json").lines[0]["worktrees"] == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to a read-only folder")
def test_a_read_only_folder_around_the_repository_is_refused(repository: Path, call: Called, honest: Agent) -> None:
    repository.parent.chmod(0o555)
    try:
        ended = call(repository, "run", "SPEC.md", "--worktree", "x", *honest)
    finally:
        repository.parent.chmod(0o755)

    assert (ended.code, "is not writable" in ended.err) == (1, True)


def test_a_moved_repository_keeps_all_work_and_says_what_to_do(
    repository: Path, tmp_path: Path, call: Called, honest: Agent
) -> None:
    git(repository, "config", "user.name", "A")
    git(repository, "config", "user.email", "a@example.org")
    call(repository, "run", "SPEC.md", "--worktree", "x", *honest, "--commit", "run", "--json")
    made, commit = repository.parent / "doubling.worktrees" / "x", git(repository, "rev-parse", "dualgate/x")
    moved = tmp_path / "moved"
    shutil.move(repository, moved)

    there = call(moved, "status", "--worktree", "x")
    again = call(moved, "run", "SPEC.md", "--worktree", "x", *honest)

    assert (there.code, again.code) == (1, 1)
    assert "There is no worktree x of this repository" in there.err
    assert "git branch -D dualgate/x" in again.err or "Give another name" in again.err
    assert (git(moved, "rev-parse", "dualgate/x"), (made / "doubling.py").is_file()) == (commit, True)
    # git's own way to go on
    git(moved, "worktree", "repair", str(made))
    assert git(made, "status", "--porcelain") == ""
    assert call(made, "status").code == 0
