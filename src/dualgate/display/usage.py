"""LoopState -> rows that tell what a session used of calls, tokens and money, and of its budgets."""

from collections.abc import Iterator

from dualgate.core.money.allowances import SHOWN, Allowance, show_calls, show_cost, show_tokens, tell_cost, tell_tokens
from dualgate.core.money.usage import Share, per_iteration, per_proven
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Workflow


def usage_rows(state: LoopState) -> Iterator[tuple[str, str]]:
    used = state.spending.total
    if not used.calls:
        return
    shares = [(per_iteration(state), "an iteration"), (per_proven(state), _for_each(state))]
    tokens = [_share(share, words, "tokens", used.without_tokens) for share, words in shares]
    cost = [_share(share, words, "cost_usd", used.without_cost) for share, words in shares]
    yield "Tokens", "; ".join(filter(None, [tell_tokens(used).removeprefix("tokens "), *tokens]))
    yield "Cost", "; ".join(filter(None, [tell_cost(used).removeprefix("cost "), *cost]))


def budget_rows(allowances: Iterator[Allowance]) -> list[tuple[str, str]]:
    """What is left of each budget; one that cannot be watched says so."""
    return [("" if number else "Budget", _budget(each)) for number, each in enumerate(allowances)]


def cannot_be_watched(allowance: Allowance) -> str:
    return f"cannot be watched: {show_calls(allowance.unreported)} told no {allowance.measure}"


def _budget(allowance: Allowance) -> str:
    show = SHOWN[allowance.measure]
    told = f"{allowance.setting}: {show(allowance.amount)} of {show(allowance.most)}"
    return f"{told}; {cannot_be_watched(allowance)}" if allowance.unreported else told


def _share(share: Share | None, words: str, measure: str, unreported: int) -> str:
    amount = getattr(share, measure) if share else None
    if amount is None:
        return ""
    shown = show_tokens(amount) if measure == "tokens" else show_cost(amount)
    return f"{'at least ' if unreported else ''}{shown} {words}"


def _for_each(state: LoopState) -> str:
    share = per_proven(state)
    one, more = ("criterion", "criteria") if state.workflow is Workflow.TDD else ("task", "tasks")
    count = share.count if share else 0
    return f"for the proven {one}" if count == 1 else f"for each of {count} proven {more}"
