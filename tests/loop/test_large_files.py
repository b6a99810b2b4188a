"""Runs and commits in repositories with git LFS: a commit holds pointers, and a fresh clone is complete."""

import shutil
from pathlib import Path

import pytest

from tests.loop.conftest import HONEST
from tests.session.commit_kit import a_hook, begun, git
from tests.support import Dualgate

pytestmark = pytest.mark.skipif(shutil.which("git-lfs") is None, reason="git-lfs is not installed")

BRANCH = "dualgate/doubling"
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:"
EDITS = HONEST.replace(
    'path = "doubling.py"', 'path = "large.bin"\ntext = "edited by the agent"\n[[turn.write]]\npath = "doubling.py"', 1
)


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    return environment | {"DUALGATE_SENSITIVITY": "off"}


@pytest.fixture
def remote(project: Path, tmp_path: Path) -> Path:
    """A remote with a project that has one file in LFS."""
    (project / ".gitattributes").write_text("*.bin filter=lfs diff=lfs merge=lfs -text\n")
    (project / "large.bin").write_text("before")
    git(project, "init", "-q", "-b", "main")
    git(project, "lfs", "install", "--local")
    begun(project)
    place = tmp_path / "remote.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(place))
    git(project, "remote", "add", "origin", place.as_uri())
    git(project, "push", "-q", "origin", "main")
    assert git(project, "show", "HEAD:large.bin").startswith(POINTER)
    return place


def fresh_clone(remote: Path, folder: Path) -> Path:
    """The pushed branch in a new clone with all its large files, after git and LFS found nothing wrong."""
    git(folder.parent, "clone", "-q", "--no-checkout", remote.as_uri(), str(folder))
    git(folder, "lfs", "install", "--local")
    git(folder, "checkout", "-q", BRANCH)
    assert git(folder, "status", "--porcelain") == ""
    assert "fsck OK" in git(folder, "lfs", "fsck")
    return folder


def pushing(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    script = 'case "$2" in list) echo "[]" ;; create) echo https://github.example/o/r/pull/1 ;; esac'
    a_hook(tmp_path, "gh", script, folder="bin")
    return {"PATH": f"{tmp_path / 'bin'}:{environment['PATH']}"}


@pytest.mark.parametrize("place", [(), ("--worktree",)], ids=["checkout", "worktree"])
def test_a_large_file_that_the_agent_edits_is_committed_as_a_pointer(
    rehearse: Dualgate, project: Path, remote: Path, environment: dict[str, str], tmp_path: Path, place: tuple[str, ...]
) -> None:
    ended = rehearse(EDITS, *place, "--pr", **pushing(environment, tmp_path))

    assert (ended.code, ended.lines[-1]["commits"]["refusal"]) == (0, None), ended.err
    assert git(project, "show", f"{BRANCH}:large.bin").startswith(POINTER)
    clone = fresh_clone(remote, tmp_path / "clone")
    assert (clone / "large.bin").read_text() == "edited by the agent"


@pytest.mark.parametrize(
    ("place", "script"), [((), HONEST), (("--worktree",), EDITS)], ids=["checkout-untouched", "worktree-edited"]
)
def test_a_clone_with_pointers_only_is_worked_on_and_keeps_them(
    rehearse: Dualgate,
    project: Path,
    remote: Path,
    environment: dict[str, str],
    tmp_path: Path,
    place: tuple[str, ...],
    script: str,
) -> None:
    pointer = git(project, "show", "HEAD:large.bin")
    shutil.rmtree(project / ".git" / "lfs")
    (project / "large.bin").write_text(pointer)
    git(project, "add", "large.bin")
    assert git(project, "status", "--porcelain") == ""

    ended = rehearse(script, *place, "--pr", GIT_LFS_SKIP_SMUDGE="1", **pushing(environment, tmp_path))

    assert (ended.code, ended.lines[-1]["commits"]["refusal"]) == (0, None), ended.err
    committed = git(project, "show", f"{BRANCH}:large.bin")
    assert (committed.startswith(POINTER), committed == pointer) == (True, script == HONEST)
    clone = fresh_clone(remote, tmp_path / "clone")
    assert (clone / "large.bin").read_text() == ("before" if script == HONEST else "edited by the agent")


def test_a_formatter_that_rewrites_code_leaves_large_files_alone(
    rehearse: Dualgate, project: Path, remote: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    a_hook(project, "pre-commit", "sed -i 's/x + x/2 * x/' doubling.py; git add -A")

    ended = rehearse(EDITS, "--pr", **pushing(environment, tmp_path))

    assert (ended.code, ended.lines[-1]["commits"]["made"][0]["rewritten"]) == (0, ["doubling.py"])
    clone = fresh_clone(remote, tmp_path / "clone")
    assert (clone / "large.bin").read_text() == "edited by the agent"
