"""Honest features of many shapes, tests first and code after: none of them is refused."""

import re
from pathlib import Path

import pytest

from dualgate.core.values.events import Event, TurnEnded
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Phase
from dualgate.session.loop import take_baseline, turn
from dualgate.session.open import new_session
from dualgate.testing import a_control, a_host
from tests.corpus.features import DATA, SPEC, Feature, accusing, features_of, settings_of, write

FEATURES = features_of(DATA / "features")
WITHOUT_NAME = ("[review]", "`test_")
"""Marks of criteria that no test can show, or that name their tests themselves."""


def test_there_are_many_features_of_different_names() -> None:
    assert len({feature.name for feature in FEATURES}) == len(FEATURES) >= 143


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.name.replace(" ", "-"))
def test_each_criterion_of_a_feature_is_named_by_a_test(feature: Feature) -> None:
    tested = [line for line in feature.criteria.splitlines() if not any(mark in line for mark in WITHOUT_NAME)]
    numbers = [number for line in tested for number in re.findall(r"^- AC-(\d+)", line)]
    tests = "".join((*feature.step("before").files.values(), *feature.step("red").files.values()))

    assert [number for number in numbers if not re.search(rf"(?i)ac[-_]?{number}(?!\d)", tests)] == []


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.name.replace(" ", "-"))
def test_an_honest_feature_passes_red_and_green_at_once(
    feature: Feature, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, script = tmp_path / "project", tmp_path / "script.toml"
    write(root, {"conftest.py": "", "tests/test_old.py": "def test_old(): assert True\n"})
    write(root, {"SPEC.md": SPEC.format(feature.criteria), **feature.step("before").files})
    script.write_text(feature.red + feature.green)
    turns: list[TurnEnded] = []

    def watch(event: Event, state: LoopState) -> None:
        del state
        if isinstance(event, TurnEnded):
            turns.append(event)

    with new_session(root / "SPEC.md", a_host(root), settings_of(script, monkeypatch), watch) as session:
        state = take_baseline(session.rooms, a_control())
        state = turn(turn(state, session.rooms, a_control()), session.rooms, a_control())

    assert [each.verdict.reasons for each in turns] == [(), ()]
    assert state.phase is Phase.REFACTOR
    assert [accusing(each.verdict.warnings) for each in turns] == [[], []]
    assert state.unproven == ()
