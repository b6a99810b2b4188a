"""Programs that came with a project, wherever its repository has work trees, are not taken for the user's own."""

import subprocess
from pathlib import Path

import pytest

from dualgate.processes.outside import is_inside, path_outside


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    for folder in ("bin", "cart"):
        (root / folder).mkdir(parents=True)
        (root / folder / "file").touch()
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    return root


def searched(project: Path, *folders: Path, home: str = "/home/ada") -> list[str]:
    path = ":".join(map(str, (*folders, "/usr/bin")))
    return path_outside(project, {"PATH": path, "HOME": home}).split(":")


def test_programs_of_the_repository_around_a_project_are_not_used(repository: Path) -> None:
    assert searched(repository / "cart", repository / "bin", Path("bin")) == ["/usr/bin"]


def test_a_linked_worktree_and_its_checkout_use_no_programs_of_each_other(repository: Path, tmp_path: Path) -> None:
    linked = tmp_path / "elsewhere" / "night"
    git(repository, "worktree", "add", "-q", str(linked))

    assert searched(linked, repository / "bin", linked / "bin") == ["/usr/bin"]
    assert searched(repository, repository / "bin", linked / "bin") == ["/usr/bin"]


def test_a_submodule_uses_no_programs_of_the_project_around_it(repository: Path, tmp_path: Path) -> None:
    around = tmp_path / "around"
    (around / "bin").mkdir(parents=True)
    git(around, "init", "-q")
    git(around, "submodule", "--quiet", "add", str(repository), "lib/shop")

    assert searched(around / "lib" / "shop", around / "bin") == ["/usr/bin"]


def test_programs_beside_a_repository_are_the_users(repository: Path, tmp_path: Path) -> None:
    assert searched(repository, tmp_path / "bin") == [str(tmp_path / "bin"), "/usr/bin"]
    assert not is_inside(tmp_path / "bin" / "claude", repository, {})


def test_a_repository_around_the_home_folder_is_no_project(repository: Path) -> None:
    """People keep their settings in such a repository, and install programs below it."""
    home = repository / "cart"
    project = home / "work"
    project.mkdir()

    assert searched(project, home / ".local" / "bin", home=str(home)) == [str(home / ".local" / "bin"), "/usr/bin"]
    assert is_inside(project / "bin" / "claude", project, {"HOME": str(home)})
