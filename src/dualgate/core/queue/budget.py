"""The usage of all jobs, the time -> whether the queue may go on, and the share of each job in an hour.

Agents report when they meet a limit, but not how much of it is left. A reserve is therefore measured against the
limits of calls and tokens an hour that a person sets.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from dualgate.core.money.allowances import show_calls, show_cost, show_tokens
from dualgate.core.queue.hours import Hours
from dualgate.core.values.queue import Use

_RESERVE = re.compile(r"(?P<number>\d+)\s*(?P<unit>%|calls?|tokens?)", re.IGNORECASE)
LEGAL_RESERVE = "a share or a number of an hour, such as 20%, '10 calls' or '50000 tokens'"
NOT_MEASURABLE = (
    "A reserve is measured against your limits of an hour: agents do not report how much of their own limit is left."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The budget of one run of the queue, for all jobs together."""

    max_cost: float | None = None
    max_calls: int | None = None
    max_tokens: int | None = None
    until: datetime | None = None
    """The end of its duration."""
    hours: Hours | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserve:
    """The part of an hour's limits that stays for the person."""

    percent: int = 0
    calls: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hourly:
    """Limits of calls and tokens an hour; None for no limit."""

    calls: int | None = None
    tokens: int | None = None


def spent(budget: Budget, used: Use, now: datetime) -> str:
    """Why no job may start or go on, in words; empty if one may. Hours of the day are asked for separately."""
    amounts: tuple[tuple[str, float | None, float, Callable[[float], str]], ...] = (
        ("--max-cost", budget.max_cost, used.cost_usd, show_cost),
        ("--max-calls", budget.max_calls, used.calls, show_calls),
        ("--max-tokens", budget.max_tokens, used.tokens, show_tokens),
    )
    for flag, most, amount, show in amounts:
        if most is not None and amount >= most:
            return f"the budget of the queue, {show(most)} ({flag}), is spent: {show(amount)}"
    if budget.until is not None and now >= budget.until:
        return "the time of the queue (--max-duration) is over"
    return ""


def cost_left(budget: Budget, used: Use) -> float | None:
    return None if budget.max_cost is None else max(0.0, round(budget.max_cost - used.cost_usd, 9))


def read_reserve(text: str) -> Reserve:
    """Raises ValueError if the text is no reserve."""
    found = _RESERVE.fullmatch(text.strip())
    if found is None or (found["unit"] == "%" and int(found["number"]) >= 100):
        raise ValueError(LEGAL_RESERVE)
    number, unit = int(found["number"]), found["unit"].lower().rstrip("s")
    return _RESERVES[unit](number)


_RESERVES: Mapping[str, Callable[[int], Reserve]] = {
    "%": lambda number: Reserve(percent=number),
    "call": lambda number: Reserve(calls=number),
    "token": lambda number: Reserve(tokens=number),
}


def hourly_share(limits: Hourly, reserve: Reserve, jobs: int) -> Hourly:
    """The share of each of several jobs in an hour, so that all of them together leave the reserve.

    Raises ValueError if the reserve cannot be measured, or leaves nothing.
    """
    if reserve != Reserve() and (
        (reserve.calls and limits.calls is None)
        or (reserve.tokens and limits.tokens is None)
        or (reserve.percent and limits == Hourly())
    ):
        raise ValueError(NOT_MEASURABLE)
    return Hourly(
        calls=_share(limits.calls, reserve.calls, reserve.percent, jobs),
        tokens=_share(limits.tokens, reserve.tokens, reserve.percent, jobs),
    )


def _share(limit: int | None, kept: int, percent: int, jobs: int) -> int | None:
    if limit is None:
        return None
    share = (limit * (100 - percent) // 100 - kept) // jobs
    if share < 1:
        raise ValueError(f"The reserve leaves nothing of {limit:,} an hour for {jobs} at once.")
    return share
