"""What a run may use, by earlier sessions: the range, its ground, and how often the truth lies in it."""

import random

import pytest
from jsonschema import Draft202012Validator

from dualgate.core.money.estimate import (
    Earlier,
    Estimate,
    Range,
    estimate,
    estimate_document,
    estimate_text,
    scale,
    team_name,
)
from dualgate.core.report.schemas import schema
from dualgate.core.values.team import Lineup
from dualgate.core.values.vocabulary import Phase, Workflow

TDD, RALPH = Workflow.TDD, Workflow.RALPH


def a_session(size: int = 3, calls: int = 8, cost: float | None = 2.0, agent: str = "claude") -> Earlier:
    tokens = None if cost is None else calls * 30_000
    return Earlier(workflow=TDD, agent=agent, size=size, calls=calls, tokens=tokens, cost_usd=cost)


def test_without_an_earlier_session_nothing_is_estimated() -> None:
    found = estimate([], TDD, "claude", 3)

    assert (estimate_text(found), found.calls) == ("no earlier session of this project: no estimate", None)


def test_sessions_of_the_other_workflow_say_nothing() -> None:
    found = estimate([a_session()], RALPH, "claude", 3)

    assert estimate_text(found) == "only sessions of the other workflow completed: no estimate"


def test_the_range_names_its_ground() -> None:
    earlier = [a_session(3, 8, 1.5), a_session(8, 20, 4.0), a_session(5, 12, 2.0)]

    assert estimate_text(estimate(earlier, TDD, "claude", 5)) == (
        "6 to 26 calls, 180,000 to 780,000 tokens, $1.10 to $5.23: from 3 earlier sessions with 3 to 8 criteria, claude"
    )


def test_a_larger_specification_costs_more_but_not_in_proportion() -> None:
    assert scale(a_session(3), 3) == 1.0
    assert scale(a_session(3), 11) == 2.0
    one = Earlier(workflow=RALPH, agent="claude", size=3, calls=4)
    assert scale(one, 7) == 2.0


def test_sessions_of_the_same_agents_win_over_others_and_others_are_named() -> None:
    earlier = [a_session(calls=8), a_session(calls=80, agent="codex")]

    own, foreign, unknown = (estimate(earlier, TDD, agent, 3) for agent in ("codex", "gemini", ""))

    assert (own.sessions, own.ground) == (1, "from 1 earlier session with 3 criteria, codex")
    assert foreign.ground == "from 2 earlier sessions with 3 criteria, other agents: claude, codex"
    assert unknown.ground == "from 2 earlier sessions with 3 criteria, claude, codex"


def test_an_unknown_cost_is_said_and_not_guessed() -> None:
    found = estimate([a_session(cost=None)], TDD, "claude", 3)

    assert estimate_text(found) == "5 to 24 calls, cost unknown: from 1 earlier session with 3 criteria, claude"


def test_one_odd_session_of_many_does_not_decide_the_range() -> None:
    earlier = [a_session(calls=8)] * 19 + [a_session(calls=800)]

    assert estimate(earlier, TDD, "claude", 3).calls == Range(low=8, high=8)


def test_a_run_makes_one_call_for_each_phase_at_least() -> None:
    assert estimate([a_session(size=20, calls=5)], TDD, "claude", 1).calls == Range(low=5, high=5)


def test_small_figures_keep_their_digits() -> None:
    few = Earlier(workflow=TDD, agent="claude", size=3, calls=9, tokens=7)

    assert "2 to 21 tokens" in estimate_text(estimate([few], TDD, "claude", 3))


def test_a_team_is_named_by_the_first_agents_of_its_phases() -> None:
    lineup = Lineup(every=("claude", "gemini"), by_phase={Phase.QA: ("codex",)})

    assert team_name(lineup, TDD) == "claude and codex"
    assert team_name(lineup, RALPH) == "claude"
    assert team_name(Lineup(), TDD) == ""


@pytest.mark.parametrize("found", [estimate([a_session()], TDD, "claude", 3), Estimate(ground="nothing")])
def test_the_document_has_a_schema(found: Estimate) -> None:
    Draft202012Validator(schema("estimate")).validate(estimate_document(found))


def generated(rng: random.Random, count: int, spread: float, fixed: int) -> list[Earlier]:
    """Sessions whose cost grows with their criteria, with a fixed part, and spreads as costs do."""
    sizes = [rng.randint(2, 10) for _ in range(count)]
    costs = [0.1 * (fixed + size) * rng.lognormvariate(0, spread) for size in sizes]
    return [a_session(size, 10, cost) for size, cost in zip(sizes, costs, strict=True)]


@pytest.mark.parametrize("spread", [0.3, 0.5])
@pytest.mark.parametrize("fixed", [0, 5, 15])
@pytest.mark.parametrize("count", [2, 4, 6, 10, 16, 31])
def test_the_true_cost_is_in_the_range_in_three_of_four_histories_at_least(
    spread: float, fixed: int, count: int
) -> None:
    rng, hits = random.Random(f"{spread} {fixed} {count}"), 0
    for _ in range(100):
        *earlier, left_out = generated(rng, count, spread, fixed)
        found = estimate(earlier, TDD, "claude", left_out.size)
        hits += found.cost_usd is not None and (left_out.cost_usd or 0) in found.cost_usd

    assert hits >= 75
