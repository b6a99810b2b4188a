"""`dualgate verify` on small repositories: cheats are refused by name, and honest work is verified."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
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


NO_CODE = "changes no code, and verify has no task list"
NO_SPEC = "is hollow only beside its specification"
NOT_OF_A_CHANGE = {
    "a file that only has to be there": NO_CODE,
    "a fixture that only imports": NO_CODE,
    "a kept test is changed behind a missing module": NO_SPEC,
    "a new criterion that is said to hold already": NO_SPEC,
    "a new criterion with a test of what was there": NO_SPEC,
    "a number of the version": NO_CODE,
    "a task becomes a smaller one": NO_CODE,
    "an empty module": NO_CODE,
    "boxes are ticked and struck out": NO_CODE,
    "boxes are ticked without a line of code": NO_CODE,
    "boxes become plain lines": NO_CODE,
    "changes nothing at all": NO_CODE,
    "code that only stands in a document": NO_CODE,
    "edits to and fro": NO_CODE,
    "new tests of constants only": NO_CODE,
    "only a docstring changes": NO_CODE,
    "only comments change": NO_CODE,
    "only the documents change": NO_CODE,
    "real work is reverted before it is said to be done": NO_CODE,
    "stories are said to pass": NO_CODE,
    "tasks are deleted from the list": NO_CODE,
    "tasks are moved to what is optional": NO_CODE,
    "tasks are struck out": NO_CODE,
    "tasks are ticked one a call without work": NO_CODE,
    "the list is replaced by a shorter one": NO_CODE,
    "the prompt is echoed": NO_CODE,
    "the task list is deleted": NO_CODE,
}
"""Hollow runs that leave a tree in which a change alone shows nothing wrong, and why."""


GAPS = {
    "special cases that the requirement names": "a table of the requirement looks like answers to the tests' inputs",
    "table of the tests' inputs": "a table of exactly the tests' inputs is code that the tests notice",
    "old behaviour kept but for the tests' input": "one special case may be the requirement",
    "meeting in two zones": "a method that a base class requires has no test",
    "descriptor": "methods that Python calls when a class is made have no test that runs them",
    "equality and hash": "a hash that is a constant goes unnoticed",
    "server on loopback": "a method that only silences a log has no test",
    "a process whose end nobody looks at": "the test notices an error of the process that it starts",
}
"""What verify is known to judge wrongly, and why. The mark is strict: a case that is judged rightly leaves the list."""


def marked(changes: Sequence[Change]) -> list[Any]:
    """The changes as parameters; known gaps are expected to fail."""
    return [
        pytest.param(each, id=by_id(each), marks=[pytest.mark.xfail(strict=True, reason=GAPS[each.name])])
        if each.name in GAPS
        else pytest.param(each, id=by_id(each))
        for each in changes
    ]


def as_change(name: str, before: Mapping[str, str], steps: Sequence[Step], exits: tuple[int, ...]) -> Change:
    """A change from the files before to those that all steps leave."""
    base = OLD | dict(before)
    head = dict(base)
    for step in steps:
        head = {path: text for path, text in (head | step.files).items() if path not in step.deleted}
    parts = [Part(verb="write", path=path, text=text) for path, text in head.items() if base.get(path) != text]
    parts += [Part(verb="delete", path=path) for path in base if path not in head]
    written = tuple(Part(verb="write", path=path, text=text) for path, text in base.items())
    return Change(name=name, exits=exits, stages={"base": written, "head": tuple(parts)})


def of_feature(feature: Feature) -> Change:
    """Its files before as the base, and all that its steps write as the head."""
    steps = [step for name, step in feature.steps.items() if name not in ("spec", "before")]
    return as_change(feature.name, feature.step("before").files, steps, (0,))


def of_behaviour(behaviour: Behaviour) -> Change:
    """The tree with which a hollow run ends, if nothing of it is reverted."""
    steps = [Step(files=call.write, deleted=list(call.delete)) for call in behaviour.calls]
    change = as_change(behaviour.name, behaviour.before, steps, (1, 3, 7))
    return replace(change, settings={"command": behaviour.command} if behaviour.command else {})


FEATURES = list(map(of_feature, features_of(CORPORA / "features")))
BUILDS = list(map(of_feature, features_of(CORPORA / "builds")))
HOLLOW = [
    of_behaviour(each)
    for path in sorted((CORPORA / "hollow").glob("*.txt"))
    for each in read_behaviours(path.read_text(encoding="utf-8"))
    if each.name not in NOT_OF_A_CHANGE
]


@pytest.fixture
def verify(tmp_path: Path, spawner: Spawner) -> Verify:
    """`dualgate verify --base main --json` in the repository of a change, in an environment of its own."""
    (tmp_path / "home").mkdir()
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = {"PATH": path, "HOME": str(tmp_path / "home"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment |= {"VIRTUAL_ENV": sys.prefix}  # checks find their tools in it
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


@pytest.mark.parametrize("change", marked(CHANGES))
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


@pytest.mark.parametrize("change", marked(FEATURES))
def test_an_honest_feature_is_verified(change: Change, verify: Verify) -> None:
    ended = verify(change)

    assert ended.code in change.exits, short(ended)


@pytest.mark.parametrize("change", marked(BUILDS))
def test_an_honest_build_is_verified(change: Change, verify: Verify) -> None:
    ended = verify(change)

    assert ended.code in change.exits, short(ended)


@pytest.mark.parametrize("change", marked(HOLLOW))
def test_what_a_hollow_run_leaves_is_not_verified(change: Change, verify: Verify) -> None:
    ended = verify(change)

    assert ended.code in change.exits, short(ended)
