"""A project in a git repository, and dualgate called in it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import CALL_LIMIT
from tests.fleet.places import committed
from tests.loop.scripts import GREEN, RED, REST
from tests.spawner import Spawner
from tests.support import Ended

Called = Callable[..., Ended]


@pytest.fixture
def repository(project: Path) -> Path:
    committed(project)
    return project


@pytest.fixture
def call(environment: dict[str, str], spawner: Spawner) -> Called:
    """dualgate in any folder."""
    quick = environment | {"DUALGATE_SENSITIVITY": "off"}

    def called(folder: Path, *words: str, **variables: str) -> Ended:
        return spawner.call(words, folder, quick | variables, CALL_LIMIT)

    return called


@pytest.fixture
def honest(tmp_path: Path) -> tuple[str, str]:
    """The options of an agent that works honestly."""
    (tmp_path / "script.toml").write_text(RED + GREEN + REST)
    return "--agent", f"rehearsal:{tmp_path / 'script.toml'}"
