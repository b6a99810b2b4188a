import pytest

from dualgate.core.money.allowances import show_calls, show_cost, show_tokens, tell_cost, tell_tokens
from dualgate.core.values.spending import Used


def test_amounts_are_told_as_people_write_them() -> None:
    assert (show_calls(1), show_calls(1200)) == ("1 call", "1,200 calls")
    assert (show_tokens(1), show_tokens(12_300), show_tokens(0)) == ("1 token", "12,300 tokens", "0 tokens")
    assert (show_cost(0), show_cost(1234.5), show_cost(0.0042), show_cost(0.01)) == (
        "$0.00",
        "$1,234.50",
        "$0.0042",
        "$0.01",
    )


COSTS = [
    (Used(calls=2, without_cost=2), "cost unknown"),
    (Used(calls=2, cost_usd=0.42), "$0.42"),
    (Used(calls=2, cost_usd=0.42, without_cost=1), "at least $0.42; 1 call did not report it"),
    (Used(calls=2, cost_usd=0.5, computed_usd=0.5), "$0.50, computed from your prices"),
    (Used(calls=2, cost_usd=0.5, computed_usd=0.2), "$0.50, $0.20 of it computed from your prices"),
]


@pytest.mark.parametrize(("used", "told"), COSTS)
def test_a_cost_says_what_is_unknown_and_what_was_computed(used: Used, told: str) -> None:
    assert tell_cost(used) == told


def test_tokens_say_what_is_unknown() -> None:
    assert tell_tokens(Used(calls=1, without_tokens=1)) == "tokens unknown"
    assert tell_tokens(Used(calls=1, input=12_300)) == "12,300 tokens"
    assert tell_tokens(Used(calls=3, input=12_300, without_tokens=2)) == (
        "at least 12,300 tokens; 2 calls did not report it"
    )
