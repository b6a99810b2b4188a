"""The display of a session: while it runs, after a halt, a pause, a crash and at its end."""

from dataclasses import replace
from datetime import timedelta

import pytest

from dualgate.core.machine.resuming import CutOff, just_begun
from dualgate.core.record.metrics import Metrics
from dualgate.core.record.records import View
from dualgate.core.record.session_state import Doing, Step
from dualgate.core.values.changes import Violation
from dualgate.core.values.events import CallStarted
from dualgate.core.values.phase_status import CaseCounts
from dualgate.core.values.specification import CriterionState, CriterionStatus, Kind
from dualgate.core.values.spending import Spending, Used
from dualgate.core.values.state import Attempt, LoopState, Memory, PhaseVisit, Proof, Rejection, Warned
from dualgate.core.values.team import Lineup
from dualgate.core.values.verdict import Breaker
from dualgate.core.values.vocabulary import BreakerState, Decision, HaltCause, Phase, Status
from dualgate.display.status import Surroundings, doing_text, status_lines
from dualgate.display.summary import session_story, summary_lines
from dualgate.testing import NOW, a_start, a_state, failed
from tests.display.displays import WIDTHS, drawn, require_same

METRICS = Metrics(view=View(phase=Phase.GREEN, progress=60, tests=CaseCounts(passing=6, failing=2)))
ROUNDED = CriterionState(id="AC-1", text="fees are rounded", kind=Kind.NEW, state=CriterionStatus.GREEN)
CRITERIA = (
    replace(ROUNDED, proof=("t::test_round",)),
    replace(ROUNDED, id="AC-2", text="no fee below 10", state=CriterionStatus.FAILING, proof=("t::test_low",)),
)
LAST = Attempt(iteration=2, said="All done", changed=("fees/core.py",), result="1 failing: tests/test_fee.py::test_low")
VISITS = (
    PhaseVisit(phase=Phase.RED, started_at=NOW, iterations=2),
    PhaseVisit(phase=Phase.GREEN, started_at=NOW, iterations=3),
)
RUNNING = a_state(
    phase=Phase.GREEN,
    iteration=2,
    prp_file="docs/fees.md",
    phases_completed=(Phase.RED,),
    visits=VISITS,
    lineup=Lineup(every=("claude",)),
    proof=Proof(start_tree="t"),
    memory=Memory(reasons=("2 failing: tests/test_fee.py::test_low, tests/test_fee.py::test_round",)),
    criteria_states=CRITERIA,
    total_agent_calls=5,
    spending=Spending(phases={Phase.RED: Used(calls=5, input=9000, output=1000, cost_usd=0.42)}),
    max_cost=5.0,
    guidance=("use Decimal",),
)
LOW = failed("test_low", id="tests/test_fee.py::test_low", message="AssertionError: assert 0 == 10")
HALTED = replace(
    RUNNING,
    iteration=3,
    status=Status.HALTED,
    ended_by=Decision.STUCK,
    halted_by=HaltCause.NO_PROGRESS,
    halt_reason="GREEN: no progress in 3 iterations: 1 failing: tests/test_fee.py::test_low",
    breaker=Breaker(state=BreakerState.OPEN, no_progress=3, same_error=2),
    rejections=(Rejection(at=NOW, reason="bounds are not checked"),),
    memory=Memory(
        reasons=("1 failing: tests/test_fee.py::test_low",),
        failing=(LOW,),
        violations=(Violation(path="tests/test_fee.py", rule="proven tests are frozen after RED"),),
        false_claims=("TESTS_STATUS was given as PASSING, measured FAILING",),
    ),
    attempts=(
        replace(LAST, iteration=1, said="Next: round the fee", result="2 failing: test_low, test_round"),
        LAST,
        replace(LAST, iteration=3),
    ),
    warnings=(
        Warned(phase=Phase.GREEN, iteration=3, text="TESTS_STATUS was given as PASSING, measured FAILING"),
        Warned(phase=Phase.RED, iteration=1, text="a code fence around the block"),
    ),
)
CALL = CallStarted(at=NOW, number=5, phase=Phase.GREEN, iteration=3, agent="claude")
AROUND = Surroundings(now=NOW + timedelta(seconds=130), record="/home/ada/.bp-sessions/fees")
OWNED = replace(AROUND, owner="process 4711, since 10:00, by ada@house")


def found(state: LoopState, call: CallStarted | None = None) -> CutOff:
    return replace(just_begun(a_start(), state), call=call)


