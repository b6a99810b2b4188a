"""Whole runs of the rehearsal agent."""

from pathlib import Path

import pytest

from tests.conftest import HONEST, Dying
from tests.support import Dualgate, Ended

__all__ = ["HONEST", "Dying"]

# runs about something else than what tests notice, in which probes would only take time
WITHOUT_PROBES = frozenset(
    {
        "test_additions",
        "test_amendments",
        "test_brownfield",
        "test_budgets",
        "test_checks",
        "test_commits",
        "test_configuration",
        "test_control",
        "test_disturbed",
        "test_documents",
        "test_escalation",
        "test_fallover",
        "test_follow_up",
        "test_kinds",
        "test_memory",
        "test_prompts",
        "test_reports",
        "test_respec",
        "test_reviews",
        "test_stronger_models",
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
