"""LoopState -> rows about what was used: calls, tokens, cost, and each budget."""

from collections.abc import Iterable

from dualgate.core.money.allowances import SHOWN, Allowance, show_calls, show_cost, show_tokens, tell_cost, tell_tokens
from dualgate.core.money.usage import Share, per_iteration, per_proven
from dualgate.core.values.answer import LimitUse
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Workflow
from dualgate.display.halts import Row, labelled
from dualgate.display.lines import shown


def calls_text(state: LoopState) -> str:
    """The number of calls, by agent if there were several."""
    if len(state.calls_by) < 2:
        return str(state.total_agent_calls)
    each = ", ".join(f"{shown(name)} {count}" for name, count in state.calls_by.items())
    switch = state.last_switch
    since = f"; {shown(switch.agent)} since {switch.at:%H:%M} in {switch.phase}: {switch.reason}" if switch else ""
    return f"{state.total_agent_calls} ({each}{since})"


def usage_rows(state: LoopState) -> list[Row]:
    """Calls, tokens and cost, and the shares of usage limits that agents reported."""
    return [*_used_rows(state), *limit_rows(state)]


def limit_rows(state: LoopState) -> list[Row]:
    return [
        ("Limits", f"{shown(agent)}, reported {report.at:%H:%M}: {', '.join(map(_limit_text, report.use))}")
        for agent, report in state.limit_reports.items()
    ]


def _limit_text(use: LimitUse) -> str:
    until = f" until {use.resets_at.astimezone():%Y-%m-%d %H:%M}" if use.resets_at else ""
    return f"{shown(use.window)} {use.used:.0%} used{until}"


def _used_rows(state: LoopState) -> list[Row]:
    """One row if no call reported tokens or cost."""
    used = state.spending.total
    calls = ("Calls", calls_text(state))
    if not used.calls:
        return [calls]
    if not (used.tells_tokens or used.tells_cost):
        return [calls, ("Cost", "unknown: no call reported tokens or cost")]
    shares = [(per_iteration(state), "an iteration"), (per_proven(state), _for_each(state))]
    tokens = [_share(share, words, "tokens", used.without_tokens) for share, words in shares]
    cost = [_share(share, words, "cost_usd", used.without_cost) for share, words in shares]
    return [
        calls,
        ("Tokens", "; ".join(filter(None, [tell_tokens(used).removeprefix("tokens "), *tokens]))),
        ("Cost", "; ".join(filter(None, [tell_cost(used).removeprefix("cost "), *cost]))),
    ]


def escalation_rows(state: LoopState) -> list[Row]:
    """The takeovers for lack of progress, and the usage after them, which is a part of the total."""
    if not state.escalations:
        return []
    steps = [
        f"{each.phase} {each.iteration}: {shown(each.agent)} took over from {shown(each.before)}: {each.reason}"
        for each in state.escalations
    ]
    used = state.spending.escalated
    told = ", ".join((show_calls(used.calls), tell_tokens(used), tell_cost(used)))
    return labelled("Takeover", [*steps, f"used after that, as a part of the total: {told}"])


def budget_rows(allowances: Iterable[Allowance]) -> list[Row]:
    """The used part of each budget, and whether dualgate can watch it."""
    return labelled("Budget", [_budget(each) for each in allowances])


def _budget(allowance: Allowance) -> str:
    show = SHOWN[allowance.measure]
    used = f"{allowance.setting}: {show(allowance.amount)} of {show(allowance.most)}"
    unwatched = f"; cannot be enforced: {show_calls(allowance.unreported)} reported no {allowance.measure}"
    return f"{used}{unwatched}" if allowance.unreported else used


def _share(share: Share | None, words: str, measure: str, unreported: int) -> str:
    amount = getattr(share, measure) if share else None
    if amount is None:
        return ""
    text = show_tokens(amount) if measure == "tokens" else show_cost(amount)
    return f"{'at least ' if unreported else ''}{text} {words}"


def _for_each(state: LoopState) -> str:
    share = per_proven(state)
    one, more = ("criterion", "criteria") if state.workflow is Workflow.TDD else ("task", "tasks")
    count = share.count if share else 0
    return f"for the proven {one}" if count == 1 else f"for each of {count} proven {more}"
