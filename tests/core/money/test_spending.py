from dataclasses import replace
from datetime import timedelta
from typing import Any

from dualgate.core.machine.history import apply
from dualgate.core.money.spending import ITERATIONS_KEPT
from dualgate.core.values.answer import Answer, Ending, Usage
from dualgate.core.values.events import CallEnded, CallInterrupted, CallStarted
from dualgate.core.values.limits import Limits, Price
from dualgate.core.values.spending import Charge, Used
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import NOW, a_state

TOLD = Answer(usage=Usage(input=900, output=100, cached=500), cost_usd=0.25)


def begun(state: LoopState, minutes: float = 0.0, phase: Phase | None = None) -> LoopState:
    return apply(
        state,
        CallStarted(
            at=NOW + timedelta(minutes=minutes),
            number=state.total_agent_calls + 1,
            phase=phase or state.phase,
            iteration=state.iteration + 1,
        ),
    )


def called(state: LoopState, answer: Answer = TOLD, minutes: float = 0.0, phase: Phase | None = None) -> LoopState:
    """The state after one whole call, which took a minute."""
    ended: dict[str, Any] = {"exit_code": 0, "ending": Ending.EXITED, "seconds": 60.0, "answer": answer}
    at = NOW + timedelta(minutes=minutes + 1)
    number = state.total_agent_calls + 1
    return apply(begun(state, minutes, phase), CallEnded(at=at, number=number, phase=phase or state.phase, **ended))


def test_every_call_adds_what_it_told() -> None:
    used = called(called(a_state())).spending.total

    assert used == Used(calls=2, input=1800, output=200, cached=1000, cost_usd=0.5)
    assert (used.tokens, used.tells_tokens, used.tells_cost) == (2000, True, True)


def test_what_a_call_does_not_tell_is_counted_and_not_guessed() -> None:
    used = called(called(a_state()), Answer()).spending.total

    assert (used.calls, used.tokens, used.without_tokens, used.without_cost) == (2, 1000, 1, 1)
    silent = called(a_state(), Answer()).spending.total
    assert (silent.tells_tokens, silent.tells_cost) == (False, False)


def test_a_call_that_was_cut_off_counts_once_and_told_nothing() -> None:
    cut = apply(begun(a_state()), CallInterrupted(at=NOW, number=1))

    used = called(cut).spending.total

    assert (used.calls, used.tokens, used.without_tokens, used.without_cost) == (2, 1000, 1, 1)


def test_a_call_is_on_the_account_of_the_phase_that_the_run_is_in() -> None:
    green = called(replace(called(a_state()), phase=Phase.GREEN))
    asked_about_a_test = called(green, phase=Phase.QA)

    spending = asked_about_a_test.spending
    assert {phase: used.calls for phase, used in spending.phases.items()} == {Phase.RED: 1, Phase.GREEN: 2}
    assert (spending.of(Phase.GREEN).tokens, spending.of(Phase.QA)) == (2000, Used())


def test_an_iteration_has_what_all_its_calls_used() -> None:
    twice = called(called(a_state()))
    state = called(replace(twice, iteration=1))

    assert [(each.phase, each.iteration, each.used.calls) for each in state.spending.iterations] == [
        (Phase.RED, 1, 2),
        (Phase.RED, 2, 1),
    ]


def test_the_last_iterations_are_kept() -> None:
    state = a_state()
    for iteration in range(ITERATIONS_KEPT + 2):
        state = called(replace(state, iteration=iteration))

    kept = state.spending.iterations
    assert (len(kept), kept[0].iteration, state.spending.total.calls) == (ITERATIONS_KEPT, 3, ITERATIONS_KEPT + 2)


def test_calls_of_the_last_hour_are_known_by_their_times() -> None:
    state = begun(called(called(a_state(), minutes=0), minutes=20), minutes=61.5)

    assert state.spending.recent == (
        Charge(started=NOW + timedelta(minutes=20), ended=NOW + timedelta(minutes=21), tokens=1000),
        Charge(started=NOW + timedelta(minutes=61.5)),
    )


def test_a_cost_that_is_not_told_is_computed_from_the_users_prices_and_marked() -> None:
    limits = Limits(prices={"opus": Price(input=1000.0, output=1000.0)})
    silent = Answer(usage=Usage(input=900, output=100), model="opus")

    used = called(called(a_state(prices=limits.prices)), silent).spending.total

    assert (used.cost_usd, used.computed_usd, used.without_cost) == (1.25, 1.0, 0)


def test_sums_of_dollars_do_not_show_how_a_machine_adds() -> None:
    state = a_state()
    for _ in range(3):
        state = called(state, Answer(cost_usd=0.1))

    assert state.spending.total.cost_usd == 0.3
