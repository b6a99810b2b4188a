"""Approved work is committed at once, and its pull request opened: through kills, hooks and rejections."""

from pathlib import Path

import pytest

from tests.loop.conftest import HONEST, Dying
from tests.loop.test_approvals import AFTER_REJECTION
from tests.session.commit_kit import a_hook, begun, git
from tests.support import Dualgate

BRANCH = "dualgate/doubling"
ADDRESS = "https://github.example/o/r/pull/1"
HUMAN = ("--approve", "human", "--commit", "run")


@pytest.fixture
def environment(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    script = f'case "$2" in list) echo "[]" ;; create) echo {ADDRESS} ;; esac'
    a_hook(tmp_path, "gh", script, folder="bin")
    path = f"{tmp_path / 'bin'}:{environment['PATH']}"
    return environment | {"DUALGATE_SENSITIVITY": "off", "USER": "ada", "PATH": path}


@pytest.fixture
def project(project: Path, tmp_path: Path) -> Path:
    begun(project)
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "remote.git")
    git(project, "remote", "add", "origin", str(tmp_path / "remote.git"))
    git(project, "push", "-q", "origin", "main")
    return project


def subjects(project: Path) -> list[str]:
    return git(project, "log", "--format=%s", BRANCH).splitlines()


def test_an_approval_commits_the_work_and_opens_the_request(
    rehearse: Dualgate, dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    ended = rehearse(HONEST, *HUMAN, "--pr")
    before = git(project, "branch", "--list", BRANCH)

    approved = dualgate("approve", "--json")

    assert (ended.code, before) == (130, "")
    assert (approved.code, len(approved.lines)) == (0, 1)
    told = approved.lines[0]
    assert (told["proven"], told["exit_code"], told["commits"]["pull_request"]) == (True, 0, ADDRESS)
    assert subjects(project) == ["Doubling", "first"]
    assert git(tmp_path / "remote.git", "rev-parse", BRANCH) == git(project, "rev-parse", BRANCH)
    assert dualgate("approve").code == 1


def test_an_approval_whose_commit_a_hook_refuses_says_so_and_a_second_one_commits(
    rehearse: Dualgate, dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    a_hook(project, "pre-commit", f"test -e {tmp_path}/allowed")
    rehearse(HONEST, *HUMAN)

    approved = dualgate("approve")
    (tmp_path / "allowed").touch()
    again = dualgate("approve")

    assert (approved.code, again.code) == (8, 0)
    assert "not committed: the hook pre-commit exits with 1" in approved.out
    assert "No commit was made. Try again with: dualgate resume" in approved.out
    assert subjects(project) == ["Doubling", "first"]


@pytest.mark.parametrize("then", ["approve", "resume"])
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_kill_after_the_approval_neither_loses_nor_doubles_the_commit(
    rehearse: Dualgate, dying: Dying, dualgate: Dualgate, project: Path, number: int, then: str
) -> None:
    rehearse(HONEST, *HUMAN)
    code = dying(number, "after" if number == 1 else "before", "approve")

    ended = dualgate(then, "--json")

    assert (code, ended.code, ended.lines[-1]["proven"]) == (-9, 0, True)
    assert subjects(project) == ["Doubling", "first"]
    assert len(ended.lines[-1]["commits"]["made"]) == 1


@pytest.mark.parametrize("use", ["run", "phase"])
def test_work_that_was_rejected_first_is_committed_as_it_was_approved(
    rehearse: Dualgate, dualgate: Dualgate, project: Path, use: str
) -> None:
    rehearse(HONEST + AFTER_REJECTION, "--approve", "human", "--commit", use)
    dualgate("reject", "Write x * 2.")
    resumed = dualgate("resume")

    approved = dualgate("approve", "--json")

    assert (resumed.code, approved.code) == (130, 0)
    assert git(project, "show", f"{BRANCH}:doubling.py") == "def double(x): return x * 2"
    for path in git(project, "ls-tree", "-r", "--name-only", BRANCH).splitlines():
        assert git(project, "show", f"{BRANCH}:{path}") == (project / path).read_text(), path
    assert (use == "run") == (subjects(project) == ["Doubling", "first"])


def test_a_formatter_is_proven_again_when_work_is_approved(
    rehearse: Dualgate, dualgate: Dualgate, project: Path
) -> None:
    a_hook(project, "pre-commit", "sed -i 's/x + x/2 * x/' doubling.py; git add doubling.py")
    rehearse(HONEST, *HUMAN)

    approved = dualgate("approve", "--json")

    assert approved.code == 0
    assert git(project, "show", f"{BRANCH}:doubling.py") == "def double(x): return 2 * x"
    assert approved.lines[0]["commits"]["made"][0]["rewritten"] == ["doubling.py"]
