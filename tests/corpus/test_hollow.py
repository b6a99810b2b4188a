"""Agents that are lazy, confused or lying: none of them ends as proven, and the reason names what is hollow."""

import ast
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from dualgate.core.values.events import Event, TurnEnded
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Phase, Workflow
from dualgate.display.summary import summary
from dualgate.session.loop import run
from dualgate.session.open import new_session
from dualgate.settings import Settings
from dualgate.testing import a_control, a_host
from tests.corpus.behaviours import Behaviour, Call, read_behaviours

DATA = Path(__file__).parent.parent / "data" / "hollow"
BEHAVIOURS = [each for path in sorted(DATA.glob("*.txt")) for each in read_behaviours(path.read_text(encoding="utf-8"))]
SPEC = "# Feature\n\n## Goal\n\nWhat the criteria say.\n\n## Acceptance Criteria\n\n{}\n"
CRITERION = "- AC-1: `fee(amount)` is 2 percent of the amount, rounded down, and at least 1"
PROMPT = "Work on the open tasks of IMPLEMENTATION_PLAN.md, one after the other, with tests.\n"
OLD = "def test_old():\n    assert sorted([2, 1]) == [1, 2]\n"
APPROVAL = """\
Phase: CODE_REVIEW
Status: passed

Phase: ARCHITECTURE
Status: passed

T-1: justified tests/test_old.py:1 the feature changes what is tested

Verdict: APPROVE"""
"""A reviewer that approves everything, and justifies whatever it is asked about."""
REST = (Call(phase=Phase.REFACTOR), Call(phase=Phase.DOCUMENT), Call(phase=Phase.QA, says=APPROVAL))


def script_of(calls: Iterable[Call]) -> str:
    """The script of the rehearsal agent; phases of which a behaviour says nothing are passed without work."""
    calls = tuple(calls)
    played = {call.phase for call in calls}
    return "\n".join(map(scene, (*calls, *(call for call in REST if call.phase not in played))))


def scene(call: Call) -> str:
    lines = ["[[turn]]", f'phase = "{call.phase}"', f"delete = {json.dumps(call.delete)}"]
    lines += [f"says = {json.dumps(call.says)}", f"claims = {json.dumps(call.claims)}"]
    for path, text in call.write.items():
        lines += ["[[turn.write]]", f"path = {json.dumps(path)}", f"text = {json.dumps(text)}"]
    return "\n".join(lines)


def write(root: Path, behaviour: Behaviour) -> Path:
    """Write the project as it is before the run, and return the document that the run is given."""
    document = "PROMPT.md" if behaviour.has_task_list else "SPEC.md"
    spec = SPEC.format("\n".join(behaviour.criteria or (CRITERION,)))
    files = {"conftest.py": "", "tests/test_old.py": OLD, document: PROMPT if behaviour.has_task_list else spec}
    for name, text in (files | behaviour.before).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root / document


def ended(behaviour: Behaviour, folder: Path) -> tuple[LoopState, tuple[str, ...]]:
    """Run a behaviour to its end: the last state, and every reason that is given for it."""
    root, script = folder / "project", folder / "script.toml"
    document = write(root, behaviour)
    script.write_text(script_of(behaviour.calls))
    command = behaviour.command or "{python} -m pytest -q"
    settings = Settings(
        agent=f"rehearsal:{script}",
        workflow=Workflow.RALPH if behaviour.has_task_list else Workflow.TDD,
        test_command=command.replace("{python}", sys.executable),
        max_iterations=6,
        retry_delay=0.0,
        documents=0,  # documents are no part of what is tried here
        adr_required=False,
    )
    last: list[tuple[str, ...]] = [()]

    def watch(event: Event, state: LoopState) -> None:
        del state
        if isinstance(event, TurnEnded):
            last.append(event.verdict.reasons)

    with new_session(document, a_host(root), settings, watch) as session:
        state = run(session.state, session.rooms, a_control())
    return state, (*state.unproven, state.halt_reason or "", *last[-1])


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new home, and nothing in the environment of whoever runs these tests."""
    for name in [name for name in os.environ if name.startswith(("DUALGATE_", "PRP_", "PYTEST_"))]:
        monkeypatch.delenv(name)
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return tmp_path


def test_there_are_many_behaviours_of_different_names() -> None:
    assert len({behaviour.name for behaviour in BEHAVIOURS}) == len(BEHAVIOURS)
    assert len([behaviour for behaviour in BEHAVIOURS if not behaviour.may_be_warned]) >= 70


def test_every_behaviour_is_well_formed() -> None:
    for behaviour in BEHAVIOURS:
        assert all(behaviour.names), behaviour.name
        assert behaviour.calls, behaviour.name
        for path, text in behaviour.files:
            if path.endswith(".py"):
                ast.parse(text, f"{behaviour.name}: {path}")
            if path.endswith(".json"):
                json.loads(text)


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda behaviour: behaviour.name.replace(" ", "-"))
def test_a_hollow_run_is_not_proven_and_the_reason_names_what_is_hollow(behaviour: Behaviour, home: Path) -> None:
    state, reasons = ended(behaviour, home)
    is_proven = state.proven
    shown = (summary(state),) if behaviour.may_be_warned else ()
    told = "\n".join((*reasons, *shown))

    assert behaviour.may_be_warned or not is_proven
    assert [name for name in behaviour.names if name in told], f"none of {behaviour.names} is named in: {told}"
