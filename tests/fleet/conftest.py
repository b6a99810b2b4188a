"""A project in a git repository, and dualgate called in it."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dualgate.fleet.making import Step, made_worktree
from dualgate.fleet.plan import Wanted, plan_worktree
from dualgate.settings import Settings
from tests.conftest import CALL_LIMIT
from tests.fleet.places import committed
from tests.loop.scripts import GREEN, RED, REST
from tests.spawner import Spawner
from tests.support import Ended

Called = Callable[..., Ended]
Making = Callable[..., Path]
NOW = datetime(2026, 1, 16, 22, 0, tzinfo=UTC)


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


@pytest.fixture
def make(repository: Path, environment: dict[str, str]) -> Making:
    """Makes a worktree and keeps it."""

    def made(
        name: str = "night",
        reached: Callable[[Step], None] = lambda _: None,
        at: Path = repository,
        ref: str = "HEAD",
        settings: Settings | None = None,
    ) -> Path:
        plan = plan_worktree(at, Wanted(name=name, ref=ref), settings or Settings(), environment)
        with made_worktree(plan, environment, NOW, reached) as found:
            return found.record.folder

    return made
