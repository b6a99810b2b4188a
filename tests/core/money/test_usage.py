from dataclasses import replace
from typing import Any

import pytest

from dualgate.core.money.usage import Share, per_iteration, per_proven, unwatched_by, usage_document
from dualgate.core.record.loop_document import USAGE
from dualgate.core.values.answer import Answer, Usage
from dualgate.core.values.limits import PhaseBudget, Price
from dualgate.core.values.shapes import check
from dualgate.core.values.specification import Plan
from dualgate.core.values.spending import IterationUse, Spending, Used
from dualgate.core.values.state import LoopState, PhaseVisit
from dualgate.core.values.vocabulary import Phase, Status, Workflow
from dualgate.testing import NOW, a_state

RED = Used(calls=2, input=3000, output=1000, cached=500, cost_usd=1.0, without_tokens=1)
GREEN = Used(calls=2, input=5000, output=1000, cost_usd=0.5, computed_usd=0.5)
SPENDING = Spending(
    phases={Phase.RED: RED, Phase.GREEN: GREEN},
    iterations=(IterationUse(phase=Phase.RED, iteration=1, used=RED),),
)
UNPRICED = "the call reported no cost, and [prices] has no price for its model"


def a_used_state(**values: Any) -> LoopState:
    visits = tuple(PhaseVisit(phase=phase, started_at=NOW, iterations=2) for phase in (Phase.RED, Phase.GREEN))
    return a_state(**{"spending": SPENDING, "visits": visits, "criteria": 5, **values})


def test_what_was_used_is_divided_by_iterations_and_by_what_was_proven() -> None:
    state = a_used_state()
    proven = replace(state, status=Status.COMPLETED)

    assert per_iteration(state) == Share(count=4, tokens=2500, cost_usd=0.375)
    assert (per_proven(state), per_proven(proven)) == (None, Share(count=5, tokens=2000, cost_usd=0.3))
    assert per_iteration(a_state()) is None


def test_a_list_counts_by_its_ticked_tasks() -> None:
    plan = Plan(file="plan.md", done=("one", "two"), open=())
    proven = a_used_state(workflow=Workflow.RALPH, status=Status.COMPLETED)

    found = per_proven(replace(proven, plan=plan))

    assert (found and found.count, per_proven(proven)) == (2, None)


def test_what_no_call_told_has_no_share() -> None:
    silent = Spending(phases={Phase.RED: Used(calls=2, without_tokens=2, without_cost=2)})

    assert per_iteration(a_used_state(spending=silent)) == Share(count=4, tokens=None, cost_usd=None)


def test_the_document_tells_all_of_it_and_has_its_shape() -> None:
    document = usage_document(a_used_state(max_tokens=20_000, budgets={Phase.RED: PhaseBudget(calls=9)}))

    assert list(check(USAGE, document, "usage")) == []
    assert (document["calls"], document["tokens"], document["cost_usd"], document["computed_usd"]) == (
        4,
        10_000,
        1.5,
        0.5,
    )
    assert (document["calls_without_tokens"], document["per_iteration"]["tokens"]) == (1, 2500)
    assert document["per_proven_criterion"] is None
    assert document["phases"]["GREEN"]["tokens"] == 6000
    assert [(each["phase"], each["iteration"], each["tokens"]) for each in document["iterations"]] == [("RED", 1, 4000)]
    assert document["budgets"] == [
        {"setting": "max_tokens", "measure": "tokens", "most": 20_000, "used": 10_000, "calls_untold": 1},
        {"setting": "budget.RED.calls", "measure": "calls", "most": 9, "used": 2, "calls_untold": 0},
    ]


def test_a_session_without_calls_has_a_document_too() -> None:
    document = usage_document(a_state())

    assert list(check(USAGE, document, "usage")) == []
    assert (document["calls"], document["tokens"], document["cost_usd"], document["iterations"]) == (0, None, None, [])


SILENT = Answer()
COUNTING = Answer(usage=Usage(input=1), model="m")
WATCHED: list[tuple[Answer, dict[str, Any], tuple[str, ...]]] = [
    (SILENT, {}, ()),
    (SILENT, {"max_cost": 5.0}, (f"max_cost cannot be enforced: {UNPRICED}",)),
    (SILENT, {"max_tokens_per_hour": 5}, ("max_tokens_per_hour cannot be enforced: the call reported no tokens",)),
    (
        SILENT,
        {"max_tokens": 5, "budgets": {Phase.RED: PhaseBudget(calls=1, cost=2.0)}},
        (
            "max_tokens cannot be enforced: the call reported no tokens",
            f"budget.RED.cost cannot be enforced: {UNPRICED}",
        ),
    ),
    (COUNTING, {"max_tokens": 5, "max_tokens_per_hour": 5}, ()),
    (COUNTING, {"max_cost": 5.0}, (f"max_cost cannot be enforced: {UNPRICED}",)),
    (COUNTING, {"max_cost": 5.0, "prices": {"m": Price(input=1.0, output=1.0)}}, ()),
    (Answer(cost_usd=0.1), {"max_cost": 5.0}, ()),
]


@pytest.mark.parametrize(("answer", "limits", "said"), WATCHED)
def test_a_budget_that_a_call_does_not_let_be_watched_is_named(
    answer: Answer, limits: dict[str, Any], said: tuple[str, ...]
) -> None:
    assert unwatched_by(answer, a_state(**limits)) == said
