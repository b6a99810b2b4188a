"""Trees of a git repository: resolved, mixed and written into folders, while the repository stays as it is."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from dualgate.errors import RevisionMissing
from dualgate.workspace.checkouts import check_out, find_carried
from dualgate.workspace.revisions import Revisions, open_revisions


def git(folder: Path, *words: str) -> str:
    names = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "protocol.file.allow=always"]
    return subprocess.run(["git", *names, *words], cwd=folder, capture_output=True, check=True, text=True).stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    place = tmp_path / "shop"
    place.mkdir()
    git(place, "init", "-qb", "main")
    (place / ".gitignore").write_text(".env\n*.log\n")
    (place / "fee.py").write_text("def fee():\n    return 1\n")
    (place / "test_fee.py").write_text("from fee import fee\n")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "first")
    return place


def opened(project: Path, tmp_path: Path) -> Revisions:
    return open_revisions(project, tmp_path / "own")


def state_of(project: Path) -> tuple[str, str, bytes]:
    index = (project / ".git" / "index").read_bytes()
    return git(project, "--no-optional-locks", "status", "--porcelain"), git(project, "count-objects", "-v"), index


def test_the_tree_of_the_work_tree_has_uncommitted_and_new_files_and_leaves_the_repository_alone(
    project: Path, tmp_path: Path
) -> None:
    (project / "fee.py").write_text("def fee():\n    return 2\n")
    (project / "new.py").write_text("x = 1\n")
    (project / ".env").write_text("SECRET=1\n")
    before = state_of(project)

    revisions = opened(project, tmp_path)
    tree = revisions.work_tree()

    assert revisions.changed(revisions.tree("HEAD"), tree) == ("fee.py", "new.py")
    assert revisions.text(tree, "fee.py") == "def fee():\n    return 2\n"
    assert state_of(project) == before


def test_an_environment_without_an_ignore_rule_is_no_part_of_the_tree(project: Path, tmp_path: Path) -> None:
    (project / ".venv" / "bin").mkdir(parents=True)
    (project / ".venv" / "pyvenv.cfg").write_text("home = x\n")

    revisions = opened(project, tmp_path)

    assert revisions.work_tree() == revisions.tree("HEAD")
    assert find_carried(revisions).linked == (".venv",)


def test_trees_are_mixed_without_a_work_tree(project: Path, tmp_path: Path) -> None:
    (project / "fee.py").write_text("two\n")
    (project / "test_fee.py").write_text("new test\n")
    (project / "test_more.py").write_text("more\n")
    revisions = opened(project, tmp_path)
    base, head = revisions.tree("HEAD"), revisions.work_tree()

    mixed = revisions.with_paths(base, head, ["test_fee.py", "test_more.py"])
    back = revisions.with_paths(mixed, base, ["test_fee.py", "test_more.py"])

    assert revisions.changed(base, mixed) == ("test_fee.py", "test_more.py")
    assert back == base
    assert revisions.text(revisions.rewritten(head, {"fee.py": b"three\n"}), "fee.py") == "three\n"


def test_a_checkout_holds_the_tree_with_ignored_inputs_and_linked_packages(project: Path, tmp_path: Path) -> None:
    (project / ".env").write_text("KEY=1\n")
    (project / "old.log").write_text("x\n")
    (project / "node_modules" / "left-pad").mkdir(parents=True)
    (project / "packages" / "own").mkdir(parents=True)
    (project / "packages" / "own" / "index.js").write_text("1\n")
    (project / "node_modules" / "own").symlink_to("../packages/own")
    revisions = opened(project, tmp_path)
    commit, tree = revisions.commit("HEAD"), revisions.work_tree()
    place = tmp_path / "out" / "shop"

    problems = check_out(revisions, tree, commit, place, find_carried(revisions))

    assert problems == ()
    assert (place / "fee.py").read_text() == "def fee():\n    return 1\n"
    assert (place / ".env").read_text() == "KEY=1\n"
    assert (place / "node_modules" / "left-pad").resolve() == project / "node_modules" / "left-pad"
    assert (place / "node_modules" / "own").resolve() == place / "packages" / "own"
    assert git(place, "rev-parse", "HEAD").strip() == commit
    (place / ".env").write_text("changed by a test\n")
    assert (project / ".env").read_text() == "KEY=1\n"


def test_a_checkout_has_its_submodules(project: Path, tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    git(library, "init", "-qb", "main")
    (library / "lib.py").write_text("x = 1\n")
    git(library, "add", "-A")
    git(library, "commit", "-qm", "lib")
    git(project, "submodule", "--quiet", "add", str(library), "vendor/lib")
    git(project, "commit", "-qm", "with a submodule")
    revisions = opened(project, tmp_path)

    check_out(revisions, revisions.work_tree(), "", tmp_path / "out", find_carried(revisions))

    assert (tmp_path / "out" / "vendor" / "lib" / "lib.py").read_text() == "x = 1\n"


def test_the_base_is_the_merge_base_with_the_main_branch(project: Path, tmp_path: Path) -> None:
    first = git(project, "rev-parse", "HEAD").strip()
    git(project, "switch", "-qc", "work")
    git(project, "commit", "-qm", "mine", "--allow-empty")
    git(project, "switch", "-q", "main")
    git(project, "commit", "-qm", "theirs", "--allow-empty")
    git(project, "switch", "-q", "work")
    revisions = opened(project, tmp_path)

    assert revisions.main_branch() == "main"
    assert revisions.merge_base("main", "HEAD") == first


def test_on_the_main_branch_it_is_compared_with_its_remote(project: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(project), str(clone))
    git(clone, "commit", "-qm", "not pushed", "--allow-empty")

    assert opened(clone, tmp_path).main_branch() == "origin/main"


def test_a_local_branch_that_is_behind_its_remote_does_not_count(project: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(project), str(clone))
    git(project, "commit", "-qm", "theirs", "--allow-empty")
    git(clone, "fetch", "-q")
    git(clone, "switch", "-qc", "work", "origin/main")

    assert opened(clone, tmp_path).main_branch() == "origin/main"


def test_a_shallow_clone_says_what_to_fetch(project: Path, tmp_path: Path) -> None:
    git(project, "switch", "-qc", "work")
    git(project, "commit", "-qm", "mine", "--allow-empty")
    git(tmp_path, "clone", "-q", "--depth=1", "--branch=work", f"file://{project}", "shallow")

    with pytest.raises(RevisionMissing) as raised:
        opened(tmp_path / "shallow", tmp_path).merge_base("main", "HEAD")

    assert "git fetch --unshallow origin" in raised.value.next_step
    assert "fetch-depth: 0" in raised.value.next_step


def test_a_folder_without_git_is_named(tmp_path: Path) -> None:
    with pytest.raises(RevisionMissing, match="is in no git repository"):
        opened(tmp_path, tmp_path)


def test_an_edit_of_the_same_size_right_after_a_commit_is_seen(project: Path, tmp_path: Path) -> None:
    for number in range(3):
        (project / "fee.py").write_text(f"def fee():\n    return {number}\n")
        git(project, "commit", "-qam", "again")
        (project / "fee.py").write_text(f"def fee():\n    return {number + 5}\n")
        revisions = opened(project, tmp_path / str(number))

        assert revisions.changed(revisions.tree("HEAD"), revisions.work_tree()) == ("fee.py",)


@pytest.mark.parametrize("flag", ["--skip-worktree", "--assume-unchanged"])
def test_an_edit_that_git_was_told_to_overlook_is_seen(project: Path, tmp_path: Path, flag: str) -> None:
    git(project, "update-index", flag, "fee.py")
    (project / "fee.py").write_text("def fee():\n    return 9\n")

    revisions = opened(project, tmp_path)

    assert revisions.changed(revisions.tree("HEAD"), revisions.work_tree()) == ("fee.py",)


def test_a_file_that_a_sparse_checkout_leaves_out_is_not_deleted(project: Path, tmp_path: Path) -> None:
    git(project, "update-index", "--skip-worktree", "fee.py")
    (project / "fee.py").unlink()

    revisions = opened(project, tmp_path)

    assert revisions.work_tree() == revisions.tree("HEAD")


def test_a_git_of_the_project_is_not_run(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = project / "bin" / "git"
    planted.parent.mkdir()
    planted.write_text("#!/bin/sh\ntouch planted-git-ran\n")
    planted.chmod(0o755)
    monkeypatch.setenv("PATH", f"{planted.parent}{os.pathsep}{os.environ['PATH']}")

    revisions = opened(project, tmp_path)

    assert revisions.changed(revisions.tree("HEAD"), revisions.work_tree()) == ("bin/git",)
    assert not (project / "planted-git-ran").exists()


def test_files_of_two_trees_are_read_with_one_question(project: Path, tmp_path: Path) -> None:
    base = opened(project, tmp_path).tree("HEAD")
    (project / "fee.py").write_bytes(b"no end of line")
    (project / "empty.py").write_bytes(b"")
    (project / "link.py").symlink_to("fee.py")
    revisions = opened(project, tmp_path)
    head = revisions.work_tree()
    revisions.load((base, head), ("fee.py", "empty.py", "link.py", "missing.py"))
    shutil.rmtree(project / ".git" / "objects")  # nothing is asked a second time

    assert revisions.read(base, "fee.py") == b"def fee():\n    return 1\n"
    assert [revisions.read(head, name) for name in ("fee.py", "empty.py", "link.py")] == [b"no end of line", b"", None]
