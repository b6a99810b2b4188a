"""Whole runs that commit: one commit a phase or one for the run, through kills, refusing hooks and formatters."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.loop.conftest import HONEST, Dying
from tests.loop.scripts import RED
from tests.session.commit_kit import a_hook, begun, fingerprint, git
from tests.support import Dualgate

BRANCH = "dualgate/doubling"
PHASES = ["Doubling: documents", "Doubling: implementation", "Doubling: failing tests", "first"]


@pytest.fixture
def project(project: Path) -> Path:
    return begun(project)


def subjects(project: Path) -> list[str]:
    return git(project, "log", "--format=%s", BRANCH).splitlines()


def unwritten(project: Path) -> dict[str, bytes | str]:
    """What a run that writes to its work tree must leave alone."""
    return {name: value for name, value in fingerprint(project).items() if name in ("HEAD", "index", "refs")}


def test_without_a_flag_git_is_only_read(rehearse: Dualgate, project: Path) -> None:
    before = unwritten(project)

    ended = rehearse(HONEST)

    assert ended.lines[-1]["commits"] is None
    assert unwritten(project) == before
    assert git(project, "branch") == "* main\n"


def test_each_phase_that_changed_something_is_a_commit(rehearse: Dualgate, dualgate: Dualgate, project: Path) -> None:
    before = unwritten(project)

    ended = rehearse(HONEST, "--commit", "phase")

    assert subjects(project) == PHASES
    told = ended.lines[-1]["commits"]
    assert (told["branch"], [made["phase"] for made in told["made"]]) == (BRANCH, ["RED", "GREEN", "DOCUMENT"])
    assert json.loads(dualgate("status", "--json").out)["commits"] == told
    assert f"Branch   {BRANCH}: 3 commits" in dualgate("status").out
    assert f"committed {told['made'][0]['commit'][:10]} on {BRANCH}" in dualgate("log").out
    assert ended.lines[-1]["touched"]["commits"] == []
    report = json.loads(dualgate("report", "--format", "json").out)
    assert (report["branch"], [made["phase"] for made in report["commits"]]) == (BRANCH, ["RED", "GREEN", "DOCUMENT"])
    assert f"On the branch `{BRANCH}`:" in dualgate("report", "--format", "md").out
    assert f"<code>{BRANCH}</code>" in dualgate("report", "--output", "-").out
    assert unwritten(project) == before
    assert git(project, "show", f"{BRANCH}:tests/test_double.py") == (project / "tests/test_double.py").read_text()


def test_a_run_is_one_commit_with_its_criteria_and_evidence(rehearse: Dualgate, project: Path) -> None:
    ended = rehearse(HONEST, "--commit", "run", "--branch", "work", DUALGATE_COMMIT_COAUTHOR="Bo <bo@example.org>")

    text = git(project, "log", "-1", "--format=%B", "work")
    assert text.startswith("Doubling\n\nProven: 2 of 2 criteria hold")
    session = ended.lines[-1]["session_id"]
    assert f"Dualgate-Verdict: proven\nDualgate-Session: {session}\nDualgate-Evidence: QA tree\n " in text
    assert max(map(len, text.splitlines())) <= 72
    assert text.rstrip().endswith("Co-authored-by: Bo <bo@example.org>")


def test_a_run_that_halts_commits_only_what_was_proven_and_pushes_nothing(
    rehearse: Dualgate, project: Path, remote: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    a_hook(tmp_path, "gh", "exit 0", folder="bin")

    rehearse(RED, "--commit", "phase", "--pr", PATH=f"{tmp_path / 'bin'}:{environment['PATH']}")

    assert pushed(remote) == ["main"]
    assert subjects(project) == ["Doubling: failing tests", "first"]


def test_a_repository_without_commits_is_refused_before_any_work(
    rehearse: Dualgate, project: Path, tmp_path: Path
) -> None:
    shutil.rmtree(project / ".git")
    git(project, "init", "-q")

    ended = rehearse(HONEST, "--commit", "run")

    assert (ended.code, ended.lines[-1]["error"]["kind"]) == (1, "GitFailed")
    assert not (tmp_path / "home" / ".bp-sessions" / "doubling" / "journal.jsonl").exists()


def test_a_hook_is_told_to_the_agent_and_a_formatter_is_proven_again(
    rehearse: Dualgate, dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    refuse = "if [ ! -e README.md ] && git cat-file -e :doubling.py; then echo 'a README is missing'; exit 1; fi"
    a_hook(project, "pre-commit", f"{refuse}; sed -i 's/x + x/2 * x/' doubling.py; git add doubling.py")

    ended = rehearse(HONEST, "--commit", "phase")

    told = ended.lines[-1]["commits"]
    assert (told["refusal"], [made["phase"] for made in told["made"]]) == (None, ["DOCUMENT"])
    assert told["made"][0]["rewritten"] == ["doubling.py"]
    assert git(project, "show", f"{BRANCH}:doubling.py") == "def double(x): return 2 * x"
    assert (project / "doubling.py").read_text() == "def double(x): return x + x"
    prompts = sorted((tmp_path / "home" / ".bp-sessions" / "doubling").glob("calls/*prompt.md"))
    asked = [path for path in prompts if "a README is missing" in path.read_text()]
    assert [path.name[5:10] for path in asked] == ["GREEN", "REFAC", "DOCUM"]


MADE = 15
"""The line of the journal that records the first commit; tests/crash kills a run at the lines of all commits."""


def test_a_kill_between_a_commit_and_its_record_neither_loses_nor_doubles_it(
    dying: Dying, dualgate: Dualgate, project: Path, script: str
) -> None:
    code = dying(MADE, "before", "run", "SPEC.md", "--agent", script, "--commit", "phase")

    ended = dualgate("resume", "--json")

    assert (code, ended.code) == (-9, 0)
    assert subjects(project) == PHASES
    assert len(ended.lines[-1]["commits"]["made"]) == 3


def test_the_last_commit_that_a_hook_refused_is_made_by_a_resume(
    rehearse: Dualgate, dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    a_hook(project, "pre-commit", f"test -e {tmp_path}/allowed || {{ echo 'doubling.py has no header'; exit 1; }}")
    ended = rehearse(HONEST, "--commit", "run")
    told = ended.lines[-1]
    assert (ended.code, told["exit_code"], told["proven"], told["commits"]["made"]) == (8, 8, True, [])
    assert "the hook pre-commit exits with 1" in told["commits"]["refusal"]["reason"]
    assert (told["commits"]["not_made"]["what"], told["next"][0]["command"]) == ("commit", "dualgate resume")
    shown = dualgate("status").out
    assert "completed and proven" in shown
    assert "NOT COMMITTED" in shown
    assert "Commit   not made: the hook pre-commit exits with 1" in shown
    assert "         doubling.py has no header\n" in shown
    assert "dualgate resume" in shown
    for words in (("--format", "md"), ("--output", "-")):
        report = dualgate("report", *words).out
        assert "The proven work is not committed: the hook pre-commit exits with 1" in report
        assert "dualgate resume" in report
    again = dualgate("resume")
    assert (again.code, ", NOT COMMITTED: the hook pre-commit exits" in again.out) == (8, True)
    (tmp_path / "allowed").touch()

    resumed = dualgate("resume")

    assert f"Branch   {BRANCH}: 1 commit" in resumed.out
    assert (resumed.code, "COMMITTED" in resumed.out, "not committed" in resumed.out) == (0, False, False)
    assert subjects(project) == ["Doubling", "first"]
    assert "not committed" not in dualgate("report", "--format", "md").out


@pytest.fixture
def remote(project: Path, tmp_path: Path) -> Path:
    place = tmp_path / "remote.git"
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(place))
    git(project, "remote", "add", "origin", str(place))
    git(project, "push", "-q", "origin", "main")
    return place


def pushed(remote: Path) -> list[str]:
    return git(remote, "for-each-ref", "--format=%(refname:short)").splitlines()


def test_a_proven_run_pushes_its_branch_and_opens_a_request_if_asked(
    rehearse: Dualgate, dualgate: Dualgate, remote: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    address = "https://github.example/o/r/pull/1"
    a_hook(tmp_path, "gh", f'case "$2" in list) echo "[]" ;; create) echo {address} ;; esac', folder="bin")
    path = f"{tmp_path / 'bin'}:{environment['PATH']}"

    ended = rehearse(HONEST, "--pr", PATH=path)

    assert (ended.code, ended.lines[-1]["commits"]["pull_request"]) == (0, address)
    assert pushed(remote) == [BRANCH, "main"]
    assert f"Request  {address}" in dualgate("status").out
    assert "pull request opened by " in dualgate("log").out


def test_a_pull_request_that_fails_is_named_and_opened_by_a_resume(
    rehearse: Dualgate, dualgate: Dualgate, remote: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    address = "https://github.example/o/r/pull/1"
    create = f"test -e {tmp_path}/allowed && echo {address}"
    a_hook(tmp_path, "gh", f'case "$2" in list) echo "[]" ;; create) {create} ;; esac', folder="bin")
    path = f"{tmp_path / 'bin'}:{environment['PATH']}"

    ended = rehearse(HONEST, "--pr", PATH=path)
    shown = dualgate("status").out
    report = dualgate("report", "--format", "md").out
    (tmp_path / "allowed").touch()
    resumed = dualgate("resume", "--json", PATH=path)

    assert (ended.code, ended.lines[-1]["proven"], len(ended.lines[-1]["commits"]["made"])) == (8, True, 1)
    assert ended.lines[-1]["commits"]["not_made"]["what"] == "pull request"
    assert "NO PULL REQUEST" in shown
    assert "Request  not made: 'gh pr create' exits with 1." in shown
    assert "No pull request is opened: 'gh pr create' exits with 1." in report
    assert "dualgate pr" in report
    assert "no pull request for dualgate/doubling: " in dualgate("log").out
    assert (resumed.code, resumed.lines[-1]["commits"]["pull_request"]) == (0, address)
    assert resumed.lines[-1]["commits"]["not_made"] is None


def test_without_a_program_for_requests_a_proven_run_says_that_none_is_open(
    rehearse: Dualgate, dualgate: Dualgate, remote: Path
) -> None:
    ended = rehearse(HONEST, "--pr")

    assert (ended.code, pushed(remote)) == (8, ["main"])
    missing = ended.lines[-1]["commits"]["not_made"]
    assert "neither gh nor glab is installed" in missing["reason"]
    assert f"git push origin refs/heads/{BRANCH}" in missing["next_step"]
    assert dualgate("pr").code == 8


def test_a_branch_without_the_last_commit_is_not_pushed(
    rehearse: Dualgate, dualgate: Dualgate, project: Path, remote: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    a_hook(tmp_path, "gh", 'case "$2" in list) echo "[]" ;; create) echo https://x.example/1 ;; esac', folder="bin")
    a_hook(project, "pre-commit", "! git cat-file -e :README.md")

    ended = rehearse(HONEST, "--commit", "phase", "--pr", PATH=f"{tmp_path / 'bin'}:{environment['PATH']}")

    assert (ended.code, len(ended.lines[-1]["commits"]["made"]), pushed(remote)) == (8, 2, ["main"])
    refused = dualgate("pr", PATH=f"{tmp_path / 'bin'}:{environment['PATH']}")
    assert (refused.code, "is not committed: the hook pre-commit exits with" in refused.err) == (1, True)


def test_commits_that_were_asked_for_later_are_not_forgotten_by_a_plain_resume(
    rehearse: Dualgate, dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    rehearse(HONEST)
    a_hook(project, "pre-commit", f"test -e {tmp_path}/allowed")
    refused = dualgate("resume", "--commit", "run")
    (tmp_path / "allowed").touch()

    resumed = dualgate("resume")

    assert (refused.code, resumed.code) == (8, 0)
    assert subjects(project) == ["Doubling", "first"]


def test_a_proven_session_is_committed_later_and_its_commands_are_printed(
    rehearse: Dualgate, dualgate: Dualgate, project: Path, remote: Path
) -> None:
    rehearse(HONEST)
    assert "committed nothing" in dualgate("pr").err

    resumed = dualgate("resume", "--commit", "run")
    shown = dualgate("pr")

    assert (resumed.code, subjects(project)) == (0, ["Doubling", "first"])
    assert shown.out.splitlines()[1].strip() == f"git push origin refs/heads/{BRANCH}:refs/heads/{BRANCH}"
    assert "gh pr create" in shown.out.splitlines()[2]
    assert pushed(remote) == ["main"]


def test_an_agent_cannot_push(rehearse: Dualgate, remote: Path) -> None:
    called = f'run = ["{sys.executable} -m dualgate pr || true"]'
    script = HONEST.replace('phase = "GREEN"\n', f'phase = "GREEN"\n{called}\n', 1)

    ended = rehearse(script, "--commit", "phase")

    assert pushed(remote) == ["main"]
    assert any("'pr'" in warning["text"] for warning in ended.lines[-1]["warnings"])
