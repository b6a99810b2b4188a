"""What a build is compared with, and what it may not do."""

from collections.abc import Mapping
from typing import Any

import pytest

from dualgate.ci.events import Build

ZEROS, BEFORE = "0" * 40, "a" * 40


def push(before: str, forced: bool = False, branch: str = "topic") -> Build:
    payload = {"before": before, "forced": forced, "repository": {"default_branch": "main"}}
    return Build(event="push", branch=branch, payload=payload)


BASES = [
    (Build(event="pull_request", base_ref="release/2"), True, "origin/release/2"),
    (Build(event="merge_group", payload={"merge_group": {"base_sha": BEFORE}}), True, BEFORE),
    (push(BEFORE), True, BEFORE),
    (push(ZEROS), True, "origin/main"),
    (push("b" * 64), True, "b" * 64),
    (push("--output=x"), True, "origin/main"),
    (push(BEFORE, forced=True), False, "origin/main"),
    (push(BEFORE, forced=True), True, BEFORE),
    (push(BEFORE, forced=True, branch="main"), False, BEFORE),
    (push(BEFORE), False, BEFORE),
    (Build(event="workflow_dispatch"), True, ""),
    (Build(event="push", payload={"before": None}), True, ""),
]


@pytest.mark.parametrize(("build", "is_there", "base"), BASES)
def test_a_build_is_compared_with_what_its_event_names(build: Build, is_there: bool, base: str) -> None:
    assert build.base(lambda _: is_there) == base


def request(head: Mapping[str, Any] | None, event: str = "pull_request") -> Build:
    sides = {"head": {"repo": head}, "base": {"repo": {"full_name": "a/b"}}}
    return Build(event=event, base_ref="main", payload={"pull_request": {"number": 7, **sides}})


FORKS: list[tuple[Mapping[str, Any] | None, bool]] = [
    ({"full_name": "a/b"}, False),
    ({"full_name": "c/b"}, True),
    (None, True),
]


@pytest.mark.parametrize(("head", "is_fork"), FORKS)
def test_a_pull_request_of_another_repository_is_from_a_fork(head: Mapping[str, Any] | None, is_fork: bool) -> None:
    assert (request(head).is_from_fork, request(head).pull_request) == (is_fork, 7)
    assert request(head, "pull_request_target").runs_foreign_code_with_rights is is_fork
    assert not request(head).runs_foreign_code_with_rights


def test_a_push_has_no_pull_request_and_no_fork() -> None:
    assert (push(BEFORE).pull_request, push(BEFORE).is_from_fork) == (None, False)
