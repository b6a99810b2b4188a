"""Requests for a branch that is pushed to one of several remotes: a fork, its origin, hosts under other names."""

import json
from pathlib import Path

import pytest

from tests.session.commit_kit import git
from tests.session.request_kit import BRANCH, GH, GLAB, Place, a_place

REMOTES = {"origin": "git@github.com:ann/shop.git", "upstream": "https://github.com/team/shop.git"}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return a_place(tmp_path)


def with_remotes(place: Place, **addresses: str) -> Place:
    """A repository whose pushes by ssh all reach the one folder that stands for the host."""
    through = place.tmp_path / "ssh-command"
    through.write_text(f"#!/bin/sh\nexec git-receive-pack {place.remote}\n")
    through.chmod(0o755)
    git(place.project, "config", "core.sshCommand", str(through))
    git(place.project, "remote", "remove", "origin")
    for name, address in addresses.items():
        git(place.project, "remote", "add", name, address)
    place.bench.planned()
    return place


def test_a_fork_is_pushed_to_and_the_request_goes_to_the_repository_upstream(place: Place) -> None:
    with_remotes(place, **REMOTES).has("gh", GH).request(base="main")

    assert BRANCH in place.refs
    assert "--repo=github.com/team/shop" in place.calls[-1]
    assert f"--head=ann:{BRANCH} " in place.calls[-1]


@pytest.mark.parametrize("upstream", ["git@github.com:42/shop.git", "ssh://git@github.com:22/42/shop.git"])
def test_an_owner_whose_name_is_a_number_is_no_port(place: Place, upstream: str) -> None:
    with_remotes(place, origin="git@github.com:ann/shop.git", upstream=upstream).has("gh", GH).request(base="main")

    assert "--repo=github.com/42/shop" in place.calls[-1]


def test_a_request_of_another_fork_with_a_branch_of_the_same_name_is_not_ours(place: Place) -> None:
    place.has("gh", GH)
    theirs = [{"url": "https://github.com/team/shop/pull/7", "headRepositoryOwner": {"login": "bob"}}]
    (place.tmp_path / "bin" / "open").write_text(json.dumps(theirs))

    done = with_remotes(place, **REMOTES).request()

    assert (done.url, done.is_new) == ("https://github.example/o/r/pull/1", True)


def test_a_request_that_is_open_is_found_under_any_case_of_the_name_of_its_owner(place: Place) -> None:
    place.has("gh", GH)
    ours = [{"url": "https://github.com/team/shop/pull/8", "headRepositoryOwner": {"login": "Ann"}}]
    (place.tmp_path / "bin" / "open").write_text(json.dumps(ours))

    done = with_remotes(place, **REMOTES).request()

    assert (done.url, done.is_new) == ("https://github.com/team/shop/pull/8", False)


@pytest.mark.parametrize("setting", ["remote.pushDefault", f"branch.{BRANCH}.pushRemote"])
def test_the_remote_that_git_is_set_to_push_to_is_used(place: Place, setting: str) -> None:
    with_remotes(place, origin="https://github.com/team/shop.git", mine="git@github.com:ann/shop.git")
    git(place.project, "config", setting, "mine")
    place.bench.planned()

    done = place.has("gh", GH).request()

    assert done.remote == "mine"
    assert f"--head=ann:{BRANCH} " in place.calls[-1]
    assert "--repo=github.com/team/shop" in place.calls[-1]


def test_a_repository_that_a_person_chose_for_requests_comes_before_upstream(place: Place) -> None:
    with_remotes(place, **REMOTES)
    git(place.project, "config", "remote.origin.gh-resolved", "base")  # after the run began, as gh does it

    place.has("gh", GH).request()

    assert f"--head={BRANCH} " in place.calls[-1]
    assert "--repo=github.com/ann/shop" in place.calls[-1]


def test_a_merge_request_of_a_fork_names_the_project_that_it_goes_to(place: Place) -> None:
    with_remotes(place, origin="git@gitlab.example:ann/shop.git", upstream="git@gitlab.example:team/sub/shop.git")
    place.has("glab", GLAB.replace("api projects/:id ", "api projects/team%2Fsub%2Fshop "))

    place.request()

    assert "api projects/ann%2Fshop/merge_requests --method POST" in place.calls[-1]
    document = json.loads((place.tmp_path / "bin" / "body").read_text())
    assert (document["target_branch"], document["target_project_id"]) == ("trunk", 5)


def test_a_host_that_ssh_knows_by_another_name_is_named_as_it_is(place: Place) -> None:
    with_remotes(place, origin="git@work:ann/shop.git")
    place.has("ssh", 'test "$1 $3" = "-G work" && echo "hostname ssh.github.com"').has("gh", GH)

    place.request()

    assert place.calls[0] == "auth status --hostname github.com"
    assert "--repo=github.com/ann/shop" in place.calls[-1]


def test_an_old_login_of_another_account_does_not_stop_a_request(place: Place) -> None:
    old = 'case "$*" in "auth status --active"*) exit 0 ;; "auth status"*) exit 1 ;; esac\n'

    assert place.has("gh", old + GH).request().is_new


@pytest.mark.parametrize("notice", ["A new release of gh is available", "[warn] gh is old", "{{old}}"])
def test_a_notice_before_an_answer_is_passed_over(place: Place, notice: str) -> None:
    place.has("gh", f'test "$1" = pr && echo "{notice}"\n' + GH)

    assert place.request().is_new


def test_the_command_for_a_merge_request_has_the_report_as_its_text(place: Place) -> None:
    done = with_remotes(place, origin="git@gitlab.example:ann/shop.git").request()

    assert done.reason == "glab is not installed"
    assert done.commands[1].endswith(f'--description="$(cat {place.folder / "pull-request.md"})"')


def test_submodules_are_not_pushed_with_the_branch(place: Place) -> None:
    git(place.project, "config", "push.recurseSubmodules", "only")
    place.bench.planned()

    place.has("gh", GH).request()

    assert BRANCH in place.refs
