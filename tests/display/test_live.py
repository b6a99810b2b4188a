from dataclasses import replace
from typing import Any

import pytest

from dualgate.core.answer import Answer, Failure, Trouble
from dualgate.core.breaker import Breaker
from dualgate.core.gates import judge
from dualgate.core.history import BaselineTaken, CallEnded, SuiteEnded
from dualgate.core.machine import Move, TurnEnded
from dualgate.core.state import Proof
from dualgate.core.suite import Counts
from dualgate.core.vocabulary import Changes, Decision, Ending, Phase, Status, Violation
from dualgate.display.lines import Tone
from dualgate.display.live import counted, lines
from dualgate.display.summary import status_line, summary
from dualgate.store.codec import KINDS
from dualgate.testing import NOW, a_report, a_state, facts, failed, not_done, passed

STATE = a_state(phase=Phase.GREEN, proof=Proof(start_tree="t"))


def told(event: Any) -> list[str]:
    return [line.text for line in lines(event, STATE)]


def a_turn(decision: Decision, claim: Any = None, **observed: Any) -> TurnEnded:
    seen = facts(Phase.GREEN, claim, **observed)
    move = Move(decision=decision, phase=Phase.REFACTOR, halt_reason="GREEN: no progress in 3 iterations")
    return TurnEnded(at=NOW, facts=seen, verdict=judge(seen), breaker=Breaker(), move=move)


def test_every_kind_of_event_has_something_to_say_or_says_nothing() -> None:
    from dualgate.display.live import WRITERS

    assert WRITERS.keys() == set(KINDS.values())


FAILING = {"failing": (failed("test_a"),)}
TURNS = [
    (a_turn(Decision.NEXT_PHASE), ["GREEN     1  both gates open: evidence and word agree, on to REFACTOR"]),
    (a_turn(Decision.PROJECT_COMPLETE), ["GREEN     1  both gates open: the work is complete"]),
    (
        a_turn(Decision.CONTINUE, **FAILING),
        ['GREEN     1  the agent says "done"; the evidence says no: 1 failing: tests/test_x.py::test_a'],
    ),
    (a_turn(Decision.CONTINUE, not_done()), ["GREEN     1  not yet: the agent does not say EXIT_SIGNAL: true"]),
    (
        a_turn(Decision.REJECTED, **FAILING),
        ["GREEN     1  the review rejects, back to REFACTOR: 1 failing: tests/test_x.py::test_a"],
    ),
    (
        a_turn(Decision.STUCK, not_done()),
        [
            "GREEN     1  not yet: the agent does not say EXIT_SIGNAL: true",
            "GREEN     1  halted: GREEN: no progress in 3 iterations",
        ],
    ),
]


@pytest.mark.parametrize(("turn", "text"), TURNS)
def test_the_end_of_a_turn_is_told_in_plain_words(turn: TurnEnded, text: list[str]) -> None:
    assert told(turn) == text


def test_what_was_undone_is_told_first() -> None:
    changes = Changes(tree="t", violations=(Violation(path="conftest.py", rule="frozen"),))

    assert told(a_turn(Decision.CONTINUE, changes=changes))[0] == "GREEN     1  undone: conftest.py (frozen)"


def test_a_refused_done_is_told_in_the_tone_of_bad_news() -> None:
    assert [line.tone for line in lines(a_turn(Decision.CONTINUE, **FAILING), STATE)] == [Tone.BAD]


def test_failures_and_flaky_tests_of_the_baseline_are_told() -> None:
    event = BaselineTaken(at=NOW, tree="t", results=(passed("a"), failed("b")), unstable=("a",))

    assert told(event) == [
        "baseline: 2 tests before any work, 1 of them flaky; 1 fail already and are blamed on nobody"
    ]


def test_a_failed_call_is_told_and_a_good_one_is_not() -> None:
    good = CallEnded(at=NOW, number=1, exit_code=0, ending=Ending.EXITED, seconds=1.0, answer=Answer())
    bad = replace(good, answer=Answer(failure=Failure(kind=Trouble.TIMED_OUT, message="no key")))

    assert told(good) == []
    assert told(bad) == ["GREEN     1  the call failed: timed out, no key"]


def test_a_limit_is_told_with_its_end_where_that_is_known() -> None:
    known = not_done(failure=Failure(kind=Trouble.USAGE_LIMIT, resets_at=NOW))
    unknown = not_done(failure=Failure(kind=Trouble.RATE_LIMIT))

    assert told(a_turn(Decision.RATE_LIMITED, known)) == [
        "GREEN     1  a limit was met; waiting until 2026-01-16 10:00 UTC"
    ]
    assert told(a_turn(Decision.RATE_LIMITED, unknown)) == ["GREEN     1  a limit was met; waiting for it to end"]


def test_a_run_that_cannot_be_believed_is_told_with_the_reason() -> None:
    event = SuiteEnded(at=NOW, report=a_report(problems=("it broke off",), seconds=1.0))

    assert told(event) == ["GREEN     1  tests: it broke off (1.0 s)"]


def test_counts_leave_out_what_there_is_none_of() -> None:
    assert counted(Counts(passed=3, xfailed=1)) == "3 passed, 1 xfailed"
    assert counted(Counts()) == "no tests"


SUMMARIES = [
    (a_state(status=Status.COMPLETED), "Status   completed and proven"),
    (a_state(status=Status.COMPLETED, phases_forced=(Phase.QA,)), "Status   completed, not proven"),
    (a_state(status=Status.PAUSED, pause_reason="user_interrupt"), "Status   paused (user_interrupt)"),
    (a_state(), "Status   running, RED iteration 1"),
    (
        a_state(status=Status.HALTED, halt_reason="RED: x", ended_by=Decision.BLOCKED),
        "Next     The agent asks for help",
    ),
]


@pytest.mark.parametrize(("state", "text"), SUMMARIES)
def test_the_summary_says_how_it_stands(state: Any, text: str) -> None:
    assert text in summary(state)


def test_the_status_line() -> None:
    assert status_line(a_state(iteration=5)) == "[RED] Iteration 5/100 | Status: running"
