"""A home with recorded sessions, and the dashboard over it: a real server on loopback."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from dualgate.store.projections import rebuild
from tests.web.serving import Served, serving

RECORDED = Path(__file__).parent.parent / "data" / "journals" / "format2"
Serve = Callable[..., Served]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of sessions, still empty."""
    place = tmp_path / "home" / ".bp-sessions"
    place.mkdir(parents=True)
    return place


@pytest.fixture
def recorded(home: Path) -> Path:
    """The folder of sessions with three of a recorded run each."""
    for name in ("rejected", "halted", "ralph"):
        shutil.copytree(RECORDED / name, home / name)
        rebuild(home / name)
    return home


@pytest.fixture
def serve(home: Path) -> Iterator[Serve]:
    """Starts dashboards over the home; each ends with the test."""
    with ExitStack() as running:
        yield lambda **rules: running.enter_context(serving(home.parent, **rules))
