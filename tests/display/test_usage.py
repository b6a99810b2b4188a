from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from dualgate.core.values.answer import Answer, Ending, LimitUse, Usage
from dualgate.core.values.events import CallEnded
from dualgate.core.values.limit_report import LimitReport
from dualgate.core.values.spending import Spending, Used
from dualgate.core.values.state import LoopState, PhaseVisit
from dualgate.core.values.vocabulary import Phase, Status
from dualgate.display.lines import Tone
from dualgate.display.live import lines
from dualgate.display.summary import summary
from dualgate.display.usage import usage_rows
from dualgate.testing import NOW, a_state


def used(**values: Any) -> LoopState:
    spending = Spending(
        phases={Phase.RED: Used(**{"calls": 5, "input": 9000, "output": 1000, "cost_usd": 2.0} | values)}
    )
    visit = PhaseVisit(phase=Phase.RED, started_at=NOW, iterations=4)
    return a_state(total_agent_calls=5, spending=spending, visits=(visit,), criteria=2)


def rows(state: LoopState) -> dict[str, str]:
    return {line[:8].strip(): line[9:] for line in summary(state).splitlines()}


def test_the_summary_tells_what_was_used_for_each_iteration_and_each_proven_criterion() -> None:
    under_way, proven = rows(used()), rows(replace(used(), status=Status.COMPLETED))

    assert under_way["Tokens"] == "10,000 tokens; 2,500 tokens an iteration"
    assert proven["Tokens"] == "10,000 tokens; 2,500 tokens an iteration; 5,000 tokens for each of 2 proven criteria"
    assert proven["Cost"] == "$2.00; $0.50 an iteration; $1.00 for each of 2 proven criteria"
    one = rows(replace(used(), status=Status.COMPLETED, criteria=1))
    assert one["Cost"].endswith("$2.00 for the proven criterion")


def test_the_summary_says_what_is_unknown() -> None:
    silent = rows(used(input=0, output=0, cost_usd=0.0, without_tokens=5, without_cost=5))
    partly = rows(used(without_tokens=2))

    assert silent["Cost"] == "unknown: no call reported tokens or cost"
    assert partly["Tokens"] == "at least 10,000 tokens; 2 calls did not report it; at least 2,500 tokens an iteration"
    assert rows(a_state()).keys() & {"Calls", "Tokens", "Cost"} == {"Calls"}


def test_the_summary_tells_what_is_left_of_each_budget_and_which_cannot_be_watched() -> None:
    state = used(without_cost=1)
    limits = replace(state.limits, max_tokens=50_000, max_cost=5.0)

    told = summary(replace(state, limits=limits))

    assert "Budget   max_tokens: 10,000 tokens of 50,000 tokens\n" in told
    assert "         max_cost: $2.00 of $5.00; cannot be enforced: 1 call reported no cost\n" in told


def test_a_call_is_told_with_what_it_used_and_what_cannot_be_watched() -> None:
    answer = Answer(usage=Usage(input=900, output=100))
    ended = CallEnded(at=NOW, number=1, exit_code=0, ending=Ending.EXITED, seconds=1.0, answer=answer)

    plain, warned = lines(ended, a_state()), lines(ended, a_state(max_cost=5.0))

    assert [line.text for line in plain] == ["RED       1  the call used 1,000 tokens"]
    assert (warned[1].tone, "max_cost cannot be enforced" in warned[1].text) == (Tone.BAD, True)
    both = replace(ended, answer=replace(answer, cost_usd=0.25))
    assert lines(both, a_state())[0].text.endswith("the call used 1,000 tokens and $0.25")


def test_the_used_shares_of_limits_are_shown_as_agents_reported_them() -> None:
    use = (
        LimitUse(window="five_hour", used=0.852),
        LimitUse(window="seven_day", used=0.1, resets_at=datetime(2026, 1, 1, 12, tzinfo=UTC)),
    )
    state = a_state(limit_reports={"claude": LimitReport(at=datetime(2026, 1, 1, 12, tzinfo=UTC), use=use)})

    ((_, text),) = (row for row in usage_rows(state) if row[0] == "Limits")

    assert text.startswith("claude, reported 12:00: five_hour 85% used, seven_day 10% used until 20")