PAUSED = replace(RUNNING, status=Status.PAUSED, pause_reason="user_interrupt", paused_at=NOW)
DONE = replace(
    RUNNING,
    phase=Phase.QA,
    status=Status.COMPLETED,
    phases_completed=(Phase.RED, Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT, Phase.QA),
    memory=Memory(),
    reviewer="codex",
    lineup=Lineup(every=("claude",), by_phase={Phase.QA: ("codex",)}),
)
GIVEN_UP = {"halted_by": HaltCause.ABORTED, "ended_by": Decision.ABORTED, "halt_reason": "aborted by ada"}
ABORTED = replace(HALTED, memory=Memory(), attempts=(), **GIVEN_UP)  # type: ignore[arg-type]
CASES = {
    "status-running": (found(RUNNING, CALL), OWNED),
    "status-died": (found(RUNNING, CALL), AROUND),
    "status-halted": (found(HALTED), AROUND),
    "status-paused": (found(PAUSED), replace(AROUND, spec_note="docs/fees.md was changed: removed: AC-2 (was line 8)")),
    "status-proven": (found(DONE), AROUND),
    "status-aborted": (found(ABORTED), AROUND),
}


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("name", CASES)
def test_the_status_of_a_session(name: str, columns: int) -> None:
    cut_off, around = CASES[name]

    require_same(name, status_lines(cut_off, METRICS, around, columns), columns)


@pytest.mark.parametrize("columns", WIDTHS)
def test_the_end_of_a_run_and_a_kept_session(columns: int) -> None:
    require_same("end-halted", summary_lines(HALTED, "/home/ada/.bp-sessions/fees", columns=columns), columns)
    require_same("session-kept", session_story(HALTED, "/kept (in the archive)", None, False, columns), columns)


def test_a_session_of_another_project_names_the_folder_for_its_commands() -> None:
    told = drawn(session_story(HALTED, "/kept", "/code/fees", False), 80)

    assert "In       /code/fees\nNext     " in told


def test_no_fact_is_told_twice() -> None:
    told = drawn(status_lines(found(HALTED), METRICS, AROUND, 140), 140)

    for fact in (
        "no progress in 3 iterations",
        "PASSING, measured FAILING",
        "assert 0 == 10",
        "docs/",
    ):
        assert told.count(fact) <= 1, fact


def test_an_aborted_session_does_not_offer_to_abort() -> None:
    told = drawn(status_lines(found(ABORTED), METRICS, AROUND), 80)

    assert "dualgate abort" not in told
    assert "dualgate run docs/fees.md --agent claude --fresh" in told


def test_a_small_terminal_gets_a_short_form_that_ends_with_the_next_commands() -> None:
    whole = drawn(status_lines(found(HALTED), METRICS, AROUND, height=100), 80)
    small = drawn(status_lines(found(HALTED), METRICS, AROUND, height=24), 80)

    assert ("LOOP STATE SUMMARY" in whole, "LOOP STATE SUMMARY" in small) == (True, False)
    assert len(small.splitlines()) <= 24
    assert "Tests    6 of 8 pass" in small
    assert small.splitlines()[-1].split()[:2] == ["dualgate", "abort"]


def test_an_ascii_terminal_gets_a_box_of_ascii() -> None:
    lines = status_lines(found(RUNNING), METRICS, OWNED, ascii_only=True)

    assert all(line.text.isascii() for line in lines)


HOSTILE = "\x1b[2J\x1b]0;owned\x07\nNext     rm -rf /\u202e\u2066 evil\r"


def test_hostile_texts_of_an_agent_steer_nothing() -> None:
    memory = Memory(
        reasons=(HOSTILE,),
        failing=(failed(HOSTILE, message=HOSTILE),),
        violations=(Violation(path=HOSTILE, rule=HOSTILE),),
        false_claims=(HOSTILE,),
    )
    state = replace(
        HALTED,
        prp_file=HOSTILE,
        halt_reason=HOSTILE,
        memory=memory,
        guidance=(HOSTILE,),
        attempts=(Attempt(iteration=1, said=HOSTILE, changed=(HOSTILE,), result=HOSTILE),),
        warnings=(Warned(phase=Phase.RED, iteration=1, text=HOSTILE),),
        criteria_states=(replace(CRITERIA[0], id=HOSTILE, text=HOSTILE, proof=(HOSTILE,)),),
        breaker=Breaker(blocked=HOSTILE),
    )

    lines = [*status_lines(found(state), METRICS, AROUND), *summary_lines(state, HOSTILE)]

    assert all(sign.isprintable() for line in lines for sign in line.text)
    assert not any(line.text.startswith("Next     rm") for line in lines)


DOING = [
    (Doing(step=Step.CALL, since=NOW, agent="", call=3), "asking the agent (call 3) for 1m10s"),
    (Doing(step=Step.TRIAL, since=NOW, reason="the tree of RED"), "running tests on the tree of RED for 1m10s"),
    (Doing(step=Step.TESTS, since=NOW), "running tests for 1m10s"),
    (Doing(step=Step.TESTS, since=NOW + timedelta(hours=1)), "running tests for 0s"),
]


@pytest.mark.parametrize(("step", "text"), DOING)
def test_the_present_step_is_told_with_its_time(step: Doing, text: str) -> None:
    assert doing_text(step, NOW + timedelta(seconds=70)) == text
