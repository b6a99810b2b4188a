from dataclasses import replace
from typing import Any

import pytest

from dualgate.core.machine.controls import ways_on
from dualgate.core.machine.history import apply
from dualgate.core.money.allowances import allowances, spent_allowance
from dualgate.core.money.budget import halt_before_call
from dualgate.core.values.events import SessionAborted, SessionResumed
from dualgate.core.values.limits import Limits, PhaseBudget
from dualgate.core.values.spending import Spending, Used
from dualgate.core.values.vocabulary import Decision, Phase, Status, WayOn
from dualgate.testing import NOW, a_state

USED = Used(calls=4, input=11_000, output=1_300, cost_usd=2.5)
SPENDING = Spending(phases={Phase.RED: USED, Phase.GREEN: Used(calls=2, input=500, cost_usd=0.5)})

ENOUGH: list[dict[str, Any]] = [
    {},
    {"max_tokens": 12_801},
    {"max_cost": 3.01},
    {"budgets": {Phase.RED: PhaseBudget(calls=5, tokens=12_301, cost=2.6)}},
    {"budgets": {Phase.GREEN: PhaseBudget(calls=1)}},
]
SPENT = [
    ({"max_tokens": 10_000}, "the budget of this run, 10,000 tokens (max_tokens), is spent: 12,800 tokens"),
    ({"max_cost": 3.0}, "the budget of this run, $3.00 (max_cost), is spent: $3.00"),
    (
        {"budgets": {Phase.RED: PhaseBudget(calls=4)}},
        "the budget of RED, 4 calls (budget.RED.calls), is spent: 4 calls",
    ),
    (
        {"budgets": {Phase.RED: PhaseBudget(tokens=300)}},
        "the budget of RED, 300 tokens (budget.RED.tokens), is spent: 12,300 tokens",
    ),
    ({"budgets": {Phase.RED: PhaseBudget(cost=1)}}, "the budget of RED, $1.00 (budget.RED.cost), is spent: $2.50"),
]
WAYS = [
    ({"max_tokens": 10_000}, "dualgate resume --max-tokens 20000"),
    ({"max_tokens": 12_800}, "dualgate resume --max-tokens 25600"),
    ({"max_cost": 0.5}, "dualgate resume --max-cost 3.5"),
    ({"budgets": {Phase.RED: PhaseBudget(cost=2.0)}}, "dualgate resume --budget RED.cost=4"),
    ({"budgets": {Phase.RED: PhaseBudget(calls=4)}}, "dualgate resume --budget RED.calls=8"),
]


@pytest.mark.parametrize("limits", ENOUGH)
def test_a_call_is_made_while_nothing_is_spent(limits: dict[str, Any]) -> None:
    assert spent_allowance(a_state(spending=SPENDING, **limits)) is None


@pytest.mark.parametrize(("limits", "sentence"), SPENT)
def test_a_budget_that_is_spent_is_named_with_what_was_used(limits: dict[str, Any], sentence: str) -> None:
    spent = spent_allowance(a_state(spending=SPENDING, **limits))

    assert spent is not None
    assert spent.sentence == sentence


@pytest.mark.parametrize(("limits", "command"), WAYS)
def test_the_way_on_is_a_command_whose_budget_is_not_spent(limits: dict[str, Any], command: str) -> None:
    spent = spent_allowance(a_state(spending=SPENDING, **limits))

    assert spent is not None
    assert spent.way_on == command


@pytest.mark.parametrize(("most", "cost", "enough"), [(0.1, 0.3, "0.4"), (0.001, 0.0015, "0.002"), (0.5, 0.5, "1")])
def test_the_way_on_is_more_than_was_spent_however_small_it_is(most: float, cost: float, enough: str) -> None:
    spending = Spending(phases={Phase.RED: Used(calls=1, cost_usd=cost)})

    (allowance,) = allowances(a_state(spending=spending, max_cost=most))

    assert allowance.way_on == f"dualgate resume --max-cost {enough}"


def test_a_budget_is_spent_by_what_is_known_and_says_what_is_not() -> None:
    partly = Spending(phases={Phase.RED: replace(USED, without_tokens=2, without_cost=4)})

    tokens, cost = allowances(a_state(spending=partly, max_tokens=10_000, max_cost=1.0))

    assert (tokens.used_text, tokens.unreported) == ("at least 12,300 tokens; 2 calls did not report it", 2)
    assert (cost.used_text, cost.unreported) == ("cost unknown", 4)
    assert next(allowances(a_state(budgets={Phase.RED: PhaseBudget(calls=1)}))).unreported == 0


def test_a_run_whose_budget_is_spent_halts_and_goes_on_with_a_larger_one_alone() -> None:
    state = a_state(spending=SPENDING, max_tokens=10_000)

    halt = halt_before_call(state, NOW)

    assert halt is not None
    assert halt.decision is Decision.BUDGET_EXHAUSTED
    assert halt.reason.endswith("12,800 tokens. Continue with: dualgate resume --max-tokens 20000")
    halted = apply(state, halt)
    assert ways_on(halted)[0] == (WayOn.RAISE, "dualgate resume --max-tokens 20000")
    assert [way for way, _ in ways_on(halted)] == [WayOn.RAISE, WayOn.SKIP, WayOn.ABORT]
    same = apply(halted, SessionResumed(at=NOW, by="ada", limits=state.limits))
    more = apply(halted, SessionResumed(at=NOW, by="ada", limits=Limits(max_tokens=20_000)))
    assert (same.status, same.way_on, halt_before_call(same, NOW)) == (Status.RUNNING, "", halt)
    assert halt_before_call(more, NOW) is None
    assert apply(halted, SessionAborted(at=NOW, by="ada")).way_on == ""
