"""Whole runs in which a person approves or rejects: finished work, a changed test, and a question of the agent."""

import json
import platform
from pathlib import Path

import pytest

from tests.loop.conftest import HONEST, Dying
from tests.loop.scripts import GREEN, REST
from tests.loop.test_amendments import FILING, WRONG
from tests.support import Dualgate

ADA = f"ada@{platform.node()}"
HUMAN = ("--approve", "human")
AFTER_REJECTION = (
    GREEN.replace("return x + x", "return x * 2")
    + """
[[turn]]
phase = "REFACTOR"
[[turn]]
phase = "DOCUMENT"
[[turn]]
phase = "QA"
says = "Phase: CODE_REVIEW\\nStatus: passed\\n\\nVerdict: APPROVE"
"""
)


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    return environment | {"DUALGATE_SENSITIVITY": "off", "USER": "ada"}


def journal(environment: dict[str, str]) -> list[dict[str, object]]:
    folder = Path(environment["HOME"]) / ".bp-sessions" / "doubling"
    return [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]


def test_finished_work_waits_until_a_person_approves_it(
    rehearse: Dualgate, dualgate: Dualgate, environment: dict[str, str]
) -> None:
    place = Path(environment["HOME"]) / ".bp-sessions" / "doubling"
    ended = rehearse(HONEST, *HUMAN)
    again = dualgate("resume", "--json")
    shown, listed = dualgate("status").out, dualgate("sessions").out
    (place / "metrics.json").unlink()
    by_journal = dualgate("sessions").out
    refused = dualgate("skip", "QA", "--yes")
    approved = dualgate("approve", "--json")

    assert (ended.code, ended.lines[-1]["status"], ended.lines[-1]["proven"]) == (130, "paused", False)
    assert [way["command"] for way in ended.lines[-1]["next"]][:2] == ["dualgate approve", "dualgate reject 'REASON'"]
    assert (again.code, again.lines[-1]["agent_calls"]) == (130, ended.lines[-1]["agent_calls"])
    assert "waits for approval: dualgate approve | dualgate reject 'REASON'" in shown
    assert ["paused, waits for approval" in each for each in (listed, by_journal)] == [True, True]
    assert (refused.code, "waits for approval" in refused.err) == (1, True)
    assert (approved.code, approved.lines[0]["status"], approved.lines[0]["proven"]) == (0, "completed", True)
    last = journal(environment)[-1]
    assert (last["kind"], last["data"]["by"], bool(last["data"]["tree"])) == ("work.approved", ADA, True)  # type: ignore[index]
    assert f"the finished work, by {ADA}" in dualgate("status").out
    assert dualgate("replay").code == 0
    assert dualgate("approve").code == 1


def test_work_that_changed_since_its_proof_is_not_approved_but_proven_again(
    rehearse: Dualgate, dualgate: Dualgate, project: Path
) -> None:
    rehearse(HONEST, *HUMAN)
    (project / "doubling.py").write_text("def double(x): return x + x  # mine\n")

    refused = dualgate("approve")
    resumed = dualgate("resume", "--json")
    approved = dualgate("approve")

    assert (refused.code, "changed since it was proven: doubling.py" in refused.err) == (1, True)
    assert (resumed.code, resumed.lines[0]["phase"], resumed.lines[0]["decision"]) == (130, "QA", "await_approval")
    assert approved.code == 0


def test_rejected_work_goes_back_to_green_with_the_reason(
    rehearse: Dualgate, dualgate: Dualgate, environment: dict[str, str], project: Path
) -> None:
    rehearse(HONEST + AFTER_REJECTION, *HUMAN)

    rejected = dualgate("reject", "multiply instead")
    resumed = dualgate("resume", "--json")

    assert rejected.out.startswith(f"rejected by {ADA} → GREEN: multiply instead\n")
    assert "Go on with: dualgate resume" in rejected.out
    phases = [(line["phase"], line["decision"]) for line in resumed.lines[:-1]]
    assert phases[0] == ("GREEN", "next_phase")
    assert phases[-1] == ("QA", "await_approval")
    assert "x * 2" in (project / "doubling.py").read_text()
    folder = Path(environment["HOME"]) / ".bp-sessions" / "doubling"
    prompts = sorted((folder / "calls").glob("*-GREEN-prompt.md"))
    assert "multiply instead" in prompts[-1].read_text()


