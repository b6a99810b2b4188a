"""LoopState -> Allowances: each budget of calls, tokens or dollars, and its usage.

Time is handled in `budget.py`: it passes whether calls are made or not.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from dualgate.core.values.spending import Used
from dualgate.core.values.state import LoopState

_COMPUTED = "computed from your prices"


def show_calls(count: float) -> str:
    return "1 call" if count == 1 else f"{round(count):,} calls"


def show_tokens(count: float) -> str:
    return "1 token" if count == 1 else f"{round(count):,} tokens"


def show_cost(dollars: float) -> str:
    """Show dollars with two decimals; amounts below a cent with four."""
    return f"${dollars:,.2f}" if dollars >= 0.01 or not dollars else f"${dollars:.4f}"


def tell_tokens(used: Used) -> str:
    if not used.tells_tokens:
        return "tokens unknown"
    return _least(show_tokens(used.tokens), used.without_tokens)


def tell_cost(used: Used) -> str:
    if not used.tells_cost:
        return "cost unknown"
    part = "" if used.computed_usd == used.cost_usd else f"{show_cost(used.computed_usd)} of it "
    computed = f", {part}{_COMPUTED}" if used.computed_usd else ""
    return _least(f"{show_cost(used.cost_usd)}{computed}", used.without_cost)


def _least(amount: str, unreported: int) -> str:
    return f"at least {amount}; {show_calls(unreported)} did not report it" if unreported else amount


class Measure(StrEnum):
    CALLS = "calls"
    TOKENS = "tokens"
    COST = "cost"


_AMOUNTS: Mapping[Measure, Callable[[Used], float]] = {
    Measure.CALLS: lambda used: used.calls,
    Measure.TOKENS: lambda used: used.tokens,
    Measure.COST: lambda used: used.cost_usd,
}
_UNREPORTED: Mapping[Measure, Callable[[Used], int]] = {
    Measure.CALLS: lambda _: 0,
    Measure.TOKENS: lambda used: used.without_tokens,
    Measure.COST: lambda used: used.without_cost,
}
SHOWN: Mapping[Measure, Callable[[float], str]] = {
    Measure.CALLS: show_calls,
    Measure.TOKENS: show_tokens,
    Measure.COST: show_cost,
}
_USED_TEXTS: Mapping[Measure, Callable[[Used], str]] = {
    Measure.CALLS: lambda used: show_calls(used.calls),
    Measure.TOKENS: tell_tokens,
    Measure.COST: tell_cost,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    setting: str
    flag: str
    """The command-line flag, up to the number."""
    whose: str
    measure: Measure
    most: float
    used: Used

    @property
    def amount(self) -> float:
        """The reported usage."""
        return _AMOUNTS[self.measure](self.used)

    @property
    def unreported(self) -> int:
        """Number of calls with unknown usage."""
        return _UNREPORTED[self.measure](self.used)

    @property
    def is_spent(self) -> bool:
        return self.amount >= self.most

    @property
    def used_text(self) -> str:
        return _USED_TEXTS[self.measure](self.used)

    @property
    def sentence(self) -> str:
        most = SHOWN[self.measure](self.most)
        return f"the budget of {self.whose}, {most} ({self.setting}), is spent: {self.used_text}"

    @property
    def way_on(self) -> str:
        """The command that continues, with the next multiple of the budget that is not spent."""
        # computed in decimal, not in binary fractions: the next multiple of 0.1 after 0.3 is 0.4
        times = Fraction(str(self.amount)) // Fraction(str(self.most)) + 1
        return f"dualgate resume {self.flag}{(Decimal(str(self.most)) * times).normalize():f}"


def allowances(state: LoopState) -> Iterator[Allowance]:
    """Yield the budgets of the run, then those of the current phase."""
    limits, total = state.limits, state.spending.total
    run = {Measure.TOKENS: ("max_tokens", limits.max_tokens), Measure.COST: ("max_cost", limits.max_cost)}
    for measure, (setting, most) in run.items():
        if most is not None:
            flag = f"--{setting.replace('_', '-')} "
            yield Allowance(setting=setting, flag=flag, whose="this run", measure=measure, most=most, used=total)
    yield from _of_phase(state)


def spent_allowance(state: LoopState) -> Allowance | None:
    """Return the first spent budget."""
    return next((each for each in allowances(state) if each.is_spent), None)


def _of_phase(state: LoopState) -> Iterator[Allowance]:
    phase, budget = state.phase, state.limits.budget_of(state.phase)
    for measure in Measure:
        most = getattr(budget, measure)
        if most is not None:
            yield Allowance(
                setting=f"budget.{phase}.{measure}",
                flag=f"--budget {phase}.{measure}=",
                whose=phase,
                measure=measure,
                most=most,
                used=state.spending.of(phase),
            )
