from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

import pytest

from dualgate.core.gates.halts import HALTS
from dualgate.core.machine.controls import ways_on
from dualgate.core.machine.history import begin
from dualgate.core.machine.moves import decide, with_proof
from dualgate.core.machine.phases import RETURNS, STATUS_MOVES, move_status
from dualgate.core.values.answer import Failure, Trouble
from dualgate.core.values.claim import Claim
from dualgate.core.values.events import TurnEnded
from dualgate.core.values.limits import Limits
from dualgate.core.values.state import LoopState
from dualgate.core.values.team import FailuresInARow
from dualgate.core.values.verdict import Breaker, Move, Outcome, Verdict
from dualgate.core.values.vocabulary import PHASES, BreakerState, Decision, HaltCause, Phase, Status, WayOn, Workflow
from dualgate.errors import IllegalTransition
from dualgate.testing import NOW, a_report, a_start, a_state, facts, passed

K = TypeVar("K")
V = TypeVar("V")


def dict_of(table: Mapping[K, V]) -> dict[K, V]:
    """A table that is not meant to be changed, for a test that changes a row."""
    assert isinstance(table, dict)
    return table


UNCOMMON = frozenset({Outcome.REJECT, Outcome.WEAK, Outcome.UNREWRITTEN})
OPEN = Breaker(state=BreakerState.OPEN, no_progress=3)


def decided(state: LoopState, outcome: Outcome, breaker: Breaker | None = None, claim: Claim | None = None) -> Move:
    verdict = Verdict(outcome=outcome, gate_1=False, gate_2=True, reasons=("1 failing: test_a",))
    return decide(state, facts(state.phase, claim), verdict, breaker or Breaker())


@pytest.mark.parametrize("phase", list(Phase))
@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_pair_of_phase_and_outcome_has_a_move_or_raises(phase: Phase, outcome: Outcome) -> None:
    state = a_state(phase=phase)
    if outcome in UNCOMMON and (phase, outcome) not in RETURNS:
        with pytest.raises(IllegalTransition, match=f"{phase} has no transition for the outcome {outcome}"):
            decided(state, outcome)
    else:
        assert isinstance(decided(state, outcome), Move)


def test_the_order_of_phases_is_what_the_table_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(dict_of(PHASES), Workflow.TDD, (Phase.RED, Phase.GREEN, Phase.QA))
    monkeypatch.setitem(RETURNS, (Phase.QA, Outcome.REJECT), Phase.RED)

    assert decided(a_state(phase=Phase.GREEN), Outcome.PASS).phase is Phase.QA
    assert decided(a_state(phase=Phase.QA), Outcome.REJECT).phase is Phase.RED
    assert begin(a_start()).phase is Phase.RED


def test_how_a_cause_halts_is_what_the_table_says(monkeypatch: pytest.MonkeyPatch) -> None:
    state = a_state(phase=Phase.BUILD)
    before = decided(state, Outcome.STAY, OPEN)
    row = replace(HALTS[HaltCause.NO_PROGRESS], decision=Decision.BLOCKED, ways=(WayOn.ABORT,))
    monkeypatch.setitem(dict_of(HALTS), HaltCause.NO_PROGRESS, row)

    after = decided(state, Outcome.STAY, OPEN)

    assert (before.decision, after.decision) == (Decision.STUCK, Decision.BLOCKED)
    halted = a_state(status=Status.HALTED, halted_by=HaltCause.NO_PROGRESS)
    assert [way for way, _ in ways_on(halted)] == [WayOn.ABORT]


def test_every_cause_has_a_row_and_a_person_a_way_on_from_it() -> None:
    assert set(HALTS) == set(HaltCause)
    others = [halt for cause, halt in HALTS.items() if cause is not HaltCause.ABORTED]
    assert all(WayOn.ABORT in halt.ways and len(halt.ways) > 1 for halt in others)
    assert HALTS[HaltCause.ABORTED].ways == (WayOn.START, WayOn.RESET)


