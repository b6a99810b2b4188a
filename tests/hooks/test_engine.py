"""Whole stops with the real engine: a false done is sent back, the honest one is let go."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from dualgate.hooks.starting import remember_start
from dualgate.hooks.stopping import answer_stop
from tests.hooks.conftest import git

pytestmark = pytest.mark.whole
CODE = "def double(value):\n    return value + value\n"
TEST = "from code_of import double\n\n\ndef test_double():\n    assert double(2) == 4\n"


@pytest.fixture
def begun(repository: Path, home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a test and an old failure, in which a session has begun."""
    for name, value in home.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (repository / "code_of.py").write_text(CODE)
    (repository / "conftest.py").write_text("")
    (repository / "test_double.py").write_text(TEST)
    (repository / "test_old.py").write_text("def test_old():\n    assert False\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "tests")
    remember_start({"session_id": "s", "cwd": str(repository)}, os.environ)
    return repository


def stopped(root: Path, message: str = "All done, tests pass.") -> dict[str, Any]:
    given = {"session_id": "s", "cwd": str(root), "last_assistant_message": message}
    return dict(json.loads(answer_stop("claude", given, os.environ) or "{}"))


def test_broken_code_is_sent_back_even_if_it_was_committed_and_its_fix_is_let_go(begun: Path) -> None:
    (begun / "code_of.py").write_text("def double(value):\n    return value\n")
    git(begun, "commit", "-qam", "done")
    false = stopped(begun)
    (begun / "code_of.py").write_text("def double(value):\n    return 2 * value\n")

    assert false["decision"] == "block"
    assert "test_double" in false["reason"]
    assert "test_old" not in false["reason"]
    assert stopped(begun, "Fixed.") == {}


def test_a_test_that_was_weakened_is_sent_back(begun: Path) -> None:
    (begun / "code_of.py").write_text("def double(value):\n    return value\n")
    (begun / "test_double.py").write_text(TEST.replace("== 4", "!= 5"))
    said = stopped(begun)

    assert said["decision"] == "block"
    assert "test_double" in said["reason"]


def test_an_old_failure_alone_is_no_reason(begun: Path) -> None:
    (begun / "README.md").write_text("# Doubling\n")

    assert stopped(begun) == {}
