"""Honest work in projects whose tests are run in many ways: plug-ins, layouts, tools. None of it is refused."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from dualgate.core.values.events import Event, TurnEnded
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Phase
from dualgate.session.loop import take_baseline, turn
from dualgate.session.open import new_session
from dualgate.settings import Settings
from dualgate.testing import a_control, a_host
from tests.corpus.features import DATA, SPEC, Feature, accusing, features_of, settings_of, write
from tests.corpus.packages import environment, must, shared

PACKAGES = (
    "pytest==8.3.5",
    "pytest-xdist==3.8.0",
    "pytest-randomly==5.1.0",
    "pytest-cov==7.1.0",
    "pytest-asyncio==1.3.0",
    "pytest-django==4.14.0",
    "pytest-regressions==2.11.0",
    "pytest-bdd==9.0.1",
    "django==5.2.19",
    "anyio==4.16.0",
    "hypothesis==6.170.15",
)
TOOLS = ("tox==4.67.13", "nox==2026.10.20", "uv==0.13.8", "poetry==2.5.1")
AS = "git -c user.name=A -c user.email=a@example.org"
COMMIT = f"git init -q && git add -A && {AS} commit -qm begin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How a project is made and its tests are started, if not as usual. `{python}` is that with the plug-ins."""

    command: str = "{python} -m pytest -q"
    make: str = "git init -q && git add -A"
    tools: bool = False


USUAL = Way()
WAYS: Mapping[str, Way] = {
    "an environment of tox": Way(command="tox -q -e py", tools=True),
    "a session of nox": Way(command="nox -R -s tests", tools=True),
    "a project of uv with its lock": Way(
        command="uv run --frozen python -m pytest", make="uv lock -q && git init -q && git add -A", tools=True
    ),
    "a project of poetry": Way(
        command="poetry run python -m pytest",
        make="uv venv -q .venv && uv pip install -q --python .venv pytest && git init -q"
        " && git add pyproject.toml seats.py tests",
        tools=True,
    ),
    "a submodule with tests of its own that the project runs too": Way(
        make=f"(cd shared && {COMMIT}) && mv shared ../shared && git init -q"
        " && git -c protocol.file.allow=always submodule --quiet add ../shared shared"
        f" && git add -A && {AS} commit -qm begin"
    ),
    "a linked worktree of a repository": Way(
        make=f"{COMMIT} && cd .. && mv project main && git -C main worktree add -q ../project"
    ),
}
SETUPS = features_of(DATA / "setups")


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter with the plug-ins; `SETUPS_PYTHON` names one that has them already."""
    if named := os.environ.get("SETUPS_PYTHON"):
        return Path(named)

    def make(folder: Path) -> None:
        environment(PACKAGES, folder)

    folder = shared("setups", make, tmp_path_factory)
    return folder / "environment" / "bin" / "python"


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an environment that has the tools, and with what they install from."""

    def make(folder: Path) -> None:
        environment(TOOLS, folder)
        must(folder, "download", "-q", "--dest", "wheels", PACKAGES[0])

    return shared("tools", make, tmp_path_factory)


@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: setup.name.replace(" ", "-"))
def test_honest_work_passes_red_and_green_at_once(
    setup: Feature, python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    way = WAYS.get(setup.name, USUAL)
    root, script = tmp_path / "project", tmp_path / "script.toml"
    write(root, {"SPEC.md": SPEC.format(setup.criteria), **setup.step("before").files})
    script.write_text(setup.red + setup.green)
    settings = settings_of(script, monkeypatch, test_command=way.command.format(python=python))
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    if way.tools:
        use(request.getfixturevalue("tools"), monkeypatch)
    subprocess.run(way.make, shell=True, cwd=root, check=True, timeout=60)

    turns, state = red_and_green(root, settings)

    assert [each.verdict.reasons for each in turns] == [(), ()]
    assert state.phase is Phase.REFACTOR
    assert [accusing(each.verdict.warnings) for each in turns] == [[], []]
    assert state.unproven == ()


def test_every_way_belongs_to_a_setup() -> None:
    assert WAYS.keys() <= {setup.name for setup in SETUPS}


def use(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Find the tools on the PATH, and let them install from a folder alone."""
    wheels, bin_folder = str(tools / "wheels"), tools / "environment" / "bin"
    values = {
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": wheels,
        "UV_NO_INDEX": "1",
        "UV_FIND_LINKS": wheels,
        "UV_PYTHON": str(bin_folder / "python"),
        "UV_PYTHON_DOWNLOADS": "never",
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)


def red_and_green(root: Path, settings: Settings) -> tuple[list[TurnEnded], LoopState]:
    turns: list[TurnEnded] = []

    def watch(event: Event, state: LoopState) -> None:
        del state
        if isinstance(event, TurnEnded):
            turns.append(event)

    with new_session(root / "SPEC.md", a_host(root), settings, watch) as session:
        state = take_baseline(session.rooms, a_control())
        state = turn(turn(state, session.rooms, a_control()), session.rooms, a_control())
    return turns, state
