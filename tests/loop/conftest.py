"""Whole runs of the rehearsal agent."""

from pathlib import Path

import pytest

from tests.support import Dualgate, Ended


@pytest.fixture
def rehearse(dualgate: Dualgate, tmp_path: Path) -> Dualgate:
    def call(script: str, *words: str, **variables: str) -> Ended:
        (tmp_path / "script.toml").write_text(script)
        return dualgate(
            "run", "SPEC.md", "--agent", f"rehearsal:{tmp_path / 'script.toml'}", "--json", *words, **variables
        )

    return call
