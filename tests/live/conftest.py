"""The real CLIs against a model that is played on loopback; collected only where `make test-live` installed them."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from dualgate.agents.registry import CLIENTS
from tests.live.desk import HOSTS, Desk, a_desk
from tests.live.model_server import FakeModel
from tests.live.place import Place

HERE = Path(__file__).parent
FOLDER = os.environ.get("LIVE", "")
INSTALLED = frozenset(os.environ.get("LIVE_CLIS", "").split())
SANDBOX = {"DUALGATE_SANDBOX": chosen} if (chosen := os.environ.get("LIVE_SANDBOX")) else {}
collect_ignore_glob = [] if FOLDER else ["test_*.py"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of the agents that tests name in their parameters, those that are installed."""
    absent = {*CLIENTS, *HOSTS} - INSTALLED
    # pytest asks this of all tests that it collects, and not of those beside this file alone
    live = [item for item in items if isinstance(item, pytest.Function) and HERE in item.path.parents]
    left_out = [item for item in live if not absent.isdisjoint(_named(item))]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def _named(item: pytest.Function) -> set[str]:
    """The first words of its parameters: `claude on a plan` needs claude."""
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return {value.split()[0] for value in given if isinstance(value, str) and value.strip()}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def environment(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """A folder for temporary files that the home is not in: Codex has no sandbox where it is."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    programs = (str(Path(FOLDER, name, "node_modules", ".bin")) for name in sorted(INSTALLED))
    path = os.pathsep.join((*programs, environment["PATH"]))
    return environment | SANDBOX | {"PATH": path, "TMPDIR": str(temporary), "TERM": "dumb", "TZ": "UTC"}


@pytest.fixture
def place(project: Path, home: Path, environment: dict[str, str]) -> Place:
    return Place(project=project, home=home, environment=environment)


@pytest.fixture
def desk(project: Path, home: Path, environment: dict[str, str], tmp_path: Path) -> Desk:
    return a_desk(project, home, environment, tmp_path)


@pytest.fixture
def scenes() -> Iterator[FakeModel]:
    """A model that plays the built-in scenarios, each under its own address."""
    with FakeModel() as model:
        yield model