def test_an_approved_amendment_is_proven_before_it_is_applied(
    rehearse: Dualgate, dualgate: Dualgate, project: Path, environment: dict[str, str]
) -> None:
    halted = rehearse(WRONG + FILING + GREEN + REST, "--amend", "human")
    listed = dualgate("approve", "--list").out
    approved = dualgate("approve", "1")
    resumed = dualgate("resume", "--json")

    assert (halted.code, "dualgate approve" in [way["command"] for way in halted.lines[-1]["next"]]) == (4, True)
    assert listed.startswith("1  the change of tests/test_double.py::test_ac1_numbers\n")
    assert "+    check(double(2), 4)" in listed
    assert (approved.code, f"approved by {ADA}; it is applied if it is proven" in approved.out) == (0, True)
    assert (resumed.code, resumed.lines[-1]["proven"]) == (0, True)
    assert "check(double(2), 4)" in (project / "tests" / "test_double.py").read_text()
    decided = [each["data"] for each in journal(environment) if each["kind"] == "amendment.decided"]
    assert [each["amendment"]["outcome"] for each in decided] == ["waiting", "accepted"]  # type: ignore[index]
    assert decided[1]["amendment"]["approved_by"] == ADA  # type: ignore[index]
    assert dualgate("replay").code == 0


def test_an_approved_amendment_whose_proof_fails_is_refused_and_the_agent_learns_it(
    rehearse: Dualgate, dualgate: Dualgate, project: Path, environment: dict[str, str]
) -> None:
    easy = FILING.replace("+    check(double(2), 4)", "+    assert True")
    rehearse(WRONG + easy + GREEN, "--amend", "human", "--max-iterations", "2")

    dualgate("approve")
    resumed = dualgate("resume")

    assert "refused: it passes without the work, on the tree of RED" in resumed.out
    assert "check(double(2), 5)" in (project / "tests" / "test_double.py").read_text()
    folder = Path(environment["HOME"]) / ".bp-sessions" / "doubling"
    prompt = sorted((folder / "calls").glob("*-GREEN-prompt.md"))[-1].read_text()
    assert "It was not accepted" in prompt
    assert "passes without the work" in prompt


def test_a_rejected_amendment_is_told_to_the_agent(
    rehearse: Dualgate, dualgate: Dualgate, environment: dict[str, str]
) -> None:
    rehearse(WRONG + FILING + GREEN, "--amend", "human", "--max-iterations", "2")

    wrong = dualgate("reject", "no", "--amendment", "7")
    rejected = dualgate("reject", "AC-1 means five", "--json")
    dualgate("resume")

    assert (wrong.code, "Nothing with the id 7 waits for you" in wrong.err) == (1, True)
    assert (rejected.code, rejected.lines[0]["halt_reason"]) == (0, f"answered by {ADA}, not resumed yet")
    folder = Path(environment["HOME"]) / ".bp-sessions" / "doubling"
    prompt = sorted((folder / "calls").glob("*-GREEN-prompt.md"))[-1].read_text()
    assert f"{ADA} rejects it: AC-1 means five" in prompt


def test_an_answer_to_a_question_lets_the_run_go_on(
    rehearse: Dualgate, dualgate: Dualgate, environment: dict[str, str]
) -> None:
    asking = '[[turn]]\nphase = "RED"\nsays = "Should double accept None?"\nclaims = "more"\n'
    halted = rehearse(asking + HONEST, "--on-question", "halt")
    answered = dualgate("answer", "no, raise TypeError")
    resumed = dualgate("resume", "--json")

    assert (halted.code, halted.lines[-1]["next"][0]["command"]) == (4, "dualgate answer 'TEXT'")
    assert answered.out.startswith(f"answered by {ADA}: no, raise TypeError\n")
    assert (resumed.code, resumed.lines[-1]["proven"]) == (0, True)
    folder = Path(environment["HOME"]) / ".bp-sessions" / "doubling"
    prompt = sorted((folder / "calls").glob("*-RED-prompt.md"))[-1].read_text()
    assert "Answer to the question 'Should double accept None?': no, raise TypeError" in prompt
    assert "Nobody can answer now" not in prompt
    assert dualgate("answer", "again").code == 1


def test_a_decision_that_was_killed_at_its_event_is_made_once(
    rehearse: Dualgate, dualgate: Dualgate, dying: Dying, environment: dict[str, str]
) -> None:
    rehearse(WRONG + FILING + GREEN + REST, "--amend", "human")
    length = len(journal(environment))

    assert dying(1, "before", "approve") == -9
    assert len(journal(environment)) == length
    assert dying(1, "after", "approve") == -9
    assert journal(environment)[-1]["kind"] == "amendment.answered"
    assert dualgate("approve").code == 1
    for number in (4, 5, 6):  # with the tests of the trial begun, ended, and after the decision
        assert dying(number, "after", "resume") == -9
    ended = dualgate("resume", "--json")

    assert (ended.code, ended.lines[-1]["proven"]) == (0, True)
