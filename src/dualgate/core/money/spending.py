"""CallStarted, CallEnded -> Spending: count the usage of a session's calls, in this one place.

A call counts from its start, so an interrupted call counts too. Usage that a call did not report is
never guessed: the sums are then a lower bound.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from fnmatch import fnmatchcase

from dualgate.core.values.answer import Answer, Usage
from dualgate.core.values.limits import Price
from dualgate.core.values.replacing import replace
from dualgate.core.values.spending import NOTHING, UNREPORTED, Charge, IterationUse, Spending, Used
from dualgate.core.values.vocabulary import Phase

HOUR = timedelta(hours=1)
ITERATIONS_KEPT = 50


def call_started(
    spending: Spending, phase: Phase, iteration: int, at: datetime, is_escalated: bool = False
) -> Spending:
    begun = _apart(_added(spending, phase, iteration, UNREPORTED), UNREPORTED, is_escalated)
    return replace(begun, recent=(*_since(spending.recent, at - HOUR), Charge(started=at)))


def _since(recent: tuple[Charge, ...], since: datetime) -> tuple[Charge, ...]:
    """Drop the oldest charges before `since`, and stop at the first newer one to stay fast."""
    gone = next((n for n, charge in enumerate(recent) if (charge.ended or charge.started) > since), len(recent))
    return recent[gone:]


def call_ended(
    spending: Spending,
    phase: Phase,
    iteration: int,
    answer: Answer,
    at: datetime,
    prices: Mapping[str, Price],
    is_escalated: bool = False,
) -> Spending:
    """Add the reported usage of the call that started last."""
    used = answer_used(answer, prices) - UNREPORTED
    spending = _apart(spending, used, is_escalated)
    ended = tuple(replace(charge, ended=at, tokens=used.tokens) for charge in spending.recent[-1:])
    return replace(_added(spending, phase, iteration, used), recent=(*spending.recent[:-1], *ended))


def answer_used(answer: Answer, prices: Mapping[str, Price]) -> Used:
    """Return the usage that one call reported."""
    usage = answer.usage
    used = UNREPORTED
    if usage is not None:
        used += Used(input=usage.input, output=usage.output, cached=usage.cached, without_tokens=-1)
    if answer.cost_usd is not None:
        return used + Used(cost_usd=answer.cost_usd, without_cost=-1)
    computed = computed_cost(usage, answer.model, prices)
    return used if computed is None else used + Used(cost_usd=computed, computed_usd=computed, without_cost=-1)


def _apart(spending: Spending, used: Used, is_escalated: bool) -> Spending:
    """Count the usage of an agent that took over for lack of progress on its own as well."""
    return replace(spending, escalated=spending.escalated + used) if is_escalated else spending


def _added(spending: Spending, phase: Phase, iteration: int, used: Used) -> Spending:
    if used == NOTHING:
        return spending
    before, last = spending.iterations[:-1], spending.iterations[-1:]
    if last and (last[0].phase, last[0].iteration) == (phase, iteration):
        used_so_far = last[0].used
    else:
        before, used_so_far = spending.iterations, NOTHING
    now = IterationUse(phase=phase, iteration=iteration, used=used_so_far + used)
    iterations = (*before, now)[-ITERATIONS_KEPT:]
    return replace(spending, phases={**spending.phases, phase: spending.of(phase) + used}, iterations=iterations)


MILLION = 1_000_000


def computed_cost(usage: Usage | None, model: str | None, prices: Mapping[str, Price]) -> float | None:
    """Compute the cost from the price with the model's exact name, else from the longest matching pattern."""
    fitting = [name for name in prices if name == model or fnmatchcase(model or "", name)]
    if usage is None or not fitting:
        return None
    price = prices[max(fitting, key=lambda name: (name == model, len(name)))]
    return _cost(price, usage)


def _cost(price: Price, usage: Usage) -> float | None:
    """Return the cost; None if the input or output price is missing."""
    if price.input is None or price.output is None:
        return None
    cached = price.input if price.cached is None else price.cached
    fresh = max(0, usage.input - usage.cached)
    return (fresh * price.input + usage.cached * cached + usage.output * price.output) / MILLION
