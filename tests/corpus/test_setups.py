"""Honest work in projects whose tests are run in many ways: plug-ins, layouts, tools. None of it is refused."""

import os
import subprocess
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
from tests.corpus.packages import environment

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
SETUPS = features_of(DATA / "setups")
REFUSED = {
    "examples in docstrings and in the readme": "an example that GREEN adds to a docstring changes a proven test",
    "scenarios of a feature file": "the assertions of steps are not seen to notice anything",
}
"""Honest work that is refused all the same, and why."""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter with the plug-ins; `SETUPS_PYTHON` names one that has them already."""
    named = os.environ.get("SETUPS_PYTHON")
    return Path(named) if named else environment(PACKAGES, tmp_path_factory.mktemp("setups"))


@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: setup.name.replace(" ", "-"))
def test_honest_work_passes_red_and_green_at_once(
    setup: Feature, python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if reason := REFUSED.get(setup.name):
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
    root, script = tmp_path / "project", tmp_path / "script.toml"
    write(root, {"SPEC.md": SPEC.format(setup.criteria), **setup.step("before").files})
    subprocess.run("git init -q && git add -A", shell=True, cwd=root, check=True)
    script.write_text(setup.red + setup.green)
    settings = settings_of(script, monkeypatch, test_command=f"{python} -m pytest -q")
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")

    turns, state = red_and_green(root, settings)

    assert [each.verdict.reasons for each in turns] == [(), ()]
    assert state.phase is Phase.REFACTOR
    assert [accusing(each.verdict.warnings) for each in turns] == [[], []]
    assert state.unproven == ()


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
