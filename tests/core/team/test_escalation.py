"""Who takes over in a phase without progress: only those configured, each once, never the author as the reviewer."""

from typing import Any

import pytest

from dualgate.core.gates.breaker import breaker_after
from dualgate.core.machine.history import apply
from dualgate.core.machine.moves import decide
from dualgate.core.money.usage import escalations_document
from dualgate.core.record.breaker_changes import breaker_changes
from dualgate.core.record.records import first_record, records_after
from dualgate.core.report.moments import moment_of
from dualgate.core.team.escalation import escalated, next_step, tried
from dualgate.core.team.fallover import asked_agent, candidates, in_charge
from dualgate.core.values.answer import Answer, Ending, Usage
from dualgate.core.values.events import CallEnded, CallStarted, TurnEnded
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState
from dualgate.core.values.team import Escalation, FailuresInARow, Lineup, Out
from dualgate.core.values.verdict import Breaker, Marks, Move, Outcome, Verdict
from dualgate.core.values.vocabulary import BreakerState, Decision, HaltCause, Phase, Status
from dualgate.testing import NOW, a_start, a_state, facts, not_done

STEPS = ("claude:opus", "codex")
LINEUP = Lineup(every=("claude",), escalation={Phase.GREEN: STEPS, Phase.QA: STEPS})
OPEN = Breaker(state=BreakerState.OPEN, no_progress=3, same_error=1, last_error="e")
STAYS = Verdict(outcome=Outcome.STAY, gate_1=False, gate_2=True, reasons=("2 failing",))


def a_phase(phase: Phase = Phase.GREEN, *steps: str, **values: Any) -> LoopState:
    """A state in which these agents took over."""
    took = tuple(
        Escalation(at=NOW, phase=phase, iteration=3, agent=name, before="claude", reason="no progress")
        for name in steps
    )
    return a_state(phase=phase, lineup=LINEUP, escalations=took, **values)


def moved(state: LoopState, breaker: Breaker = OPEN, verdict: Verdict = STAYS) -> Move:
    return decide(state, facts(state.phase, not_done(error="boom")), verdict, breaker)


def a_turn(state: LoopState, breaker: Breaker = OPEN) -> TurnEnded:
    move = moved(state, breaker)
    return TurnEnded(
        at=NOW, facts=facts(state.phase), verdict=STAYS, breaker=breaker, move=move, agent=asked_agent(state)
    )


def test_each_takes_over_once_and_then_the_phase_halts_with_all_named() -> None:
    first, second, last = moved(a_phase()), moved(a_phase(Phase.GREEN, *STEPS[:1])), moved(a_phase(Phase.GREEN, *STEPS))

    assert [(each.decision, each.escalates_to) for each in (first, second)] == [
        (Decision.ESCALATE, "claude:opus"),
        (Decision.ESCALATE, "codex"),
    ]
    assert first.why_escalated == "no progress in 3 iterations"
    assert (last.decision, last.status, last.cause) == (Decision.STUCK, Status.HALTED, HaltCause.NO_PROGRESS)
    assert last.halt_reason == "GREEN: no progress in 3 iterations, also with claude:opus, codex: 2 failing"


def test_without_a_configured_step_the_breaker_halts_as_ever() -> None:
    move = moved(a_state(phase=Phase.GREEN))

    assert (move.decision, move.halt_reason) == (Decision.STUCK, "GREEN: no progress in 3 iterations: 2 failing")


def test_the_same_answers_in_a_row_escalate_too() -> None:
    stuck = Verdict(outcome=Outcome.STUCK, gate_1=False, gate_2=False)

    assert moved(a_phase(), verdict=stuck).escalates_to == "claude:opus"
    halted = moved(a_phase(Phase.GREEN, *STEPS), verdict=stuck)
    assert halted.halt_reason == "GREEN: the same error in the last answers: boom, also with claude:opus, codex"


def test_the_last_iteration_of_a_phase_leaves_nothing_to_take_over() -> None:
    move = moved(a_phase(iteration=9, max_iterations=10))

    assert (move.decision, move.status) == (Decision.STUCK, Status.HALTED)


