"""Pushes and pull requests: one branch, a plain push, one request, and only when a person asks for it."""

import json
import shlex
from pathlib import Path

import pytest

from dualgate.core.values.vocabulary import Phase, Status
from dualgate.errors import GitFailed, RequestFailed
from tests.session.commit_kit import a_hook, git
from tests.session.request_kit import BRANCH, GH, GLAB, Place, a_place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return a_place(tmp_path)


def test_one_branch_is_pushed_and_one_request_opened_with_the_report_as_its_text(place: Place) -> None:
    done = place.has("gh", GH).request(draft=True, base="main")

    assert (done.url, done.is_new) == ("https://github.example/o/r/pull/1", True)
    assert place.refs == [BRANCH, "main"]
    assert git(place.remote, "rev-parse", BRANCH) == git(place.project, "rev-parse", BRANCH)
    created = place.calls[-1]
    assert created.startswith(f"pr create --head={BRANCH} --base=main --draft --title=Close")
    assert (place.tmp_path / "bin" / "body").read_text().startswith("**Running**")


def test_a_second_call_pushes_new_commits_and_opens_no_second_request(place: Place) -> None:
    place.has("gh", GH).request()
    (place.project / "added.py").write_text("added = 2\n")
    place.bench.passed(Phase.QA, Status.COMPLETED).commit()

    done = place.request()

    assert (done.url, done.is_new) == ("https://github.example/o/r/pull/1", False)
    assert git(place.remote, "log", "--format=%s", BRANCH).splitlines() == ["Work of QA", "Work of GREEN", "first"]
    assert sum(call.startswith("pr create") for call in place.calls) == 1


def test_a_request_that_failed_after_the_push_is_opened_by_the_next_call(place: Place) -> None:
    place.has("gh", GH)
    (place.tmp_path / "bin" / "broken").touch()
    with pytest.raises(RequestFailed, match="the host is down"):
        place.request()
    (place.tmp_path / "bin" / "broken").unlink()

    assert place.request().is_new
    assert place.refs == [BRANCH, "main"]


def test_a_merge_request_is_opened_with_its_text_on_standard_input(place: Place) -> None:
    git(place.project, "remote", "set-head", "origin", "--delete")
    git(place.project, "update-ref", "-d", "refs/remotes/origin/main")

    done = place.has("glab", GLAB).request(draft=True)

    assert done.url == "https://gitlab.example/o/r/-/merge_requests/1"
    document = json.loads((place.tmp_path / "bin" / "body").read_text())
    assert (document["source_branch"], document["target_branch"]) == (BRANCH, "trunk")
    assert document["title"].startswith("Draft: Close")
    assert document["description"].startswith("**Running**")


@pytest.mark.parametrize("logged_in", [True, False])
def test_without_a_program_that_is_logged_in_nothing_is_pushed_and_the_commands_are_named(
    place: Place, logged_in: bool
) -> None:
    if not logged_in:
        place.has("gh", GH)
        (place.tmp_path / "bin" / "login").write_text("1")

    done = place.request()

    assert place.refs == ["main"]
    assert done.url == ""
    push, create = done.commands
    assert push == f"git push origin refs/heads/{BRANCH}:refs/heads/{BRANCH}"
    words = shlex.split(create)
    assert words[:3] == ["gh", "pr", "create"]
    assert "$(touch owned) `x`" in words[-2]
    assert words[-1] == f"--body-file={place.folder / 'pull-request.md'}"


def test_a_push_that_the_remote_refuses_is_an_error_with_its_words(place: Place) -> None:
    hook = place.remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'branches need a ticket'\nexit 1\n")
    hook.chmod(0o755)

    with pytest.raises(GitFailed, match="branches need a ticket"):
        place.has("gh", GH).request()

    assert place.refs == ["main"]
    assert not any(call.startswith("pr") for call in place.calls)


def test_a_branch_with_other_commits_on_the_remote_is_not_overwritten(place: Place) -> None:
    git(place.remote, "branch", BRANCH, "main")
    other = git(place.project, "commit-tree", "main^{tree}", "-p", "main", "-m", "other").strip()
    git(place.project, "push", "-q", "origin", f"{other}:refs/heads/{BRANCH}")

    with pytest.raises(GitFailed, match="rejected") as refused:
        place.has("gh", GH).request()

    assert "Nothing was overwritten" in refused.value.next_step
    assert git(place.remote, "log", "-1", "--format=%s", BRANCH) == "other\n"


def test_a_hook_or_remote_that_changed_during_the_run_is_not_used(place: Place) -> None:
    a_hook(place.project, "pre-push", f"touch {place.tmp_path}/executed")

    with pytest.raises(RequestFailed, match="changed since the run began") as refused:
        place.has("gh", GH).request()

    assert refused.value.next_step.endswith("accept them: dualgate resume --commit phase, then: dualgate pr")
    assert place.refs == ["main"]
    assert not (place.tmp_path / "executed").exists()


def test_a_session_without_commits_or_with_a_foreign_branch_has_nothing_to_push(place: Place) -> None:
    place.has("gh", GH)
    git(place.project, "branch", "-f", BRANCH, "main")
    with pytest.raises(RequestFailed, match="does not hold the session's last commit"):
        place.request()
    place.bench.events = place.bench.events[:1]

    with pytest.raises(RequestFailed, match="committed nothing"):
        place.request()


def test_a_program_of_the_project_is_not_started(place: Place) -> None:
    inside = place.project / "bin"
    inside.mkdir()
    (inside / "gh").write_text(f"#!/bin/sh\ntouch {place.tmp_path}/executed\n")
    (inside / "gh").chmod(0o755)
    (place.tmp_path / "bin").symlink_to(inside)

    assert place.request().commands
    assert not (place.tmp_path / "executed").exists()


@pytest.mark.parametrize("asked", ["nowhere", None])
def test_a_remote_that_is_missing_is_named_with_those_that_exist(place: Place, asked: str | None) -> None:
    if asked is None:
        git(place.project, "remote", "rename", "origin", "one")
        git(place.project, "remote", "add", "two", "elsewhere")
        place.bench.planned()

    with pytest.raises(GitFailed, match="remote") as refused:
        place.request(remote=asked)

    assert refused.value.next_step in ("Remotes: origin", "Name one with --remote.")
