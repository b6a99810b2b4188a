"""Whole runs whose agent does the work and forgets the status block: one short call asks for it."""

from pathlib import Path

import pytest

from tests.loop.conftest import Dying
from tests.loop.scripts import GREEN, RED, REST
from tests.support import Dualgate, decisions

SILENT_GREEN = GREEN.replace('phase = "GREEN"', 'phase = "GREEN"\nsays = "It doubles."\nclaims = "nothing"')
STILL_SILENT = f'{SILENT_GREEN}\n[turn.follow_up]\nclaims = "nothing"\nsays = "I said it all."\n'
EDITING = """
[turn.follow_up]
claims = "done"
[[turn.follow_up.write]]
path = "{path}"
text = "def double(x): return 2 * x"
"""
ONWARD = [("GREEN", "next_phase"), ("REFACTOR", "next_phase"), ("DOCUMENT", "next_phase"), ("QA", "project_complete")]


def calls(dualgate: Dualgate) -> list[tuple[str, int, int]]:
    """Each call with its phase, its iteration, and the call that it follows."""
    started = [line["data"] for line in dualgate("log", "--json").lines if line["kind"] == "call.started"]
    return [(call["phase"], call["iteration"], call["follows"]) for call in started]


def test_a_block_that_alone_is_missing_costs_a_short_call_and_no_iteration(
    rehearse: Dualgate, dualgate: Dualgate, tmp_path: Path
) -> None:
    approving = 'Verdict: APPROVE"'
    silent_review = REST.replace(approving, f'{approving}\nclaims = "nothing"')

    ended = rehearse(RED + SILENT_GREEN + silent_review)

    assert decisions(ended) == [("RED", "next_phase"), *ONWARD]
    assert (ended.code, ended.lines[-1]["agent_calls"]) == (0, 7)
    assert calls(dualgate)[1:3] == [("GREEN", 1, 0), ("GREEN", 1, 2)]
    assert calls(dualgate)[-2:] == [("QA", 1, 0), ("QA", 1, 6)]
    (prompt,) = tmp_path.glob("home/.bp-sessions/*/calls/0003-GREEN-prompt.md")
    assert "Answer with the block only" in prompt.read_text()
    assert len(prompt.read_text()) < 1500
    assert "no status block; asking for it (call 3)" in dualgate("log").out


def test_an_agent_that_gives_no_block_again_loses_the_iteration(rehearse: Dualgate, dualgate: Dualgate) -> None:
    ended = rehearse(RED + STILL_SILENT + GREEN + REST)

    assert decisions(ended) == [("RED", "next_phase"), ("GREEN", "continue"), *ONWARD]
    assert [follows for phase, _, follows in calls(dualgate) if phase == "GREEN"] == [0, 2, 0]


def test_a_follow_up_that_changes_the_work_tree_is_an_iteration_of_its_own(
    rehearse: Dualgate, dualgate: Dualgate, project: Path
) -> None:
    ended = rehearse(RED + SILENT_GREEN + EDITING.format(path="doubling.py") + REST)

    assert decisions(ended) == [("RED", "next_phase"), ("GREEN", "continue"), *ONWARD]
    assert [call for call in calls(dualgate) if call[0] == "GREEN"] == [("GREEN", 1, 0), ("GREEN", 1, 2)]
    assert (project / "doubling.py").read_text() == "def double(x): return 2 * x"
    turns = [line for line in ended.lines if line.get("phase") == "GREEN"]
    assert [turn["iteration"] for turn in turns] == [1, 2]


def test_a_follow_up_that_changes_a_proven_test_is_a_violation(rehearse: Dualgate, project: Path) -> None:
    cheating = SILENT_GREEN + EDITING.format(path="tests/test_double.py")

    ended = rehearse(RED + cheating + GREEN + GREEN + REST)

    assert decisions(ended) == [("RED", "next_phase"), ("GREEN", "continue"), ("GREEN", "continue"), *ONWARD]
    assert "test_ac1_numbers" in (project / "tests" / "test_double.py").read_text()


def test_no_budget_no_follow_up(rehearse: Dualgate, dualgate: Dualgate) -> None:
    ended = rehearse(RED + SILENT_GREEN + REST, "--budget", "green.calls=1")

    assert decisions(ended) == [("RED", "next_phase"), ("GREEN", "continue")]
    assert ended.lines[-1]["ended_by"] == "budget_exhausted"
    assert all(not follows for *_, follows in calls(dualgate))


# the follow-up starts with event 20, it ends, the work tree settles, the first turn ends
MOMENTS = [
    (20, "after", "", [0, 2, 2], 5),
    (21, "after", "", [0, 2], 5),
    (22, "after", "", [0, 2], 5),
    (21, "before", "doubling.py", [0, 2, 2], 5),
    (21, "after", "doubling.py", [0, 2], 6),
    (22, "after", "doubling.py", [0, 2], 6),
    (23, "after", "doubling.py", [0, 2], 6),
]


@pytest.mark.parametrize(("number", "moment", "edited", "asked", "turns"), MOMENTS)
def test_a_run_that_dies_around_a_follow_up_neither_repeats_the_first_call_nor_loses_an_answer(
    dying: Dying,
    dualgate: Dualgate,
    tmp_path: Path,
    number: int,
    moment: str,
    edited: str,
    asked: list[int],
    turns: int,
) -> None:
    more = EDITING.format(path=edited) if edited else ""
    (tmp_path / "script.toml").write_text(RED + SILENT_GREEN + more + REST)
    assert dying(number, moment) == -9

    ended = dualgate("resume", "--json")

    assert (ended.code, ended.lines[-1]["proven"], ended.lines[-1]["touched"]["person"]) == (0, True, [])
    assert [follows for phase, _, follows in calls(dualgate) if phase == "GREEN"] == asked
    kinds = [line["kind"] for line in dualgate("log", "--json").lines]
    assert kinds.count("turn.ended") == turns
    assert kinds.count("call.started") == ended.lines[-1]["agent_calls"] == 4 + len(asked)
