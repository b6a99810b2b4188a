import pytest

from dualgate.core.money.spending import computed_cost
from dualgate.core.values.answer import Usage
from dualgate.core.values.limits import Price

USAGE = Usage(input=1_000_000, output=100_000, cached=400_000)
PRICES = {
    "opus-5": Price(input=10.0, output=50.0, cached=1.0),
    "opus-*": Price(input=20.0, output=50.0),
    "*": Price(input=0.0, output=0.0),
}

CASES = [
    ("opus-5", 6.0 + 0.4 + 5.0),
    ("opus-5-20260101", 20.0 + 5.0),
    ("other", 0.0),
    (None, 0.0),
]


@pytest.mark.parametrize(("model", "cost"), CASES)
def test_a_call_costs_by_the_price_of_its_model_or_of_the_longest_pattern(model: str | None, cost: float) -> None:
    assert computed_cost(USAGE, model, PRICES) == pytest.approx(cost)


def test_a_model_without_a_whole_price_costs_nobody_knows_what() -> None:
    assert computed_cost(USAGE, "sonnet", {"opus-*": PRICES["opus-*"]}) is None
    assert computed_cost(USAGE, "opus-5", {"opus-5": Price(input=1.0)}) is None
    assert computed_cost(USAGE, "opus-5", {"opus-5": Price(output=1.0)}) is None
    assert computed_cost(None, "opus-5", PRICES) is None


def test_more_from_the_cache_than_was_read_is_not_paid_back() -> None:
    odd = Usage(input=10, output=0, cached=1_000_000)

    assert computed_cost(odd, "opus-5", PRICES) == pytest.approx(1.0)
