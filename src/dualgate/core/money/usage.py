"""LoopState -> usage of a session: in total, by phase, by iteration, and per proven criterion.

Displays and documents take their usage figures from here, so that they agree.
"""

from dataclasses import asdict, dataclass
from typing import Any

from dualgate.core.money.allowances import Allowance, Measure, allowances
from dualgate.core.money.spending import computed_cost
from dualgate.core.values.answer import Answer
from dualgate.core.values.spending import Used
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Workflow

NO_COST = "the call reported no cost, and [prices] has no price for its model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """Usage per unit. None if no call reported it; a lower bound if only some did."""

    count: int
    tokens: int | None
    cost_usd: float | None


def per_iteration(state: LoopState) -> Share | None:
    return _share(state.spending.total, sum(visit.iterations for visit in state.visits))


def per_proven(state: LoopState) -> Share | None:
    """Usage per criterion, or per task of a list; None unless the run is proven."""
    return _share(state.spending.total, _proven_count(state))


def unwatched_by(answer: Answer, state: LoopState) -> tuple[str, ...]:
    """List the budgets that cannot be checked, because the call did not report its usage."""
    cost = computed_cost(answer.usage, answer.model, state.limits.prices)
    missing = {
        Measure.TOKENS: "the call reported no tokens" if answer.usage is None else "",
        Measure.COST: NO_COST if answer.cost_usd is None and cost is None else "",
    }
    budgets = [(each.setting, each.measure) for each in allowances(state)]
    if state.limits.max_tokens_per_hour is not None:
        budgets.append(("max_tokens_per_hour", Measure.TOKENS))
    return tuple(f"{setting} cannot be enforced: {why}" for setting, each in budgets if (why := missing.get(each)))


def usage_document(state: LoopState) -> dict[str, Any]:
    spending = state.spending
    return {
        **used_document(spending.total),
        "per_iteration": _share_document(per_iteration(state)),
        "per_proven_criterion": _share_document(per_proven(state)),
        "phases": {phase.value: used_document(used) for phase, used in spending.phases.items()},
        "iterations": [
            {"phase": each.phase.value, "iteration": each.iteration, **used_document(each.used)}
            for each in spending.iterations
        ],
        "budgets": [_budget_document(each) for each in allowances(state)],
        **({"escalated": used_document(spending.escalated)} if state.escalations else {}),
    }


def escalations_document(state: LoopState) -> list[dict[str, Any]]:
    """The takeovers for lack of progress, in order."""
    return [asdict(each) | {"at": each.at.isoformat()} for each in state.escalations]


def used_document(used: Used) -> dict[str, Any]:
    """Sums of the reported usage; null if no call reported any."""
    tokens, cost = used.tells_tokens, used.tells_cost
    return {
        "calls": used.calls,
        "tokens": used.tokens if tokens else None,
        "input_tokens": used.input if tokens else None,
        "output_tokens": used.output if tokens else None,
        "cached_tokens": used.cached if tokens else None,
        "cost_usd": used.cost_usd if cost else None,
        "computed_usd": used.computed_usd if cost else None,
        "calls_without_tokens": used.without_tokens,
        "calls_without_cost": used.without_cost,
    }


def _proven_count(state: LoopState) -> int:
    if not state.proven:
        return 0
    if state.workflow is Workflow.TDD:
        return len(state.criteria_states) or state.criteria
    return len(state.plan.done) if state.plan else 0


def _share(used: Used, count: int) -> Share | None:
    if not count:
        return None
    return Share(
        count=count,
        tokens=round(used.tokens / count) if used.tells_tokens else None,
        cost_usd=round(used.cost_usd / count, 6) if used.tells_cost else None,
    )


def _share_document(share: Share | None) -> dict[str, Any] | None:
    return asdict(share) if share else None


def _budget_document(allowance: Allowance) -> dict[str, Any]:
    return {
        "setting": allowance.setting,
        "measure": allowance.measure.value,
        "most": allowance.most,
        "used": allowance.amount,
        "calls_untold": allowance.unreported,
    }
