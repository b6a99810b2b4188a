"""A run that was cut off goes on where it was: nothing is lost, nothing is done or counted twice."""

import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

from tests.agents.played import heard, play, whole_answer
from tests.loop.conftest import HONEST, Dying
from tests.loop.scripts import GREEN, RED, REST
from tests.loop.test_journeys import CHEATS
from tests.loop.test_refactoring import BREAKING
from tests.support import Dualgate, decisions

WITHOUT_STUB = RED.partition('[[turn.write]]\npath = "doubling.py"')[0]
PHASES = ["RED", "GREEN", "REFACTOR", "DOCUMENT", "QA"]


def counted(dualgate: Dualgate) -> Counter[str]:
    return Counter(line["kind"] for line in dualgate("log", "--json").lines)


def test_without_its_snapshots_a_session_is_left_as_it_is(dying: Dying, dualgate: Dualgate, tmp_path: Path) -> None:
    dying(12, "after")  # the first turn has ended
    store = tmp_path / "home" / ".bp-sessions" / ".snapshots"
    aside = store.rename(tmp_path / "snapshots")
    before = dualgate("log", "--json").out

    refused = dualgate("resume", "--json")

    assert (refused.code, refused.lines[-1]["error"]["kind"]) == (1, "SnapshotMissing")
    assert dualgate("log", "--json").out == before
    shutil.rmtree(store)
    aside.rename(store)
    assert dualgate("resume", "--json").code == 0


