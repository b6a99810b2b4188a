"""`verify --session` after a real run: tests that the run saw failing before the work show it afterwards."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.loop.scripts import GREEN, RED, REST
from tests.support import Dualgate


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def proven(dualgate: Dualgate, project: Path, tmp_path: Path) -> Path:
    """A project after a proven run. Its code is committed and its tests are not: they pass on the base too."""
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "before the work")
    script = tmp_path / "script.toml"
    script.write_text(RED + GREEN + REST)
    ended = dualgate("run", "SPEC.md", "--agent", f"rehearsal:{script}")
    assert ended.code == 0, ended.out + ended.err
    git(project, "add", "doubling.py")
    git(project, "commit", "-qm", "the code")
    git(project, "branch", "base")
    return project


def criteria(dualgate: Dualgate, *words: str) -> dict[str, str]:
    """The state of each criterion."""
    found = verified(dualgate, "--spec", "SPEC.md", *words)
    return {each["id"]: each["state"] for each in found["criteria"]}


def verified(dualgate: Dualgate, *words: str) -> dict[str, Any]:
    ended = dualgate("verify", "--base", "base", "--json", *words)
    assert ended.out, ended.err
    found: dict[str, Any] = json.loads(ended.out)
    return found


@pytest.mark.usefixtures("proven")
def test_a_criterion_is_green_by_the_run_that_saw_its_test_red(dualgate: Dualgate) -> None:
    assert criteria(dualgate) == {"AC-1": "holds", "AC-2": "holds"}
    assert criteria(dualgate, "--session") == {"AC-1": "green", "AC-2": "green"}


def test_a_test_that_changed_after_the_run_is_not_the_one_that_was_red(dualgate: Dualgate, proven: Path) -> None:
    path = proven / "tests" / "test_double.py"
    path.write_text(path.read_text().replace('assert double("a") == "aa"', "assert double"))

    assert criteria(dualgate, "--session") == {"AC-1": "green", "AC-2": "holds"}


def test_without_a_session_nothing_is_verified_in_its_name(dualgate: Dualgate, project: Path) -> None:
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "base")
    (project / "doubling.py").write_text("def double(value):\n    return value * 2\n")

    ended = dualgate("verify", "--base", "main", "--session")

    assert (ended.code, ended.out) == (3, "")
    assert "There is no session here whose proof could be used." in ended.err
    assert "Leave out --session." in ended.err
