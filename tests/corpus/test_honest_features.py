"""Honest features of many shapes, tests first and code after: none of them is refused."""

import json
import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from dualgate.core.values.events import Event, TurnEnded
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Phase
from dualgate.session.loop import take_baseline, turn
from dualgate.session.open import new_session
from dualgate.settings import Settings
from dualgate.testing import a_control, a_host

DATA = Path(__file__).parent.parent / "data" / "features" / "features.txt"
SPEC = "# Feature\n\n## Goal\n\nIt.\n\n## Acceptance Criteria\n\n- AC-1: it works\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """What stands there before, the tests with what they import, and the code: path -> text."""

    name: str
    before: dict[str, str] = field(default_factory=dict)
    red: dict[str, str] = field(default_factory=dict)
    green: dict[str, str] = field(default_factory=dict)
    deleted: tuple[str, ...] = ()


def read_features(text: str) -> list[Feature]:
    """`## name`, then `@ before|red|green PATH` with the file below it, or `@ red-delete PATH`."""
    features = []
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        name, *files = re.split(r"(?:\A|\n)@ (?=before|red|green)", part)
        feature = Feature(name=name.strip())
        for file in files:
            head, _, body = file.partition("\n")
            when, path = head.split()
            if when == "red-delete":
                feature = Feature(
                    name=feature.name,
                    before=feature.before,
                    red=feature.red,
                    green=feature.green,
                    deleted=(*feature.deleted, path),
                )
            else:
                getattr(feature, when)[path] = body.strip("\n") + "\n"
        features.append(feature)
    return features


FEATURES = read_features(DATA.read_text(encoding="utf-8"))


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def scene(phase: Phase, files: dict[str, str], deleted: tuple[str, ...] = ()) -> str:
    lines = ["[[turn]]", f'phase = "{phase}"', f"delete = {json.dumps(list(deleted))}"]
    for path, text in files.items():
        lines += ["[[turn.write]]", f"path = {json.dumps(path)}", f"text = {json.dumps(text)}"]
    return "\n".join(lines) + "\n"


def test_there_are_many_features_of_different_names() -> None:
    assert len({feature.name for feature in FEATURES}) == len(FEATURES) >= 30


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.name.replace(" ", "-"))
def test_an_honest_feature_passes_red_and_green_at_once(
    feature: Feature, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "project"
    write(root, {"conftest.py": "", "SPEC.md": SPEC, "tests/test_old.py": "def test_old(): assert True\n"})
    write(root, feature.before)
    script = tmp_path / "script.toml"
    script.write_text(scene(Phase.RED, feature.red, feature.deleted) + scene(Phase.GREEN, feature.green))
    (tmp_path / "home").mkdir()
    for name in [name for name in os.environ if name.startswith(("DUALGATE_", "PRP_", "PYTEST_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    settings = Settings(agent=f"rehearsal:{script}", test_command=f"{sys.executable} -m pytest -q", retry_delay=0.0)
    refused: list[tuple[str, ...]] = []

    def watch(event: Event, state: LoopState) -> None:
        del state
        if isinstance(event, TurnEnded):
            refused.append(event.verdict.reasons)

    with new_session(root / "SPEC.md", a_host(root), settings, watch) as session:
        state = take_baseline(session.rooms, a_control())
        state = turn(turn(state, session.rooms, a_control()), session.rooms, a_control())

    assert refused == [(), ()]
    assert state.phase is Phase.REFACTOR
