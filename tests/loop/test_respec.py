"""A specification that changes while a run is under way: ids stay, a person is asked, an agent may not edit it."""

import json
from pathlib import Path

import pytest

from dualgate.core.values.events import Event, TurnEnded
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Phase, Status
from dualgate.session.loop import run
from dualgate.session.open import new_session
from dualgate.settings import Settings
from dualgate.testing import a_control, a_host
from tests.conftest import SPEC
from tests.loop.conftest import HONEST, Dying
from tests.loop.scripts import GREEN, RED, REST
from tests.support import Dualgate, decisions

THREE = """\
# Doubling

## Acceptance Criteria

- [ ] double(2) is 4
- [ ] it knows the moon
- [ ] double("a") is "aa"
"""
RED_OF_THREE = (
    RED.replace("test_ac2_texts", "test_ac3_texts")
    + """
[[turn.write]]
path = "tests/test_moon.py"
text = '''
def test_ac2_moon():
    import doubling
    assert doubling.MOON
'''
"""
)
WITH_MOON = GREEN.replace("return x + x", "return x + x\\nMOON = 1")


def test_the_middle_criterion_is_removed_and_the_tests_of_the_third_still_prove_the_third(
    dying: Dying, dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    (project / "SPEC.md").write_text(THREE)
    (tmp_path / "script.toml").write_text(RED_OF_THREE + WITH_MOON + REST)
    dying(12, "after")  # the turn of RED has ended
    (project / "SPEC.md").write_text(THREE.replace("- [ ] it knows the moon\n", ""))

    shown = dualgate("status").out
    dying(9, "after", "resume", "--respec")  # in the middle of GREEN
    ended = dualgate("resume", "--json")

    assert "SPEC.md was changed: removed: AC-2 (was line 6)" in shown
    assert (ended.code, ended.lines[-1]["proven"], ended.err) == (0, True, "")
    assert {phase for phase, _ in decisions(ended)} == {"GREEN", "REFACTOR", "DOCUMENT", "QA"}
    resumed, again = [line["data"] for line in dualgate("log", "--json").lines if line["kind"] == "session.resumed"]
    assert resumed["respec"]["reopened"] == []
    assert (resumed["respec"]["dropped"], resumed["respec"]["kept"]) == (["AC-2"], ["AC-1", "AC-3"])
    assert ([each["id"] for each in resumed["criteria"]], again["criteria"]) == (["AC-1", "AC-3"], [])
    review = next((tmp_path / "home").rglob("calls/*-QA-prompt.md")).read_text()
    assert ("AC-3" in review, "AC-2" in review) == (True, False)
    assert dualgate("replay").code == 0


@pytest.fixture
def paused(project: Path, tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> LoopState:
    """A run in which a person adds a line of background after RED."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "script.toml").write_text(HONEST)

    def edit_after_red(event: Event, state: LoopState) -> None:
        if isinstance(event, TurnEnded) and state.phase is Phase.GREEN:
            (project / "SPEC.md").write_text(SPEC.replace("that doubles.", "that doubles.\nUse plain addition."))

    settings = Settings(
        agent=f"rehearsal:{tmp_path / 'script.toml'}", test_command=environment["DUALGATE_TEST_COMMAND"]
    )
    with new_session(project / "SPEC.md", a_host(project), settings, edit_after_red) as session:
        return run(session.state, session.rooms, a_control())


@pytest.mark.parametrize("way", ["--respec", "--keep-spec"])
def test_a_person_edits_the_specification_and_is_asked_which_one_counts(
    dualgate: Dualgate, project: Path, tmp_path: Path, paused: LoopState, way: str
) -> None:
    shown, told = dualgate("status"), dualgate("log").out
    as_json = dualgate("status", "--json").lines[0]
    before = dualgate("log", "--json").out
    refused = dualgate("resume")
    unchanged = dualgate("log", "--json").out
    ended = dualgate("resume", way, "--json")

    assert (paused.status, paused.phase, paused.pause_reason) == (Status.PAUSED, Phase.GREEN, "manual")
    assert all(f"dualgate resume {each}" in text for each in ("--respec", "--keep-spec") for text in (shown.out, told))
    assert "SPEC.md was changed: only context: line 6" in shown.out
    assert (as_json["spec_changed"], as_json["spec_changes"]) == (True, ["only context: line 6"])
    assert (refused.code, "--respec" in refused.err, "--keep-spec" in refused.err) == (1, True, True)
    assert before == unchanged
    assert (ended.code, ended.lines[-1]["proven"], ended.lines[-1]["spec_changed"]) == (0, True, False)
    assert ended.lines[-1]["touched"]["person"] == ["SPEC.md"]
    assert "Use plain addition." in (project / "SPEC.md").read_text()
    assert dualgate("replay").code == 0


def test_guidance_stays_in_force_when_a_changed_specification_is_adopted(
    dying: Dying, dualgate: Dualgate, project: Path
) -> None:
    dying(12, "after")  # the turn of RED has ended
    dualgate("guide", "use plain addition")
    (project / "SPEC.md").write_text(SPEC.replace("double(2) is 4", "double(2.0) is 4.0"))

    dying(3, "after", "resume", "--respec")

    assert json.loads(dualgate("status", "--json").out)["current_phase"] == "RED"
    assert dualgate("guide", "--list").out == "1  use plain addition\n"


def test_the_two_ways_exclude_each_other(dualgate: Dualgate) -> None:
    assert dualgate("resume", "--respec", "--keep-spec").code == 2


MEDDLING = """
[[turn]]
phase = "GREEN"
run = ["sed -i 's/is 4/is 5/' SPEC.md"]
"""


def test_an_agent_ticks_boxes_and_its_other_edits_are_reverted_and_never_pause(
    rehearse: Dualgate, dualgate: Dualgate, project: Path
) -> None:
    boxes = SPEC.replace("- AC", "- [ ] AC")
    (project / "SPEC.md").write_text(boxes)
    ticking = GREEN.replace("[[turn.write]]", "run = [\"sed -i 's/. . AC-1/[x] AC-1/' SPEC.md\"]\n[[turn.write]]")

    ended = rehearse(RED + MEDDLING + ticking + REST)

    assert (ended.code, decisions(ended)[1]) == (0, ("GREEN", "continue"))
    (violation,) = ended.lines[1]["violations"]
    assert (violation["path"], violation["reverted"]) == ("SPEC.md", True)
    assert (project / "SPEC.md").read_text() == boxes.replace("[ ] AC-1", "[x] AC-1")
    assert "double(2) is 5" in dualgate("snapshot", "show", violation["kept"], "SPEC.md").out
    assert f"dualgate snapshot restore {violation['kept']} SPEC.md" in dualgate("log").out
    assert ended.lines[-1]["spec_changed"] is False


def test_a_specification_outside_the_project_is_a_persons_whoever_edits_it(
    dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    (tmp_path / "SPEC.md").write_text(SPEC)
    (project / "SPEC.md").unlink()
    editing = RED.replace("[[turn.write]]", "run = [\"echo '- AC-3: it prints' >> ../SPEC.md\"]\n[[turn.write]]", 1)
    (tmp_path / "script.toml").write_text(editing + GREEN + REST)

    ended = dualgate("run", "../SPEC.md", "--agent", f"rehearsal:{tmp_path / 'script.toml'}", "--json")

    assert (ended.code, ended.lines[-1]["status"], ended.lines[-1]["agent_calls"]) == (130, "paused", 1)
    assert "../SPEC.md was changed: added: AC-3 (line 11)" in ended.err
    assert "it prints" in (tmp_path / "SPEC.md").read_text()