MOVES = [
    (Phase.RED, Outcome.PASS, Decision.NEXT_PHASE, Phase.GREEN, Status.RUNNING),
    (Phase.GREEN, Outcome.PASS, Decision.NEXT_PHASE, Phase.REFACTOR, Status.RUNNING),
    (Phase.REFACTOR, Outcome.PASS, Decision.NEXT_PHASE, Phase.DOCUMENT, Status.RUNNING),
    (Phase.DOCUMENT, Outcome.PASS, Decision.NEXT_PHASE, Phase.QA, Status.RUNNING),
    (Phase.QA, Outcome.PASS, Decision.PROJECT_COMPLETE, Phase.QA, Status.COMPLETED),
    (Phase.BUILD, Outcome.PASS, Decision.PROJECT_COMPLETE, Phase.BUILD, Status.COMPLETED),
    (Phase.QA, Outcome.REJECT, Decision.REJECTED, Phase.GREEN, Status.RUNNING),
    (Phase.GREEN, Outcome.STAY, Decision.CONTINUE, Phase.GREEN, Status.RUNNING),
    (Phase.GREEN, Outcome.RETRY, Decision.RETRY, Phase.GREEN, Status.RUNNING),
    (Phase.GREEN, Outcome.LIMITED, Decision.RATE_LIMITED, Phase.GREEN, Status.RUNNING),
    (Phase.GREEN, Outcome.BLOCK, Decision.BLOCKED, Phase.GREEN, Status.HALTED),
]


@pytest.mark.parametrize(("phase", "outcome", "decision", "target", "status"), MOVES)
def test_each_move(phase: Phase, outcome: Outcome, decision: Decision, target: Phase, status: Status) -> None:
    move = decided(a_state(phase=phase), outcome)

    assert (move.decision, move.phase, move.status) == (decision, target, status)


def test_an_open_breaker_halts_and_names_what_fails() -> None:
    move = decided(a_state(phase=Phase.GREEN), Outcome.STAY, OPEN)

    assert (move.decision, move.status) == (Decision.STUCK, Status.HALTED)
    assert move.halt_reason == "GREEN: no progress in 3 iterations: 1 failing: test_a"


def test_the_threshold_that_was_met_is_the_reason() -> None:
    repeated = Breaker(state=BreakerState.OPEN, no_progress=2, same_error=5)
    stalled = Breaker(state=BreakerState.OPEN, no_progress=3, same_error=4)

    assert "the same error in 5" in str(decided(a_state(phase=Phase.RED), Outcome.STAY, repeated).halt_reason)
    assert "no progress in 3" in str(decided(a_state(phase=Phase.RED), Outcome.STAY, stalled).halt_reason)


def test_an_open_breaker_does_not_stop_a_phase_that_passes() -> None:
    assert decided(a_state(phase=Phase.GREEN), Outcome.PASS, OPEN).decision is Decision.NEXT_PHASE


def test_the_limit_of_iterations_halts() -> None:
    state = a_state(phase=Phase.GREEN, iteration=4, max_iterations=5)

    assert decided(state, Outcome.STAY).decision is Decision.MAX_ITERATIONS
    assert decided(replace(state, iteration=3), Outcome.STAY).decision is Decision.CONTINUE


def test_three_empty_answers_in_a_row_are_stuck() -> None:
    empty = Claim(failure=Failure(kind=Trouble.EMPTY))
    state = a_state(empty_calls=Limits().empty_calls - 1)

    assert decided(state, Outcome.RETRY, claim=empty).decision is Decision.STUCK
    assert decided(replace(state, failures=FailuresInARow()), Outcome.RETRY, claim=empty).decision is Decision.RETRY


def test_seven_failed_calls_in_a_row_are_stuck() -> None:
    crash = Claim(failure=Failure(kind=Trouble.CRASH, message="boom"))
    state = a_state(failed_calls=Limits().failed_calls - 1)

    move = decided(state, Outcome.RETRY, claim=crash)
    assert (move.decision, move.halt_reason) == (
        Decision.STUCK,
        "RED: 7 calls in a row failed, the last with: crash, boom",
    )


def test_a_failure_that_blocks_is_the_reason() -> None:
    login = Claim(failure=Failure(kind=Trouble.AUTHENTICATION, message="Invalid API key"))

    assert decided(a_state(), Outcome.BLOCK, claim=login).halt_reason == "RED: authentication, Invalid API key"


def test_the_fourth_rejection_halts() -> None:
    state = a_state(phase=Phase.QA, qa_attempts=Limits().qa_returns)

    move = decided(state, Outcome.REJECT)

    assert (move.decision, move.halt_reason) == (Decision.STUCK, "QA: QA rejected 4 times: 1 failing: test_a")