def test_what_a_session_goes_on_with_is_not_pruned_also_where_no_snapshot_was_taken_of_it(
    dying: Dying, dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    dying(12, "after")  # the first turn has ended
    (project / "notes.txt").write_text("mine")
    (tmp_path / "script.toml").write_text('[[turn]]\nphase = "GREEN"\n' * 3)
    halted = dualgate("resume", "--json")
    (tmp_path / "script.toml").write_text(HONEST)

    dualgate("snapshot", "prune", "--keep-last", "0", "--keep-days", "0")
    dualgate("reset")
    ended = dualgate("resume", "--json")

    assert (halted.code, ended.code, ended.lines[-1]["touched"]["person"]) == (3, 0, ["notes.txt"])


def test_a_completed_session_prints_its_result(dualgate: Dualgate, script: str) -> None:
    first = dualgate("run", "SPEC.md", "--agent", script, "--json")

    again = dualgate("resume", "--json")

    assert (again.code, again.lines) == (0, [first.lines[-1]])


def test_without_a_session_there_is_nothing_to_resume(dualgate: Dualgate) -> None:
    ended = dualgate("resume")

    assert (ended.code, "There is no session" in ended.err) == (1, True)


def test_a_halted_run_waits_for_a_reset_and_then_goes_on(dualgate: Dualgate, tmp_path: Path, script: str) -> None:
    lying = dualgate("run", "SPEC.md", "--agent", "rehearsal:lying", "--json")
    refused = dualgate("resume", "--json")
    dualgate("reset", "--guidance", "write the code")

    ended = dualgate("resume", "--agent", script, "--json")

    assert (lying.code, refused.code, refused.lines[-1]["status"]) == (3, 3, "halted")
    assert decisions(ended)[0][0] == "GREEN"
    prompts = (tmp_path / "home").rglob("calls/*-prompt.md")
    assert any("write the code" in prompt.read_text() for prompt in prompts)


def test_what_a_person_changed_while_nothing_ran_is_theirs(dying: Dying, dualgate: Dualgate, project: Path) -> None:
    dying(12, "after")  # the first turn has ended
    (project / "notes.txt").write_text("mine")

    ended = dualgate("resume", "--json")

    assert (ended.code, ended.lines[-1]["touched"]["person"]) == (0, ["notes.txt"])
    assert "notes.txt" not in ended.lines[-1]["touched"]["agent"]


def test_proven_tests_that_a_person_took_away_prove_nothing(
    dying: Dying, dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    (tmp_path / "script.toml").write_text(RED + '[[turn]]\nphase = "RED"\n' + GREEN + REST)
    dying(12, "after")  # the first turn has ended
    (project / "tests" / "test_double.py").unlink()

    ended = dualgate("resume", "--json")

    assert (ended.code, ended.lines[-1]["status"], ended.lines[-1]["proven"]) == (7, "completed", False)
    assert "a person removed the proven tests of AC-1, AC-2" in ended.lines[-1]["unproven"]
    assert decisions(ended)[:3] == [("GREEN", "rewrite_tests"), ("RED", "continue"), ("RED", "keep_tests")]
    assert "you deleted proven tests" in dualgate("log").out
    assert dualgate("replay").code == 0


def test_what_a_person_changed_in_the_middle_of_a_turn_asks_no_agent_again(
    dying: Dying, dualgate: Dualgate, project: Path
) -> None:
    dying(17, "after")  # GREEN's tests ran once
    (project / "notes.txt").write_text("mine")

    ended = dualgate("resume", "--json")

    assert (ended.code, ended.lines[-1]["touched"]["person"]) == (0, ["notes.txt"])
    assert (ended.lines[-1]["agent_calls"], counted(dualgate)["call.interrupted"]) == (5, 0)


def test_what_tests_left_that_were_killed_is_not_taken_for_a_persons(
    dying: Dying, dualgate: Dualgate, project: Path
) -> None:
    dying(16, "after")  # GREEN's tests began
    frozen = (project / "tests" / "test_double.py").read_text()
    (project / "tests" / "test_double.py").write_text("def test_ac1_numbers(): pass\ndef test_ac2_texts(): pass\n")
    (project / "scratch.tmp").write_text("half")

    ended = dualgate("resume", "--json")

    assert (project / "tests" / "test_double.py").read_text() == frozen
    assert (ended.lines[-1]["touched"]["person"], ended.lines[-1]["agent_calls"]) == ([], 6)
    assert (ended.code, ended.lines[0]["decision"]) == (0, "continue")


def test_a_baseline_that_was_cut_off_is_taken_of_the_tree_as_it_is(
    dying: Dying, dualgate: Dualgate, project: Path
) -> None:
    dying(4, "after")  # its second run began
    (project / "notes.txt").write_text("mine")

    ended = dualgate("resume", "--json")

    assert (ended.code, "notes.txt" in ended.lines[-1]["touched"]["agent"]) == (0, False)
    assert (project / "notes.txt").read_text() == "mine"


def test_a_resume_says_how_to_undo_what_it_restored_after_a_kill_in_a_trial(
    dying: Dying, dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    test = project / "tests" / "test_double.py"
    (tmp_path / "script.toml").write_text(WITHOUT_STUB + GREEN + REST)
    dying(13, "after")  # the tests of RED's trial began
    test.write_text("# mine\n" + test.read_text())

    ended = dualgate("resume", "--json")

    undo = ended.err.partition("undo with: dualgate ")[2].split()
    assert (ended.code, "restored the work that a killed step had switched" in ended.err) == (0, True)
    assert not test.read_text().startswith("# mine")
    assert dualgate(*undo, "tests/test_double.py", "--yes").code == 0
    assert test.read_text().startswith("# mine")


def test_a_roll_back_that_was_not_told_is_no_edit_of_a_person(
    dying: Dying, dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    (tmp_path / "script.toml").write_text(RED + GREEN + BREAKING + REST)
    dying(28, "before")  # the turn of REFACTOR ends

    ended = dualgate("resume", "--json")

    assert (ended.code, ended.lines[-1]["touched"]["person"]) == (0, [])
    assert sorted(ended.lines[0]["rolled_back"]["paths"]) == ["doubling.py", "leftover.py"]
    assert (project / "doubling.py").read_text() == "def double(x): return x + x"


def test_what_the_guard_undid_is_told_though_it_was_killed_before_it_could(
    dying: Dying, dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    (tmp_path / "script.toml").write_text(RED + '[[turn]]\nphase = "GREEN"\n' + CHEATS["test weakened"] + GREEN + REST)
    dying(15, "before")  # the tree of GREEN is settled
    is_undone = "assert double" in (project / "tests" / "test_double.py").read_text()

    ended = dualgate("resume", "--json")

    assert (is_undone, ended.code) == (True, 0)
    (violation,) = ended.lines[0]["violations"]
    assert (violation["path"], violation["reverted"]) == ("tests/test_double.py", True)
    assert decisions(ended)[:2] == [("GREEN", "continue"), ("GREEN", "next_phase")]


def left_at_work(project: Path, environment: dict[str, str]) -> psutil.Process:
    """The agent of a run that was killed."""
    (project / "agent.sh").write_text("echo $$ > agent.pid.part; mv agent.pid.part agent.pid; exec sleep 600\n")
    words = [sys.executable, "-m", "dualgate", "run", "SPEC.md", "--agent-command", "sh agent.sh"]
    with subprocess.Popen(words, cwd=project, env=environment, stdout=subprocess.DEVNULL) as run:
        while not (project / "agent.pid").exists():
            assert run.poll() is None
            time.sleep(0.05)
        run.kill()
    return psutil.Process(int((project / "agent.pid").read_text()))


def test_what_a_killed_run_left_at_work_is_ended_first(
    dualgate: Dualgate, project: Path, environment: dict[str, str], script: str
) -> None:
    agent = left_at_work(project, environment)

    ended = dualgate("resume", "--agent", script, "--json")

    assert (ended.code, f"a process that a killed run left: {agent.pid}" in ended.err) == (0, True)
    assert counted(dualgate)["leftovers.ended"] == 1
    assert not agent.is_running() or agent.status() == psutil.STATUS_ZOMBIE


@pytest.mark.parametrize("words", ["sessions archive", "snapshot restore", "guard check --undo --phase green --since"])
def test_what_a_killed_run_left_at_work_is_ended_before_its_work_is_changed(
    dualgate: Dualgate, project: Path, environment: dict[str, str], words: str
) -> None:
    agent = left_at_work(project, environment)
    saved = dualgate("snapshot", "save", "--json").lines[0]["id"]

    ended = dualgate(*words.split(), *(() if words == "sessions archive" else (saved,)))

    assert (ended.code, f"a process that a killed run left: {agent.pid}" in ended.err) == (0, True)
    assert not agent.is_running() or agent.status() == psutil.STATUS_ZOMBIE


def test_a_run_that_died_in_its_first_line_is_begun_again(dying: Dying, dualgate: Dualgate, script: str) -> None:
    dying(1, "torn")

    refused = dualgate("resume")
    ended = dualgate("run", "SPEC.md", "--agent", script, "--json")

    assert (refused.code, "Start over with: dualgate run" in refused.err) == (1, True)
    assert (ended.code, ended.lines[-1]["status"]) == (0, "completed")


def test_the_agents_own_session_goes_on_after_a_kill(dying: Dying, dualgate: Dualgate, tmp_path: Path) -> None:
    found = play(tmp_path / "bin", "claude", whole_answer("claude", "")) | {"ANTHROPIC_API_KEY": "sk-dummy"}
    died = dying(8, "after", "run", "SPEC.md", "--agent", "claude", "--sandbox", "none", **found)
    first = heard(tmp_path / "bin")

    resumed = dualgate("resume", **found)

    assert (died, len(first), resumed.code) == (-9, 1, 3)
    second = heard(tmp_path / "bin")[1]["argv"]
    assert isinstance(second, list)
    assert "--resume" in second


WEAKER = RED.replace("assert double", "assert True or double").replace("assert a == b", "pass")
NAMED = """
[[turn.write]]
path = "tests/test_name.py"
text = '''
import doubling

def test_ac3_name():
    assert doubling.NAME == "double"
'''
"""
WITH_A_NAME = GREEN.replace("return x + x", "return x + x\\nNAME = 'double'")


def test_a_criterion_that_is_added_on_the_way_is_proven_red_and_the_others_stay_proven(
    dying: Dying, dualgate: Dualgate, project: Path, tmp_path: Path
) -> None:
    dying(17, "after")  # GREEN's tests ran once
    spec = project / "SPEC.md"
    spec.write_text(spec.read_text().rstrip("\n") + "\n- AC-3: it has a name\n")
    (tmp_path / "script.toml").write_text(RED + WEAKER + NAMED + RED + NAMED + WITH_A_NAME + REST)

    told = dualgate("status").out
    ended = dualgate("resume", "--respec", "--json")

    assert "SPEC.md was changed" in told
    assert ended.err == ""
    assert decisions(ended)[:3] == [("RED", "continue"), ("RED", "next_phase"), ("GREEN", "next_phase")]
    first, second = ended.lines[0]["reasons"][:2]
    assert "tests were proven for criteria that did not change" in first
    assert second.startswith("tests/helper.py: proven tests of unchanged criteria depend on this file")
    assert (ended.code, ended.lines[-1]["phases_completed"]) == (0, PHASES)
    assert dualgate("replay").code == 0
