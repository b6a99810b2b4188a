"""Worktrees as they are made: from what, with what, and what stays after a kill."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dualgate.errors import SessionLocked, WorktreeRefused
from dualgate.fleet.making import Step, made_worktree
from dualgate.fleet.plan import Wanted, plan_worktree, require_room
from dualgate.settings import Settings
from dualgate.settings.declaration import Worktrees
from dualgate.store.worktree_records import held, read_records
from tests.fleet.conftest import NOW, Making
from tests.fleet.places import committed, everything, git


def killed(step: Step, make: Making) -> int:
    """Make a worktree in a process that is killed at a step; returns the signal."""
    pid = os.fork()
    if pid == 0:

        def at(reached: Step) -> None:
            if reached is step:
                os.kill(os.getpid(), signal.SIGKILL)

        make(reached=at)
        os._exit(0)
    return os.WTERMSIG(os.waitpid(pid, 0)[1])


@pytest.mark.parametrize("step", Step)
def test_after_a_kill_at_any_step_a_second_try_makes_the_worktree(
    step: Step, repository: Path, make: Making, environment: dict[str, str]
) -> None:
    before = everything(repository)

    assert killed(step, make) == signal.SIGKILL
    folder = make()

    assert (folder / "SPEC.md").is_file()
    assert git(repository, "worktree", "list").count("\n") == 1
    assert [each.name for each in (repository / ".git" / "worktrees").iterdir()] == ["night"]
    assert [each.state for each in read_records(repository, environment)] == ["ready"]
    assert everything(repository) == before


def test_a_run_that_fails_before_its_session_begins_leaves_nothing(
    repository: Path, environment: dict[str, str]
) -> None:
    before = everything(repository)
    plan = plan_worktree(repository, Wanted(name="night"), Settings(), environment)

    with pytest.raises(ZeroDivisionError), made_worktree(plan, environment, NOW):
        raise ZeroDivisionError

    assert not plan.path.parent.exists()
    assert not (repository / ".git" / "worktrees").exists()
    assert git(repository, "branch", "--list", "dualgate/*") == ""
    assert everything(repository) == before
    assert read_records(repository, environment) == []


def test_a_worktree_starts_from_a_ref_on_a_branch_without_an_upstream(repository: Path, make: Making) -> None:
    first = git(repository, "rev-parse", "HEAD")
    committed(repository, **{"later.py": ""})
    git(repository, "config", "branch.autoSetupMerge", "always")
    settings = (repository / ".git" / "config").read_bytes()

    folder = make(ref=first)

    assert (git(folder, "rev-parse", "HEAD"), (folder / "later.py").exists()) == (first, False)
    assert (repository / ".git" / "config").read_bytes() == settings


def test_hooks_of_the_repository_do_not_run(repository: Path, make: Making) -> None:
    hook = repository / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {repository}/written\n")
    hook.chmod(0o755)

    make()

    assert not (repository / "written").exists()


def test_a_worktree_of_a_worktree_belongs_to_the_main_repository(repository: Path, make: Making) -> None:
    first = make("first")

    second = make("second", at=first)

    assert second.parent == first.parent == repository.parent / "doubling.worktrees"


def test_a_folder_of_a_repository_is_the_project_of_the_worktree(repository: Path, make: Making) -> None:
    assert make(at=repository / "tests") == repository.parent / "doubling.worktrees" / "night" / "tests"


def test_a_detached_head_is_a_start_like_any_other(repository: Path, make: Making) -> None:
    git(repository, "checkout", "-q", "--detach")

    assert git(make(), "symbolic-ref", "--short", "HEAD") == "dualgate/night"
    assert git(repository, "rev-parse", "--abbrev-ref", "HEAD") == "HEAD"


def test_a_sparse_checkout_stays_sparse(repository: Path, make: Making) -> None:
    committed(repository, **{"more.py": ""})
    git(repository, "sparse-checkout", "set", "--no-cone", "/SPEC.md", "/tests/")
    settings = (repository / ".git" / "config").read_bytes()

    assert sorted(each.name for each in make().iterdir()) == [".git", "SPEC.md", "tests"]
    assert (repository / ".git" / "config").read_bytes() == settings


def test_submodules_are_cloned_from_the_checkout(repository: Path, tmp_path: Path, make: Making) -> None:
    library = tmp_path / "library"
    library.mkdir()
    committed(library, **{"code.py": "x = 1\n"})
    git(repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "vendored")
    committed(repository)
    library.rename(tmp_path / "gone")
    settings = (repository / ".git" / "config").read_bytes()

    folder = make()

    assert (folder / "vendored" / "code.py").read_text() == "x = 1\n"
    assert git(folder / "vendored", "remote", "get-url", "origin") == str(library)
    assert git(folder, "status", "--porcelain") == ""
    assert (repository / ".git" / "config").read_bytes() == settings


def bare(repository: Path) -> Path:
    git(repository.parent, "clone", "-q", "--bare", str(repository), "bare.git")
    return repository.parent / "bare.git"


def without_commit(repository: Path) -> Path:
    git(repository.parent, "init", "-q", "new")
    return repository.parent / "new"


def without_git(repository: Path) -> Path:
    (repository.parent / "plain").mkdir()
    return repository.parent / "plain"


REFUSED = [(bare, "is a bare repository"), (without_commit, "has no commit yet"), (without_git, "in no git repository")]


@pytest.mark.parametrize(("place", "reason"), REFUSED)
def test_where_no_worktree_can_be_made_the_reason_is_named(
    place: Callable[[Path], Path], reason: str, repository: Path, make: Making
) -> None:
    with pytest.raises(WorktreeRefused, match=reason) as refused:
        make(at=place(repository))

    assert refused.value.next_step


def with_folder(repository: Path) -> None:
    (repository.parent / "doubling.worktrees" / "night").mkdir(parents=True)


def with_branch(repository: Path) -> None:
    git(repository, "branch", "dualgate/night")


def with_outer_branch(repository: Path) -> None:
    git(repository, "branch", "dualgate")


TAKEN = [
    (with_folder, "dualgate did not make it"),
    (with_branch, "the work of an earlier run"),
    (with_outer_branch, "A branch is called dualgate"),
]


@pytest.mark.parametrize(("take", "reason"), TAKEN)
def test_a_name_that_is_taken_is_refused(
    take: Callable[[Path], None], reason: str, repository: Path, make: Making
) -> None:
    take(repository)

    with pytest.raises(WorktreeRefused, match=reason):
        make()


@pytest.mark.parametrize("name", ["a/b", "..", "-x", "a b"])
def test_a_name_that_no_folder_or_branch_can_have_is_refused(name: str, make: Making) -> None:
    with pytest.raises(WorktreeRefused, match="cannot name a worktree"):
        make(name)


def test_a_commit_that_is_not_there_is_refused(make: Making) -> None:
    with pytest.raises(WorktreeRefused, match="There is no commit 'nowhere'"):
        make(ref="nowhere")


def test_a_worktree_inside_the_checkout_is_refused_unless_git_ignores_it(
    repository: Path, environment: dict[str, str]
) -> None:
    settings = Settings(worktree=Worktrees(folder="trees"))
    with pytest.raises(WorktreeRefused, match="inside the repository"):
        plan_worktree(repository, Wanted(name="night"), settings, environment)

    (repository / ".gitignore").write_text("trees/\n")

    assert plan_worktree(repository, Wanted(name="night"), settings, environment).path == repository / "trees" / "night"


def test_a_disk_without_room_is_refused_before_anything_is_written(
    repository: Path, environment: dict[str, str]
) -> None:
    plan = plan_worktree(repository, Wanted(name="night"), Settings(), environment)

    with pytest.raises(WorktreeRefused, match=r"has 3 MB free, and the worktree needs 64 MB"):
        require_room(plan, lambda _: 3 << 20)


def test_two_runs_do_not_make_one_worktree_at_once(repository: Path, make: Making, environment: dict[str, str]) -> None:
    with held(repository, "night", environment), pytest.raises(SessionLocked, match="Another run uses the worktree"):
        make()


def test_files_of_lfs_without_content_are_named(repository: Path, environment: dict[str, str]) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    committed(repository, **{".gitattributes": "*.bin filter=lfs\n", "large.bin": pointer})
    plan = plan_worktree(repository, Wanted(name="night"), Settings(), environment)

    with made_worktree(plan, environment, NOW) as made:
        assert "1 file of git LFS is a pointer: large.bin" in made.notes[0]


@pytest.mark.whole
def test_a_test_run_that_imports_from_the_checkout_is_not_trusted(
    repository: Path, make: Making, environment: dict[str, str]
) -> None:
    leads = f"import sys\nsys.path.insert(0, {str(repository)!r})\nimport taken\n"
    committed(repository, **{"taken.py": "", "conftest.py": leads})
    folder = make()

    words = [sys.executable, "-m", "dualgate", "tests"]
    ended = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)

    assert ended.returncode != 0
    assert f"taken ({repository}/taken.py)" in ended.stdout + ended.stderr