@pytest.mark.parametrize("status", [Status.COMPLETED, Status.HALTED, Status.PAUSED])
def test_a_loop_that_does_not_run_cannot_move(status: Status) -> None:
    with pytest.raises(IllegalTransition, match=f"a loop that is {status}"):
        decided(a_state(status=status), Outcome.STAY)


@pytest.mark.parametrize("before", list(Status))
@pytest.mark.parametrize("after", list(Status))
def test_only_the_documented_pairs_of_status_are_legal(before: Status, after: Status) -> None:
    if before is after or (before, after) in STATUS_MOVES:
        assert move_status(before, after) is after
    else:
        with pytest.raises(IllegalTransition, match=f"from {before} to {after}"):
            move_status(before, after)


def test_completed_is_the_end() -> None:
    assert not [pair for pair in STATUS_MOVES if pair[0] is Status.COMPLETED]


def test_a_run_with_limits_of_its_own_halts_at_those() -> None:
    crash = Claim(failure=Failure(kind=Trouble.CRASH))

    assert decided(a_state(phase=Phase.QA, qa_returns=0), Outcome.REJECT).decision is Decision.STUCK
    assert decided(a_state(failed_calls=1, limits=Limits(failed_calls=2)), Outcome.RETRY, claim=crash).status is (
        Status.HALTED
    )


ASKING = Claim(questions=("Which unit?",))


@pytest.mark.parametrize("outcome", [Outcome.STAY, Outcome.RETRY])
def test_a_question_halts_only_where_that_is_wanted(outcome: Outcome) -> None:
    halted = decided(a_state(limits=Limits(halt_on_question=True)), outcome, claim=ASKING)
    going = decided(a_state(), outcome, claim=ASKING)

    assert (halted.decision, halted.halt_reason) == (Decision.BLOCKED, "RED: the agent asks: Which unit?")
    assert going.status is Status.RUNNING


def test_a_question_ends_a_build_where_that_is_wanted() -> None:
    halting = Limits(halt_on_question=True)

    halted = decided(a_state(phase=Phase.BUILD, limits=halting), Outcome.STAY, claim=ASKING)
    assumed = decided(a_state(phase=Phase.BUILD), Outcome.STAY, claim=ASKING)

    assert (halted.decision, halted.halt_reason) == (Decision.BLOCKED, "BUILD: the agent asks: Which unit?")
    assert assumed.status is Status.RUNNING


def test_a_blocked_run_says_what_would_allow_the_tool_that_was_refused() -> None:
    claim = Claim(recommendation="the tests cannot be run", denied=("Bash",), allowed_by="allow it with --x")

    move = decided(a_state(phase=Phase.GREEN), Outcome.BLOCK, claim=claim)

    assert move.halt_reason == "GREEN: the tests cannot be run (refused: Bash; allow it with --x)"


@pytest.mark.parametrize("phase", [Phase.GREEN, Phase.BUILD])
def test_a_rate_limit_that_does_not_end_halts_and_a_usage_limit_is_waited_for(phase: Phase) -> None:
    state = a_state(phase=phase, limited_calls=Limits().limited_calls - 1)
    rate, usage = (Claim(failure=Failure(kind=kind)) for kind in (Trouble.RATE_LIMIT, Trouble.USAGE_LIMIT))

    move = decided(state, Outcome.LIMITED, claim=rate)
    assert (move.decision, move.status) == (Decision.RATE_LIMITED, Status.HALTED)
    assert move.halt_reason == f"{phase}: 12 calls in a row met a limit: rate_limit"
    assert decided(state, Outcome.LIMITED, claim=usage).status is Status.RUNNING


def test_a_phase_that_passes_keeps_its_last_whole_run_as_proof() -> None:
    state = a_state(phase=Phase.GREEN)
    verdict = Verdict(outcome=Outcome.PASS, gate_1=True, gate_2=True)
    whole = a_report(passed("test_a"), environment="e")
    runs = (a_report(environment="first"), whole, a_report(passed("test_b"), only=("test_b",)))
    turn = TurnEnded(
        at=NOW, facts=facts(Phase.GREEN), verdict=verdict, breaker=Breaker(), move=decided(state, Outcome.PASS)
    )
    stays = replace(turn, move=decided(state, Outcome.STAY))

    assert with_proof(turn, runs) == replace(turn, proven=whole.results, environment="e")
    assert with_proof(stays, runs) == stays