@pytest.mark.parametrize(
    ("state", "step"),
    [
        (a_phase(), "claude:opus"),
        (a_phase(outs={"claude:opus": Out(reason="no login")}), "codex"),
        (a_phase(Phase.GREEN, "codex"), "claude:opus"),
        (a_phase(Phase.RED), ""),
        (a_phase(Phase.QA, writers=("claude", "claude:opus")), "codex"),
        (a_phase(Phase.QA, writers=("codex",)), "claude:opus"),
    ],
)
def test_the_next_step_was_not_tried_is_not_out_and_does_not_review_its_own_code(state: LoopState, step: str) -> None:
    assert next_step(state) == step


def test_the_breaker_is_half_open_and_its_counts_begin_again() -> None:
    state = a_phase(breaker=Breaker(no_progress=2), chosen={Phase.GREEN: "claude", Phase.RED: "codex"})

    after = apply(state, a_turn(state))

    assert (after.breaker.state, after.breaker.no_progress, after.breaker.same_error) == (BreakerState.HALF_OPEN, 0, 0)
    assert (asked_agent(after), after.chosen, after.status) == ("claude:opus", {Phase.RED: "codex"}, Status.RUNNING)
    (step,) = after.escalations
    assert (step.agent, step.before, step.iteration, step.phase) == ("claude:opus", "claude", 1, Phase.GREEN)
    limits, marks = after.limits, Marks(failing=2, passing=0)
    counts = [after.breaker]
    for _ in range(3):
        counts.append(breaker_after(counts[-1], Phase.GREEN, marks, limits))
    assert [each.state for each in counts[1:]][-1] is BreakerState.OPEN


def test_the_change_of_the_breaker_names_who_takes_over() -> None:
    state = a_phase(breaker=Breaker(no_progress=2, state=BreakerState.HALF_OPEN))
    turn = a_turn(state)

    reasons = [change.reason for change in breaker_changes(turn, state, apply(state, turn))]

    assert reasons == ["no progress in 3 iterations", "claude:opus takes over"]


def test_errors_of_answers_before_do_not_count_for_the_one_that_takes_over() -> None:
    state = a_phase(failures=FailuresInARow(errors=("boom", "boom")))

    assert escalated(state, replace(a_turn(state), agent="")).failures.errors == ()


def test_an_agent_that_took_over_stays_in_its_phase_and_the_plain_one_is_next() -> None:
    state = a_phase(Phase.GREEN, "claude:opus")

    assert (candidates(state), in_charge(state)) == (("claude:opus", "claude"), "claude:opus")
    elsewhere = replace(state, phase=Phase.REFACTOR)
    assert (candidates(elsewhere), in_charge(elsewhere), tried(elsewhere)) == (("claude",), "", ())


def test_an_agent_that_is_not_configured_any_more_is_not_asked() -> None:
    state = replace(a_phase(Phase.GREEN, "claude:opus"), lineup=Lineup(every=("claude",)))

    assert (asked_agent(state), next_step(state)) == ("claude", "")


def test_the_usage_of_who_took_over_is_counted_apart() -> None:
    state = a_phase(Phase.GREEN, "claude:opus")

    for number, agent in enumerate(("claude:opus", "claude"), start=1):
        state = apply(state, CallStarted(at=NOW, number=number, phase=Phase.GREEN, iteration=4, agent=agent))
        answer = Answer(usage=Usage(input=10, output=1), cost_usd=0.5)
        ended = CallEnded(
            at=NOW, number=number, exit_code=0, ending=Ending.EXITED, seconds=1, answer=answer, agent=agent
        )
        state = apply(state, ended)

    apart, total = state.spending.escalated, state.spending.total
    assert (apart.calls, apart.cost_usd, apart.without_cost) == (1, 0.5, 0)
    assert (total.calls, total.cost_usd) == (2, 1.0)


def test_the_lineup_names_everybody_who_may_be_asked() -> None:
    assert LINEUP.everybody == ("claude", "claude:opus", "codex")


def test_a_takeover_is_told_in_documents_the_phase_log_and_the_timeline() -> None:
    state = a_phase()
    turn = a_turn(state)
    after = apply(state, turn)

    view, _ = first_record(a_start(), state)
    _, (said, *_) = records_after(view, turn, state, after)
    moment = moment_of(turn, state)

    (step,) = escalations_document(after)
    assert (step["agent"], step["at"]) == ("claude:opus", NOW.isoformat())
    assert said.recommendation == "claude:opus takes over: no progress in 3 iterations"
    assert moment is not None
    assert moment.text.endswith("claude:opus takes over: no progress in 3 iterations")
