"""Tools that commands and scripts run."""

import pytest

from dualgate.core.values.checks import Purpose
from dualgate.languages.tools import purpose_of, tools_in

COMMANDS = [
    ("ruff check . && mypy src", ["ruff", "mypy"]),
    ("$(BIN)/ruff format --check .", ["ruff"]),
    (".venv/bin/python -m mypy", ["mypy"]),
    ("npx --no-install eslint . --max-warnings=0", ["eslint"]),
    ("cargo clippy -- -D warnings", ["clippy"]),
    ("pytest --cov=src --cov-fail-under=80", ["coverage"]),
    ("python tools/ruffian.py", []),
]


@pytest.mark.parametrize(("command", "tools"), COMMANDS)
def test_a_tool_is_found_by_its_word(command: str, tools: list[str]) -> None:
    assert [tool.name for tool in tools_in(command)] == tools


def test_the_purpose_is_that_of_the_name_or_of_the_tool() -> None:
    assert purpose_of("lint", tools_in("mypy")) is Purpose.LINT
    assert purpose_of("quality", tools_in("mypy")) is Purpose.TYPES
    assert purpose_of("quality") is None
