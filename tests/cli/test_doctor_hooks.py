"""dualgate doctor --hooks: a false "done" is fired at each configured hook."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dualgate.core.doctor.checkup import Health
from dualgate.hooks.opting import PLACES
from dualgate.hooks.rehearsing import check_answer
from tests.support import Dualgate

BLOCK = '{"decision": "block", "reason": "test_double fails"}\n'
ANSWERS = [
    (0, BLOCK, Health.OK, "is sent back: test_double fails"),
    (0, BLOCK.replace("block", "deny"), Health.OK, "is sent back"),
    (0, "", Health.FAIL, "passes (exit code 0): no answer"),
    (0, '{"systemMessage": "the hook failed"}', Health.FAIL, "the hook failed"),
    (0, "no json", Health.FAIL, "no json"),
    (127, "", Health.FAIL, "is not found"),
    (2, BLOCK, Health.FAIL, "exit code 2"),
    (None, "", Health.FAIL, "exit code None"),
]


@pytest.mark.parametrize(("code", "out", "health", "seen"), ANSWERS)
def test_only_an_answer_that_blocks_is_good(code: int | None, out: str, health: Health, seen: str) -> None:
    check = check_answer("claude", "dualgate hook stop --host claude", code, out, "")

    assert check.health is health
    assert seen in check.seen
    assert bool(check.fix) is (health is Health.FAIL)


@pytest.fixture
def project(project: Path) -> Path:
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    return project


@pytest.fixture
def environment(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """A PATH with dualgate on it, as a person has after installing it."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "dualgate").write_text(f'#!/bin/sh\nexec {sys.executable} -m dualgate "$@"\n')
    (programs / "dualgate").chmod(0o755)
    return environment | {"PATH": f"{programs}{os.pathsep}{environment['PATH']}"}


@pytest.mark.whole
def test_the_hooks_that_init_writes_stop_a_false_done(dualgate: Dualgate, project: Path) -> None:
    dualgate("init", "--hooks", "claude,copilot", "--yes")
    ended = dualgate("doctor", "--hooks")

    assert ended.code == 0, ended.out + ended.err
    assert ended.out.count('a false "done" is sent back') == 2
    assert "test_double" in ended.out


def test_a_command_that_is_not_there_is_named(dualgate: Dualgate, project: Path) -> None:
    dualgate("init", "--hooks", "codex", "--yes")
    place = project / PLACES["codex"]
    place.write_text(place.read_text().replace("dualgate hook", "/nowhere/dualgate hook"))
    ended = dualgate("doctor", "--hooks", "--json")

    assert ended.code == 2
    assert "is not found" in ended.lines[-1]["checks"][0]["seen"]


def test_a_repository_without_hooks_is_told_how_to_get_them(dualgate: Dualgate, project: Path) -> None:
    ended = dualgate("doctor", "--hooks")

    assert ended.code == 2
    assert "dualgate init --hooks" in ended.out
