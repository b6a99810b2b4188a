"""Usage, the user's own prices -> what a call cost, where its CLI tells no figure."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from dualgate.core.answer import Usage

MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Dollars for a million tokens of each kind."""

    input: float | None = None
    output: float | None = None
    cached: float | None = None
    """Of those that came from a cache; None: as those that did not."""


def computed_cost(usage: Usage | None, model: str | None, prices: Mapping[str, Price]) -> float | None:
    """By the price of the model: that of its very name, else of the longest pattern that fits."""
    fitting = [name for name in prices if name == model or fnmatchcase(model or "", name)]
    if usage is None or not fitting:
        return None
    price = prices[max(fitting, key=lambda name: (name == model, len(name)))]
    return _cost(price, usage)


def _cost(price: Price, usage: Usage) -> float | None:
    """None where a part of the price is missing."""
    if price.input is None or price.output is None:
        return None
    cached = price.input if price.cached is None else price.cached
    fresh = max(0, usage.input - usage.cached)
    return (fresh * price.input + usage.cached * cached + usage.output * price.output) / MILLION
