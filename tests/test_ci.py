"""The script that a build runs: red where a test is, and not where the real CLIs cannot be had."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support import Ended

ROOT = Path(__file__).parents[1]
NEEDED = (
    "bash",
    "sh",
    "cat",
    "cp",
    "dirname",
    "env",
    "grep",
    "make",
    "mkdir",
    "mktemp",
    "rm",
    "tee",
    "timeout",
    "touch",
)
INSTALLS = "exit 0"


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """All that is on the path: the system's own, and network namespaces that can be made."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in NEEDED:
        (folder / name).symlink_to(shutil.which(name) or name)
    write_tool(folder, "unshare", "exit 0")
    return folder


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    shutil.copytree(ROOT / ".ci", root / ".ci")
    shutil.copytree(ROOT / "tests" / "live" / "clis", root / "tests" / "live" / "clis")
    for name in ("Makefile", "tests/live/alone.sh"):
        shutil.copy(ROOT / name, root / name)
    return root


def write_tool(folder: Path, name: str, script: str) -> None:
    (folder / name).unlink(missing_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def build(repository: Path, tools: Path, script: str) -> Ended:
    environment = {"PATH": str(tools), "TMPDIR": os.environ.get("TMPDIR", "/tmp")}
    ended = subprocess.run(
        [repository / ".ci" / script], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    return Ended(code=ended.returncode, out=ended.stdout, err=ended.stderr)


def test_a_build_is_red_where_a_test_is(repository: Path, tools: Path) -> None:
    write_tool(tools, "make", "exit 2")

    ended = build(repository, tools, "run")

    assert (ended.code, "skipped" in ended.out) == (2, False)


def test_a_build_runs_the_tests_and_then_the_corpora(repository: Path, tools: Path, tmp_path: Path) -> None:
    write_tool(tools, "make", f'echo "$@" >> {tmp_path}/made')

    ended = build(repository, tools, "run")

    assert (ended.code, (tmp_path / "made").read_text()) == (0, "test\ntest-corpus\n")


def test_without_npm_the_live_tests_are_skipped(repository: Path, tools: Path) -> None:
    ended = build(repository, tools, "live")

    assert (ended.code, ended.out) == (
        0,
        "the live tests are skipped: there is no npm to install claude codex with\n",
    )


def test_without_a_network_of_their_own_the_live_tests_are_skipped(repository: Path, tools: Path) -> None:
    write_tool(tools, "npm", INSTALLS)
    write_tool(tools, "unshare", "exit 1")

    ended = build(repository, tools, "live")

    assert (ended.code, "no network that has loopback only can be made" in ended.out) == (0, True)


SAID_BY_NPM = [
    ("npm error code ENOTFOUND", 0),
    ("npm error code ECONNREFUSED", 0),
    ("npm ERR! code E503", 0),
    ("npm error code EINTEGRITY", 2),
    ("npm error code EUSAGE", 2),
]


@pytest.mark.parametrize(("said", "code"), SAID_BY_NPM)
def test_what_a_registry_does_not_give_is_skipped_and_a_wrong_lock_is_red(
    said: str, code: int, repository: Path, tools: Path
) -> None:
    write_tool(tools, "npm", f"echo '{said}' >&2; exit 1")

    ended = build(repository, tools, "live")

    assert ended.code == code, ended.out + ended.err
    assert (f"the live tests are skipped: npm cannot get claude codex from a registry ({said})" in ended.out) == (
        not code
    )


def test_a_live_test_that_fails_is_red(repository: Path, tools: Path) -> None:
    write_tool(tools, "npm", INSTALLS)
    write_tool(tools, "make", 'case "$*" in *live-clis*) exit 0 ;; *) exit 2 ;; esac')

    ended = build(repository, tools, "live")

    assert (ended.code, ended.out) == (2, "")
