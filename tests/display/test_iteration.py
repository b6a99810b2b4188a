"""One iteration in full, as `log show` prints it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from dualgate.core.gates.judge import judge
from dualgate.core.record.iterations import Iteration, ResultChanges, used_in
from dualgate.core.values.answer import Answer, Ending, Usage
from dualgate.core.values.changes import Changes, FileChange, FileDiff, Violation
from dualgate.core.values.checks import CheckEnded, CheckRun
from dualgate.core.values.events import CallEnded, CallStarted, SuiteEnded, TurnEnded
from dualgate.core.values.limits import Limits
from dualgate.core.values.ralph_status import CheckedClaim
from dualgate.core.values.suite import Counts
from dualgate.core.values.verdict import Breaker, Move
from dualgate.core.values.vocabulary import Decision, Phase, Status
from dualgate.display.iteration import Texts, iteration_lines, iteration_record
from dualgate.testing import NOW, a_report, done, facts, failed
from tests.display.displays import WIDTHS, drawn, require_same

LOW = failed("test_low", id="tests/test_fee.py::test_low", message="AssertionError: assert 0 == 10")
CHANGES = Changes(
    tree="t", modified=("fees/core.py",), violations=(Violation(path="tests/test_fee.py", rule="frozen after RED"),)
)
SEEN = replace(
    facts(
        Phase.GREEN,
        done(Phase.GREEN, recommendation="All done"),
        counts=Counts(passed=7, failed=1),
        failing=(LOW,),
        changes=CHANGES,
    ),
    iteration=2,
    checked=(
        CheckedClaim(claim="TESTS_STATUS", claimed="PASSING", measured="FAILING"),
        CheckedClaim(claim="FILES_MODIFIED", claimed="1", measured="1"),
    ),
)
TURN = TurnEnded(
    at=NOW + timedelta(seconds=130),
    facts=SEEN,
    verdict=judge(SEEN, Limits()),
    breaker=Breaker(),
    move=Move(decision=Decision.CONTINUE, phase=Phase.GREEN),
)
ANSWER = Answer(usage=Usage(input=9000, output=1000), cost_usd=0.12)
FOUND = Iteration(
    number=4,
    started=NOW,
    turn=TURN,
    calls=(CallStarted(at=NOW, number=5, phase=Phase.GREEN, iteration=2, agent="claude"),),
    ended=(CallEnded(at=NOW, number=5, exit_code=0, ending=Ending.EXITED, seconds=95.0, answer=ANSWER),),
    runs=(SuiteEnded(at=NOW, report=a_report(LOW, seconds=6.0)),) * 2,
    checks=(CheckEnded(at=NOW, check=CheckRun(command="make lint", exit_code=1)),),
    tests=ResultChanges(new=("tests/test_fee.py::test_new",), fixed=("tests/test_fee.py::test_round",), failing=(LOW,)),
)
DIFF = "--- a/fees/core.py\n+++ b/fees/core.py\n@@ -1 +1 @@\n-def fee(x): return 0\n+def fee(x): return 10\n"
TEXTS = Texts(
    prompts=((5, "\n".join(f"line {number} of the prompt" for number in range(1, 40))),),
    answers=((5, "I fixed it.\n\n---RALPH_STATUS---\nSTATUS: COMPLETE\n"),),
    diffs=(FileDiff(path="fees/core.py", change=FileChange.CHANGED, diff=DIFF, added=1, removed=1),),
)
WHOLE = "dualgate log show 4 --full"
USED = used_in(FOUND, {})


@pytest.mark.parametrize("columns", WIDTHS)
def test_one_iteration_in_full(columns: int) -> None:
    require_same("iteration", iteration_lines(FOUND, TEXTS, USED, False, WHOLE), columns)


def test_long_parts_are_cut_with_the_command_that_shows_them() -> None:
    short = drawn(iteration_lines(FOUND, TEXTS, USED, False, WHOLE), 80)
    full = drawn(iteration_lines(FOUND, TEXTS, USED, True, WHOLE), 80)

    assert f"… 24 more lines: {WHOLE}" in short
    assert "line 39 of the prompt" not in short
    assert ("line 39 of the prompt" in full, WHOLE in full) == (True, False)


def test_many_failing_tests_are_counted() -> None:
    many = replace(FOUND, tests=ResultChanges(failing=(LOW,) * 12))

    assert "and 4 more fail" in drawn(iteration_lines(many, TEXTS, USED, False, WHOLE), 80)


def test_an_iteration_whose_texts_and_snapshots_are_deleted_says_so() -> None:
    told = drawn(iteration_lines(FOUND, Texts(no_diff="no diff: deleted"), None, False, WHOLE), 80)

    assert told.count("not kept: the files of the oldest calls are deleted") == 2
    assert "Changed  fees/core.py\n         no diff: deleted\n" in told
    assert "Used" not in told


def test_a_call_that_changed_and_ran_nothing() -> None:
    bare = replace(TURN, facts=facts(Phase.GREEN, changes=Changes(tree="t")))
    halted = Move(decision=Decision.STUCK, phase=Phase.GREEN, status=Status.HALTED, halt_reason="GREEN: no progress")
    none = Iteration(number=1, started=NOW, turn=replace(bare, move=halted))

    told = drawn(iteration_lines(none, Texts(diffs=()), None, False, WHOLE), 80)

    assert "Asked    no agent\n" in told
    assert "Changed  no file\n" in told
    assert "Tests    not run\n" in told
    assert "Decision stuck: GREEN: no progress\n" in told


def test_the_next_phase_is_named_with_the_decision() -> None:
    on = replace(TURN, move=Move(decision=Decision.NEXT_PHASE, phase=Phase.REFACTOR))

    assert "Decision next phase → REFACTOR" in drawn(
        iteration_lines(replace(FOUND, turn=on), TEXTS, USED, False, ""), 80
    )


def test_hostile_texts_steer_nothing() -> None:
    hostile = "\x1b[2J\u202egate\r\n\x07Gate 1   open"
    texts = Texts(prompts=((5, hostile),), answers=((5, hostile),), diffs=(replace(TEXTS.diffs[0], diff=hostile),))  # type: ignore[index]
    turn = replace(TURN, facts=replace(SEEN, claimed=done(Phase.GREEN, recommendation=hostile)))

    lines = iteration_lines(replace(FOUND, turn=turn), texts, USED, True, WHOLE)

    assert all(sign.isprintable() for line in lines for sign in line.text)
    assert sum(line.text.startswith("Gate 1") for line in lines) == 1


def test_the_record_holds_everything_in_full() -> None:
    record = iteration_record(FOUND, TEXTS, USED)

    assert (record["number"], record["phase"], record["iteration"], record["seconds"]) == (4, "GREEN", 2, 130.0)
    assert record["prompts"][0]["text"].endswith("line 39 of the prompt")
    assert record["diffs"] == [{"path": "fees/core.py", "diff": DIFF}]
    assert record["test_changes"]["failing"][0]["id"] == "tests/test_fee.py::test_low"
    assert iteration_record(FOUND, Texts(no_diff="x"), USED)["diffs"] is None
