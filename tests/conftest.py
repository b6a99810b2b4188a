"""A project to work in, a home of its own, and dualgate as a user calls it."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from hypothesis import HealthCheck, settings

from tests.loop.scripts import GREEN, RED, REST
from tests.spawner import Spawner
from tests.support import Dualgate, Ended, LeftRunning, environment_in

CALL_LIMIT = 120
HONEST = RED + GREEN + REST

Dying = Callable[..., int]

# how fast the machine is says nothing about what is right
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

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
    """A new home, quick test runs, no waiting, no report, and nothing of whoever runs these tests."""
    return environment_in(tmp_path / "home")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "doubling"
    (root / "tests").mkdir(parents=True)
    (root / "SPEC.md").write_text(SPEC)
    (root / "conftest.py").write_text("")
    (root / "tests" / "test_old.py").write_text("def test_old():\n    assert True\n")
    return root


@pytest.fixture(scope="session")
def spawner() -> Iterator[Spawner]:
    made = Spawner()
    yield made
    made.close()


@pytest.fixture
def dualgate(project: Path, environment: dict[str, str], request: pytest.FixtureRequest) -> Dualgate:
    """dualgate, forked with its pytest from processes that imported them; started in tests that are marked `whole`."""
    is_whole = request.node.get_closest_marker("whole") is not None

    def call(*words: str, **variables: str) -> Ended:
        # what an interpreter reads when it starts needs one that starts
        if not is_whole and not any(name.startswith(("PYTHON", "LC_", "LANG")) for name in variables):
            spawner: Spawner = request.getfixturevalue("spawner")
            return spawner.call(words, project, environment | variables, CALL_LIMIT)
        ended = subprocess.run(
            [sys.executable, "-m", "dualgate", *words],
            cwd=project,
            env=environment | variables,
            capture_output=True,
            text=True,
            timeout=CALL_LIMIT,
        )
        return Ended(code=ended.returncode, out=ended.stdout, err=ended.stderr)

    return call


@pytest.fixture
def script(tmp_path: Path) -> str:
    """An agent that works honestly."""
    (tmp_path / "script.toml").write_text(HONEST)
    return f"rehearsal:{tmp_path / 'script.toml'}"


@pytest.fixture
def dying(project: Path, environment: dict[str, str], script: str, spawner: Spawner) -> Dying:
    """A run that is killed at one of its appends to the journal; returns its exit code."""

    def call(number: int, moment: str, *words: str, **variables: str) -> int:
        run = words or ("run", "SPEC.md", "--agent", script)
        return spawner.call(run, project, environment | variables, CALL_LIMIT, dies_at=(number, moment)).code

    return call


@pytest.fixture
def left_running() -> LeftRunning:
    """What runs below us that did not when the test began."""
    before = psutil.Process().children(recursive=True)
    return lambda: [process for process in psutil.Process().children(recursive=True) if process not in before]
