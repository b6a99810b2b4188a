from dataclasses import replace
from datetime import timedelta

import pytest

from dualgate.core.gates.needs import gate_1
from dualgate.core.machine.resuming import CutOff, just_begun
from dualgate.core.record.session_state import Doing, Standing, Step, current_iteration, doing, needed, standing_of
from dualgate.core.record.status_document import breaker_document, counts_document, doing_document
from dualgate.core.values.answer import Answer, Ending
from dualgate.core.values.events import CallEnded, CallStarted
from dualgate.core.values.phase_status import CaseCounts
from dualgate.core.values.state import LoopState, Memory, Proof
from dualgate.core.values.team import Wait
from dualgate.core.values.verdict import Breaker
from dualgate.core.values.vocabulary import BreakerState, Phase, Status
from dualgate.testing import NOW, a_start, a_state

STANDINGS = [
    (None, False, False, False, Standing.UNREADABLE),
    (Status.COMPLETED, True, False, False, Standing.PROVEN),
    (Status.COMPLETED, False, False, False, Standing.NOT_PROVEN),
    (Status.HALTED, False, False, False, Standing.HALTED),
    (Status.PAUSED, False, False, False, Standing.PAUSED),
    (Status.PAUSED, False, True, False, Standing.WAITING),
    (Status.RUNNING, False, False, False, Standing.DIED),
    (Status.RUNNING, False, True, False, Standing.RUNNING),
    (Status.RUNNING, False, True, True, Standing.WAITING),
]


@pytest.mark.parametrize(("status", "proven", "alive", "waits", "word"), STANDINGS)
def test_the_word_for_a_session(status: Status | None, proven: bool, alive: bool, waits: bool, word: Standing) -> None:
    assert standing_of(status, proven, alive, waits) is word


MEASURED = a_state(proof=Proof(start_tree="t"))
CALL = CallStarted(at=NOW, number=2, phase=Phase.RED, iteration=1, agent="claude")
ENDED = CallEnded(at=NOW, number=2, exit_code=0, ending=Ending.EXITED, seconds=1.0, answer=Answer())
LATER = NOW + timedelta(minutes=9)


def begun(state: LoopState, **values: object) -> CutOff:
    return replace(just_begun(a_start(), state), **values)  # type: ignore[arg-type]


STEPS = [
    (begun(a_state()), Doing(step=Step.BASELINE, since=NOW)),
    (begun(MEASURED, call=CALL), Doing(step=Step.CALL, since=NOW, agent="claude", call=2)),
    (begun(MEASURED, call=CALL, answered=ENDED), Doing(step=Step.JUDGING, since=NOW)),
    (begun(MEASURED, call=CALL, answered=ENDED, testing=True), Doing(step=Step.TESTS, since=NOW)),
    (
        begun(MEASURED, trial="the tree before", testing=True),
        Doing(step=Step.TRIAL, since=NOW, reason="the tree before"),
    ),
    (
        begun(replace(MEASURED, waiting=Wait(until=LATER, reason="3 calls", setting="x"))),
        Doing(step=Step.WAIT, since=NOW, until=LATER, reason="3 calls"),
    ),
    (begun(replace(MEASURED, status=Status.PAUSED)), None),
]


@pytest.mark.parametrize(("found", "step"), STEPS)
def test_the_step_that_a_run_is_in(found: CutOff, step: Doing | None) -> None:
    assert doing(found) == step


def test_an_old_call_without_a_name_is_that_of_the_agent_of_the_phase() -> None:
    found = doing(begun(MEASURED, call=replace(CALL, agent="")))

    assert found is not None
    assert found.agent == ""


def test_a_gate_needs_what_kept_it_shut_or_what_its_rule_says() -> None:
    assert needed(a_state()) == (gate_1(Phase.RED, a_state().limits),)
    assert needed(a_state(memory=Memory(reasons=("2 failing",)))) == ("2 failing",)
    assert needed(a_state(status=Status.HALTED)) == ()


def test_the_iteration_is_the_one_that_is_worked_on_or_the_last() -> None:
    assert (current_iteration(a_state()), current_iteration(a_state(status=Status.HALTED, iteration=3))) == (1, 3)


def test_the_documents_of_a_step_the_breaker_and_the_tests() -> None:
    breaker = Breaker(state=BreakerState.HALF_OPEN, no_progress=2, same_error=1, blocked="no key")

    assert doing_document(None) is None
    assert doing_document(STEPS[5][1]) == {
        "step": "waiting",
        "since": NOW.isoformat(),
        "agent": None,
        "call": None,
        "until": LATER.isoformat(),
        "reason": "3 calls",
    }
    assert breaker_document(a_state(breaker=breaker)) == {
        "state": "HALF_OPEN",
        "no_progress": 2,
        "no_progress_limit": 3,
        "same_error": 1,
        "same_error_limit": 5,
        "blocked": "no key",
    }
    assert counts_document(CaseCounts(passing=2, failing=1))["total"] == 3
