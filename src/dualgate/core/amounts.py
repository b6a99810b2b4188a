"""Numbers of calls, tokens and dollars -> words, the same everywhere. What is not known is said."""

from dualgate.core.spending import Used

COMPUTED = "computed from your prices"


def show_calls(count: float) -> str:
    return "1 call" if count == 1 else f"{round(count):,} calls"


def show_tokens(count: float) -> str:
    return "1 token" if count == 1 else f"{round(count):,} tokens"


def show_cost(dollars: float) -> str:
    """In cents; what is less than one is told more finely."""
    return f"${dollars:,.2f}" if dollars >= 0.01 or not dollars else f"${dollars:.4f}"


def tell_tokens(used: Used) -> str:
    if not used.tells_tokens:
        return "tokens unknown"
    return _least(show_tokens(used.tokens), used.without_tokens)


def tell_cost(used: Used) -> str:
    if not used.tells_cost:
        return "cost unknown"
    part = "" if used.computed_usd == used.cost_usd else f"{show_cost(used.computed_usd)} of it "
    computed = f", {part}{COMPUTED}" if used.computed_usd else ""
    return _least(f"{show_cost(used.cost_usd)}{computed}", used.without_cost)


def _least(amount: str, untold: int) -> str:
    return f"at least {amount}; {show_calls(untold)} told none" if untold else amount
