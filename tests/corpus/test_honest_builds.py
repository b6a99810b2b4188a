"""Honest runs over a task list, in one call or several: all of them end proven."""

from pathlib import Path

import pytest

from dualgate.core.values.events import Event, TurnEnded
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Workflow
from dualgate.session.loop import run
from dualgate.session.open import new_session
from dualgate.testing import a_control, a_host
from tests.corpus.features import DATA, Feature, accusing, features_of, settings_of, write

BUILDS = features_of(DATA / "builds")
PROMPT = "# The work\n\nDo what the task list says, one task after the other.\n"


def test_there_are_many_builds_of_different_names() -> None:
    assert len({build.name for build in BUILDS}) == len(BUILDS) >= 14


@pytest.mark.parametrize("build", BUILDS, ids=lambda build: build.name.replace(" ", "-"))
def test_an_honest_build_ends_proven(build: Feature, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, script = tmp_path / "project", tmp_path / "script.toml"
    write(root, {"conftest.py": "", "PROMPT.md": PROMPT, **build.step("before").files})
    script.write_text("".join(build.builds))
    turns: list[TurnEnded] = []

    def watch(event: Event, state: LoopState) -> None:
        del state
        if isinstance(event, TurnEnded):
            turns.append(event)

    settings = settings_of(script, monkeypatch, workflow=Workflow.RALPH, wait=False)
    with new_session(None, a_host(root), settings, watch) as session:
        state = run(session.state, session.rooms, a_control())

    assert (state.status, state.unproven, len(turns)) == ("completed", (), len(build.builds))
    assert [accusing(each.verdict.warnings) for each in turns] == [[] for _ in turns]
    assert state.proven
