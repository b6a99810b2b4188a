"""The usage of all jobs, the time -> whether the queue may go on, and the share of each job in an hour.

A reserve is measured against the limits of calls and tokens an hour that a person sets. What agents report of their
own limits is in `reserve`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from dualgate.core.money.allowances import show_calls, show_cost, show_tokens
from dualgate.core.queue.hours import Hours
from dualgate.core.values.queue import Use

_RESERVE = re.compile(r"(?P<number>\d+)\s*(?P<unit>%|calls?|tokens?)", re.IGNORECASE)
LEGAL_RESERVE = "a share or a number of an hour, such as 20%, '10 calls' or '50000 tokens'"
NOT_MEASURABLE = (
    "A reserve is measured against your limits of an hour. A share can also be measured against the limits of agents "
    "that report how much of them is used: claude and codex, if all jobs name one of them."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The budget of one run of the queue, for all jobs together."""

    max_cost: float | None = None
    max_calls: int | None = None
    max_tokens: int | None = None
    duration: timedelta | None = None
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Amount:
    flag: str
    most: float
    used: float
    unreported: int
    show: Callable[[float], str]

    @property
    def text(self) -> str:
        return f"{'at least ' if self.unreported else ''}{self.show(self.used)}{self.doubt}"

    @property
    def doubt(self) -> str:
        """Calls that reported nothing make the usage a lower bound, and are named."""
        return f" and {show_calls(self.unreported)} of unknown size" if self.unreported else ""


def _amounts(budget: Budget, used: Use) -> tuple[_Amount, ...]:
    found: tuple[tuple[str, float | None, float, int, Callable[[float], str]], ...] = (
        ("--max-cost", budget.max_cost, used.cost_usd, used.calls_without_cost, show_cost),
        ("--max-calls", budget.max_calls, used.calls, 0, show_calls),
        ("--max-tokens", budget.max_tokens, used.tokens, used.calls_without_tokens, show_tokens),
    )
    return tuple(
        _Amount(flag=flag, most=most, used=amount, unreported=unreported, show=show)
        for flag, most, amount, unreported, show in found
        if most is not None
    )


def spent(budget: Budget, used: Use, since: datetime, now: datetime) -> str:
    """Why no job may start or go on, in words; empty if one may. Hours of the day are asked for separately."""
    for each in _amounts(budget, used):
        if each.used >= each.most:
            return f"the budget of the queue, {each.show(each.most)} ({each.flag}), is spent: {each.text}"
    if budget.duration is not None and now - since >= budget.duration:
        return f"the time of the queue (--max-duration) is over; it began at {since:%H:%M}"
    return ""


def unreported(budget: Budget, used: Use, under_way: int) -> str:
    """Calls that a budget cannot count, in words; empty if there are none. Calls under way may still report."""
    for each in _amounts(budget, used):
        if each.unreported > under_way:
            most = show_calls(each.unreported - under_way)
            none = " No call reported it so far: limit the queue with --max-calls." if not each.used else ""
            return f"{most} did not report what {each.flag} counts; the budget counts the others only.{none}"
    return ""


def usage_of_budget(budget: Budget, used: Use, since: datetime, now: datetime) -> str:
    """How much of each limit is used; empty if there is no limit."""
    parts = [f"{each.show(each.used)} of {each.show(each.most)}{each.doubt}" for each in _amounts(budget, used)]
    if budget.duration is not None:
        parts.append(f"{_minutes(now - since)} of {_minutes(budget.duration)}")
    return ", ".join(parts)


def _minutes(time: timedelta) -> str:
    minutes = max(0, round(time.total_seconds() / 60))
    return f"{minutes // 60}:{minutes % 60:02} h"


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


def hourly_share(limits: Hourly, reserve: Reserve, jobs: int, is_reported: bool = False) -> Hourly:
    """The share of each of several jobs in an hour, so that all of them together leave the reserve.

    `is_reported` says that the agents of all jobs report how much of their own limits is used.
    Raises ValueError if the reserve cannot be measured, or leaves nothing.
    """
    if reserve != Reserve() and (
        (reserve.calls and limits.calls is None)
        or (reserve.tokens and limits.tokens is None)
        or (reserve.percent and limits == Hourly() and not is_reported)
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
