"""A project to work in, a home of its own, and dualgate as a user calls it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import Dualgate, Ended

SPEC = """\
# Doubling

## Goal

A module that doubles.

## Acceptance Criteria

- AC-1: double(2) is 4
- AC-2: double("a") is "aa"
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A new home, quick test runs, no waiting after failed calls, and nothing of whoever runs these tests."""
    (tmp_path / "home").mkdir()
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return kept | {
        "HOME": str(tmp_path / "home"),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "DUALGATE_TEST_COMMAND": f"{sys.executable} -m pytest -q",
        "DUALGATE_RETRY_DELAY": "0",
    }


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "doubling"
    (root / "tests").mkdir(parents=True)
    (root / "SPEC.md").write_text(SPEC)
    (root / "conftest.py").write_text("")
    (root / "tests" / "test_old.py").write_text("def test_old():\n    assert True\n")
    return root


@pytest.fixture
def dualgate(project: Path, environment: dict[str, str]) -> Dualgate:
    def call(*words: str, **variables: str) -> Ended:
        ended = subprocess.run(
            [sys.executable, "-m", "dualgate", *words],
            cwd=project,
            env=environment | variables,
            capture_output=True,
            text=True,
            timeout=120,
        )
        return Ended(code=ended.returncode, out=ended.stdout, err=ended.stderr)

    return call
