"""`dualgate verify` on small repositories: cheats are refused by name, and honest work is verified."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.corpus.behaviours import Behaviour, read_behaviours
from tests.corpus.changes import DATA, Change, Part, changes_of
from tests.corpus.features import Feature, Step, features_of
from tests.corpus.repositories import made
from tests.spawner import Spawner
from tests.support import Ended

CALL_LIMIT = 300
CORPORA = DATA.parent
CHANGES = changes_of(DATA)
HOMES = {"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup"}
"""Folders of a person's home in which cargo finds itself."""
OLD = {"conftest.py": "", "tests/test_old.py": "def test_old():\n    assert sorted([2, 1]) == [1, 2]\n"}
Verify = Callable[[Change], Ended]


def parts_of(files: Mapping[str, str], deleted: Sequence[str] = ()) -> tuple[Part, ...]:
    written = tuple(Part(verb="write", path=path, text=text) for path, text in files.items())
    return (*(Part(verb="delete", path=path) for path in deleted), *written)


def as_change(name: str, before: Mapping[str, str], steps: Sequence[Step], exits: tuple[int, ...]) -> Change:
    head = tuple(part for step in steps for part in parts_of(step.files, step.deleted))
    return Change(name=name, exits=exits, stages={"base": parts_of(OLD | dict(before)), "head": head})


def of_feature(feature: Feature) -> Change:
    """Its files before as the base, and all that its steps write as the head."""
    steps = [step for name, step in feature.steps.items() if name not in ("spec", "before")]
    return as_change(feature.name, feature.step("before").files, steps, (0,))


def of_behaviour(behaviour: Behaviour) -> Change:
    """The tree with which a hollow run ends, if nothing of it is reverted."""
    steps = [Step(files=call.write, deleted=list(call.delete)) for call in behaviour.calls]
    return as_change(behaviour.name, behaviour.before, steps, (1, 3, 7))


FEATURES = list(map(of_feature, features_of(CORPORA / "features")))
BUILDS = list(map(of_feature, features_of(CORPORA / "builds")))
HOLLOW = [
    of_behaviour(each)
    for path in sorted((CORPORA / "hollow").glob("*.txt"))
    for each in read_behaviours(path.read_text(encoding="utf-8"))
]


@pytest.fixture
def verify(tmp_path: Path, spawner: Spawner) -> Verify:
    """`dualgate verify --base main --json` in the repository of a change, in an environment of its own."""
    (tmp_path / "home").mkdir()
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = {"PATH": path, "HOME": str(tmp_path / "home"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment |= {name: os.environ[name] for name in ("LANG", "TMPDIR") if name in os.environ}
    environment |= {name: os.environ.get(name, str(Path.home() / folder)) for name, folder in HOMES.items()}

    def call(change: Change) -> Ended:
        folder = made(change, tmp_path / "repository") / change.settings.get("folder", "")
        words = ["verify", "--base", "main", "--json", *change.settings.get("options", "").split()]
        command = change.settings.get("command", "{python} -m pytest -q").replace("{python}", sys.executable)
        variables = {} if command == "detected" else {"DUALGATE_TEST_COMMAND": command}
        if "whole" not in change.settings:
            return spawner.call(words, folder, environment | variables, CALL_LIMIT)
        ended = subprocess.run(
            [sys.executable, "-m", "dualgate", *words],
            cwd=folder,
            env=environment | variables,
            capture_output=True,
            text=True,
            timeout=CALL_LIMIT,
        )
        return Ended(code=ended.returncode, out=ended.stdout, err=ended.stderr)

    return call


def findings_of(ended: Ended) -> list[dict[str, Any]]:
    """Those that decide, and the notes."""
    said = json.loads(ended.out)
    return [*said["findings"], *said["notes"]]


def named(finding: Mapping[str, Any]) -> str:
    return " ".join(str(finding.get(key) or "") for key in ("text", "test", "file", "subject"))


def short(ended: Ended) -> str:
    """What is shown where a verdict is wrong."""
    try:
        lines = [f"{each['weight']}, {each['rule']}: {named(each)}" for each in findings_of(ended)]
    except ValueError:
        lines = [ended.out]
    return "\n".join((f"exit {ended.code}", *lines, ended.err[-2000:]))


def by_id(change: Change) -> str:
    return change.id


@pytest.mark.parametrize("change", CHANGES, ids=by_id)
def test_a_change_gets_the_verdict_that_it_deserves(change: Change, verify: Verify) -> None:
    for program in change.listed("needs"):
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed")

    ended = verify(change)

    assert ended.code in change.exits, short(ended)
    findings = findings_of(ended)
    if change.rules:
        deciding = [named(each) for each in findings if each["weight"] != "note" and each["rule"] in change.rules]
        assert [text for text in deciding for name in change.listed("names") if name in text], short(ended)
    notes = {each["rule"] for each in findings if each["weight"] == "note"}
    assert set(change.notes) <= notes, short(ended)


@pytest.mark.parametrize("change", FEATURES, ids=by_id)
def test_an_honest_feature_is_verified(change: Change, verify: Verify) -> None:
    ended = verify(change)

    assert ended.code in change.exits, short(ended)


@pytest.mark.parametrize("change", BUILDS, ids=by_id)
def test_an_honest_build_is_verified(change: Change, verify: Verify) -> None:
    ended = verify(change)

    assert ended.code in change.exits, short(ended)


@pytest.mark.parametrize("change", HOLLOW, ids=by_id)
def test_what_a_hollow_run_leaves_is_not_verified(change: Change, verify: Verify) -> None:
    ended = verify(change)

    assert ended.code in change.exits, short(ended)
