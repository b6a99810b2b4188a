"""Whole runs of the rehearsal agent."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import CALL_LIMIT
from tests.loop.scripts import GREEN, RED, REST
from tests.spawner import Spawner
from tests.support import Dualgate, Ended

Dying = Callable[..., int]

HONEST = RED + GREEN + REST


# runs about something else than what tests notice, in which probes would only take time
WITHOUT_PROBES = frozenset(
    {
        "test_budgets",
        "test_commits",
        "test_configuration",
        "test_documents",
        "test_escalation",
        "test_fallover",
        "test_memory",
        "test_prompts",
        "test_reports",
        "test_respec",
        "test_reviews",
        "test_traces",
    }
)


@pytest.fixture
def environment(environment: dict[str, str], request: pytest.FixtureRequest) -> dict[str, str]:
    is_off = request.path.stem in WITHOUT_PROBES
    return environment | ({"DUALGATE_SENSITIVITY": "off"} if is_off else {})


@pytest.fixture
def rehearse(dualgate: Dualgate, tmp_path: Path) -> Dualgate:
    def call(script: str, *words: str, **variables: str) -> Ended:
        (tmp_path / "script.toml").write_text(script)
        return dualgate(
            "run", "SPEC.md", "--agent", f"rehearsal:{tmp_path / 'script.toml'}", "--json", *words, **variables
        )

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
