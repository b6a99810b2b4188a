"""Events of handmade runs, decided again."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from dualgate.core.machine.history import apply, begin
from dualgate.core.machine.replay import Numbered, replay, what_if
from dualgate.core.money.budget import halt_before_call
from dualgate.core.values.answer import Answer, Ending, Failure, Trouble, Usage
from dualgate.core.values.changes import Changes
from dualgate.core.values.claim import Claim, Review
from dualgate.core.values.events import (
    BreakerCooled,
    CallEnded,
    CallStarted,
    Event,
    ProvenAgain,
    SessionHalted,
    SessionPaused,
    SessionResumed,
    TurnEnded,
)
from dualgate.core.values.limits import Limits, PhaseBudget, Thresholds
from dualgate.core.values.vocabulary import Decision, Phase, Status
from dualgate.errors import JournalDamaged
from dualgate.testing import NOW, a_start, done, failed, not_done, passed
from tests.core.machine.test_history import a_turn

FAILS = (failed("test_ac1"),)


class Tape:
    """A run in the making: each event is applied, and kept with its number."""

    def __init__(self, **limits: object) -> None:
        started = a_start(limits=Limits(**limits))  # type: ignore[arg-type]
        self.state = begin(started)
        self.events: list[Numbered] = [(1, started)]

    def add(self, event: Event) -> "Tape":
        self.state = apply(self.state, event)
        self.events.append((len(self.events) + 1, event))
        return self

    def turn(self, claim: Claim | None = None, **observed: object) -> "Tape":
        proven = (passed("test_ac1"),)
        return self.add(a_turn(self.state, claim, proven=proven, **observed))

    def call(self, minutes: int = 0) -> "Tape":
        at = NOW + timedelta(minutes=minutes)
        return self.add(
            CallStarted(at=at, number=self.state.total_agent_calls + 1, phase=self.state.phase, iteration=1)
        )


def stuck_in_green(**limits: object) -> Tape:
    """RED passes, and GREEN shows one and the same failure until the breaker opens."""
    tape = Tape(**limits).call().turn()
    while tape.state.status is Status.RUNNING:
        tape.call().turn(not_done(), failing=FAILS)
    return tape


def a_whole_run() -> Tape:
    tape = Tape()
    for phase in (Phase.RED, Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT):
        tape.call().turn(done(phase))
    return tape.call().turn(done(Phase.QA, review=Review.APPROVE))


def thresholds(no_progress: int) -> Limits:
    return Limits(thresholds={Phase.GREEN: Thresholds(no_progress=no_progress, same_error=9)})


def tampered(events: Sequence[Numbered], seq: int, **values: object) -> list[Numbered]:
    return [(n, replace(event, **values) if n == seq else event) for n, event in events]  # type: ignore[arg-type]


@pytest.mark.parametrize("tape", [a_whole_run(), stuck_in_green()])
def test_every_decision_of_a_run_comes_out_the_same(tape: Tape) -> None:
    found = replay(tape.events)

    assert found.is_same
    assert (found.events, found.not_compared) == (len(tape.events) - 1, 0)
    assert found.decisions == sum(isinstance(event, TurnEnded) for _, event in tape.events)


def test_a_phase_that_was_proven_without_a_call_is_judged_again_too() -> None:
    tape = Tape().call().turn()
    turn = replace(a_turn(tape.state, done(Phase.GREEN)), breaker=tape.state.breaker)
    tape.add(ProvenAgain(at=NOW, reason="nothing changed", turn=turn))

    assert (replay(tape.events).is_same, replay(tape.events).decisions) == (True, 2)


def test_every_place_where_a_decision_differs_is_named_with_both() -> None:
    tape = stuck_in_green()
    last = tape.events[-1][0]
    turn = tape.events[-1][1]
    assert isinstance(turn, TurnEnded)
    opened = replace(turn.verdict, gate_1=True, reasons=())
    moved = replace(turn.move, decision=Decision.NEXT_PHASE, phase=Phase.REFACTOR, status=Status.RUNNING)

    found = replay(tampered(tape.events, last, verdict=opened, move=moved))

    (difference,) = found.differences
    assert (difference.seq, difference.phase, difference.iteration) == (last, Phase.GREEN, 3)
    assert difference.what == ("decision", "phase", "status", "gate_1", "reasons")
    assert (difference.recorded.decision, difference.recomputed.decision) == (Decision.NEXT_PHASE, Decision.STUCK)
    assert not found.is_same


def test_events_that_do_not_fit_together_are_followed_as_far_as_they_do() -> None:
    tape = stuck_in_green()
    tape.events.append((len(tape.events) + 1, SessionPaused(at=NOW, reason="user_interrupt")))
    tape.events.append((len(tape.events) + 1, SessionPaused(at=NOW, reason="user_interrupt")))

    found = replay(tape.events)

    assert found.broken == f"event {len(tape.events) - 1} cannot follow those before it: {FROM_HALTED}"
    assert (found.is_same, found.differences, found.not_compared) == (False, (), 1)


FROM_HALTED = "status cannot go from halted to paused"


def test_a_journal_must_begin_with_the_start() -> None:
    for events in ([], [(1, SessionPaused(at=NOW, reason="manual"))]):
        with pytest.raises(JournalDamaged, match="does not begin"):
            replay(events)


def test_limits_that_a_resumed_run_took_are_those_that_are_changed() -> None:
    tape = Tape(documents=9).call().turn()
    tape.add(SessionPaused(at=NOW, reason="manual"))
    tape.add(SessionResumed(at=NOW, by="ada", limits=thresholds(5)))
    while tape.state.status is Status.RUNNING:
        tape.call().turn(not_done(), failing=FAILS)

    assert replay(tape.events).is_same
    assert what_if(tape.events, lambda limits: replace(limits, documents=1)).is_same


def test_the_same_limits_lead_the_same_way() -> None:
    tape = stuck_in_green()

    assert what_if(tape.events, lambda _: Limits()).is_same


def test_a_lower_threshold_would_have_halted_earlier_and_what_follows_is_not_compared() -> None:
    tape = stuck_in_green()

    found = what_if(tape.events, lambda _: thresholds(1))

    (difference,) = found.differences
    assert (difference.phase, difference.iteration) == (Phase.GREEN, 2)
    assert (difference.recorded.decision, difference.recomputed.decision) == (Decision.CONTINUE, Decision.STUCK)
    assert difference.recomputed.halt_reason is not None
    assert "no progress in 1 iterations" in difference.recomputed.halt_reason
    assert found.not_compared == len(tape.events) - difference.seq > 0


def test_a_higher_threshold_would_have_gone_on() -> None:
    tape = stuck_in_green()

    (difference,) = what_if(tape.events, lambda _: thresholds(9)).differences

    assert (difference.seq, difference.recomputed.decision) == (tape.events[-1][0], Decision.CONTINUE)


def test_fewer_documents_would_have_been_enough() -> None:
    tape = a_whole_run()
    two = Changes(tree="t", documents=("README.md", "docs/adr/0001-x.md"))
    short = Tape()
    for phase in (Phase.RED, Phase.GREEN, Phase.REFACTOR):
        short.call().turn(done(phase))
    short.call().turn(done(Phase.DOCUMENT), changes=two)

    assert what_if(tape.events, lambda _: Limits(documents=2)).is_same
    (difference,) = what_if(short.events, lambda _: Limits(documents=2)).differences
    assert (difference.recorded.decision, difference.recomputed.decision) == (Decision.CONTINUE, Decision.NEXT_PHASE)
    assert (difference.recorded.gate_1, difference.recomputed.gate_1) == (False, True)


def test_a_shorter_time_would_have_ended_the_run_before_a_call() -> None:
    tape = Tape().call().turn(not_done(), red=()).call(minutes=90)

    (difference,) = what_if(tape.events, lambda _: Limits(max_duration=3600.0)).differences

    assert difference.seq == tape.events[-1][0]
    assert difference.recomputed.decision is Decision.BUDGET_EXHAUSTED
    assert difference.recorded.status is Status.RUNNING


def test_a_run_that_would_have_halted_at_the_same_place_for_another_reason_goes_the_same_way_and_that_is_told() -> None:
    tape = Tape(max_duration=3600.0).call().turn(not_done(), red=())
    halt = halt_before_call(tape.state, NOW + timedelta(hours=2))
    assert halt
    tape.add(halt)

    found = what_if(tape.events, lambda limits: replace(limits, budgets={Phase.RED: PhaseBudget(calls=1)}))

    (other,) = found.other_reasons
    assert (found.is_same, other.seq) == (True, tape.events[-1][0])
    assert "the time limit of this run, 1h, is reached" in (other.recorded.halt_reason or "")
    assert "the budget of RED, 1 call" in (other.recomputed.halt_reason or "")
    assert what_if(tape.events, lambda limits: replace(limits, documents=1)).other_reasons == ()


@pytest.mark.parametrize(
    "limits",
    [
        Limits(max_tokens=1000),
        Limits(budgets={Phase.RED: PhaseBudget(calls=1)}),
        Limits(max_calls_per_hour=1, wait=False),
    ],
)
def test_a_smaller_budget_would_have_ended_the_run_before_a_call(limits: Limits) -> None:
    answer = Answer(usage=Usage(input=900, output=100))
    tape = Tape().call()
    tape.add(CallEnded(at=NOW, number=1, exit_code=0, ending=Ending.EXITED, seconds=1.0, answer=answer))
    tape.turn(not_done(), red=()).call(minutes=30)

    (difference,) = what_if(tape.events, lambda _: limits).differences

    assert difference.seq == tape.events[-1][0]
    assert difference.recomputed.decision is Decision.BUDGET_EXHAUSTED


LIMITED = Claim(failure=Failure(kind=Trouble.RATE_LIMIT, message="429"))


def test_a_run_that_did_not_wait_would_have_gone_on_and_the_other_way_round() -> None:
    waited = Tape().call().turn(LIMITED).call()
    ended = Tape(wait=False).call().turn(LIMITED)
    ended.add(SessionHalted(at=NOW, decision=Decision.RATE_LIMITED, reason="RED: a limit was met"))

    (earlier,) = what_if(waited.events, lambda _: Limits(wait=False)).differences
    (later,) = what_if(ended.events, lambda _: Limits(wait=True)).differences

    assert earlier.recomputed.decision is Decision.RATE_LIMITED
    assert (later.recorded.decision, later.recomputed.decision) == (Decision.RATE_LIMITED, Decision.CONTINUE)
    assert what_if(ended.events, lambda _: Limits(wait=False, documents=1)).is_same


def test_a_cool_down_would_have_tried_once_more_and_without_one_it_would_have_ended() -> None:
    halted = stuck_in_green()
    rested = stuck_in_green(cooldown=60.0)
    rested.add(BreakerCooled(at=NOW + timedelta(minutes=2)))

    (tried,) = what_if(halted.events, lambda _: Limits(cooldown=60.0)).differences
    (ended,) = what_if(rested.events, lambda _: Limits()).differences

    assert (tried.recorded.status, tried.recomputed.status) == (Status.HALTED, Status.RUNNING)
    assert (ended.recorded.status, ended.recomputed.status) == (Status.RUNNING, Status.HALTED)
    assert what_if(rested.events, lambda _: Limits(cooldown=30.0)).is_same


def test_a_follow_up_halts_no_run_under_other_limits() -> None:
    tape = Tape().call()
    tape.add(CallStarted(at=NOW, number=2, phase=Phase.RED, iteration=1, follows=1)).turn()

    assert what_if(tape.events, lambda limits: replace(limits, budgets={Phase.RED: PhaseBudget(calls=1)})).is_same
