"""Whole runs in which a frozen test is wrong."""

from pathlib import Path

from tests.loop.scripts import GREEN, RED, REST
from tests.support import Dualgate, Ended, decisions

WRONG = RED.replace("check(double(2), 4)", "check(double(2), 5)")
"""A test that no honest work can make pass."""
REQUEST = """
---TEST_AMENDMENT---
TEST_ID: tests/test_double.py::test_ac1_numbers
REASON: AC-1 says that double(2) is 4
PATCH:
--- a/tests/test_double.py
+++ b/tests/test_double.py
@@ -5,3 +5,3 @@

 def test_ac1_numbers():
-    check(double(2), 5)
+    check(double(2), 4)
---END_TEST_AMENDMENT---
"""
REVIEWED = ("--qa-agent", "rehearsal:honest")
"""A second agent, which approves."""
FILING = GREEN.replace('phase = "GREEN"\n', f'phase = "GREEN"\nsays = """{REQUEST}"""\n')


def amendment(ended: Ended) -> tuple[str, list[str]]:
    found = ended.lines[1]["amendment"]
    return found["outcome"], found["reasons"]


def test_a_wrong_test_is_amended_when_it_is_approved_and_fails_on_the_tree_of_red(
    rehearse: Dualgate, project: Path
) -> None:
    ended = rehearse(WRONG + FILING + REST, *REVIEWED)

    assert (amendment(ended), ended.code) == (("accepted", []), 0)
    assert decisions(ended)[1] == ("GREEN", "next_phase")
    assert "check(double(2), 4)" in (project / "tests" / "test_double.py").read_text()
    assert (project / "doubling.py").read_text() == "def double(x): return x + x"
    assert ended.lines[-1]["agent_calls"] == 6
    assert (ended.lines[1]["usage"]["calls"], ended.lines[-1]["usage"]["phases"]["GREEN"]["calls"]) == (2, 2)


def test_an_amended_test_that_passes_without_the_work_is_refused(rehearse: Dualgate, project: Path) -> None:
    easy = FILING.replace("+    check(double(2), 4)", "+    assert True")

    ended = rehearse(WRONG + easy + REST, *REVIEWED, "--max-iterations", "1")

    outcome, reasons = amendment(ended)
    assert (outcome, ended.code) == ("refused", 3)
    assert "it passes without the work, on the tree of RED" in reasons[0]
    assert "check(double(2), 5)" in (project / "tests" / "test_double.py").read_text()
    assert (project / "doubling.py").read_text() == "def double(x): return x + x"


def test_a_person_is_asked_where_a_person_is_to_approve(rehearse: Dualgate) -> None:
    ended = rehearse(WRONG + FILING + REST, "--amend", "human")

    assert (amendment(ended)[0], ended.code, ended.lines[-1]["ended_by"]) == ("waiting", 4, "blocked")
    assert ended.lines[-1]["halt_reason"] == (
        "GREEN: a person must say whether tests/test_double.py::test_ac1_numbers is wrong "
        "(AC-1 says that double(2) is 4)"
    )


def test_an_agent_cannot_approve_its_own_request_and_the_run_halts_where_only_that_test_fails(
    rehearse: Dualgate, project: Path
) -> None:
    ended = rehearse(WRONG + FILING + REST)

    assert (amendment(ended)[0], ended.code, ended.lines[-1]["ended_by"]) == ("waiting", 4, "blocked")
    assert "a person must say whether tests/test_double.py::test_ac1_numbers is wrong" in ended.lines[-1]["halt_reason"]
    assert "check(double(2), 5)" in (project / "tests" / "test_double.py").read_text()


def test_a_reviewer_that_says_nothing_is_not_waited_for_longer_than_any_agent(rehearse: Dualgate) -> None:
    silent = ("--qa-agent-command", "sleep 600", "--idle-timeout", "1", "--max-iterations", "1")

    ended = rehearse(WRONG + FILING + REST, *silent)

    assert (amendment(ended), ended.lines[-1]["agent_calls"]) == (
        ("refused", ["the review could not be made (idle); file the request again"]),
        3,
    )


def test_nobody_is_asked_about_a_test_when_the_budget_is_spent(rehearse: Dualgate) -> None:
    ended = rehearse(WRONG + FILING + REST, *REVIEWED, "--budget", "GREEN.calls=1")

    outcome, reasons = amendment(ended)
    assert (outcome, ended.code, ended.lines[-1]["agent_calls"]) == ("refused", 3, 2)
    assert reasons[0].startswith("the review could not be made (GREEN: the budget of GREEN, 1 call")
    assert ended.lines[-1]["ended_by"] == "budget_exhausted"
