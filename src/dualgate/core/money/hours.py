"""LoopState, the time -> Wait: until when no call is made, because the last hour reached a limit of calls or tokens.

The hour is the last sixty minutes, so that calls do not pile up at each full hour. It is computed from recorded times
only, so an interrupted wait continues where it was.
"""

from collections.abc import Iterator
from datetime import datetime
from itertools import accumulate

from dualgate.core.money.allowances import show_calls, show_tokens
from dualgate.core.money.spending import HOUR
from dualgate.core.values.spending import Charge
from dualgate.core.values.state import LoopState
from dualgate.core.values.team import Wait

Share = tuple[datetime, int]
"""A time and the amount used then."""


def full_hour(state: LoopState, now: datetime) -> Wait | None:
    """Return the longest wait needed; None if a call may start now."""
    return max(_waits(state, now), key=lambda wait: wait.until, default=None)


def seconds_until(wait: Wait | None, now: datetime) -> float:
    return max(0.0, (wait.until - now).total_seconds()) if wait else 0.0


def calls_last_hour(state: LoopState, now: datetime) -> int:
    since = now - HOUR
    return sum(charge.started > since for charge in state.spending.recent)


def tokens_last_hour(state: LoopState, now: datetime) -> int:
    """Count the reported tokens of the last hour."""
    since = now - HOUR
    return sum(charge.tokens for charge in state.spending.recent if charge.ended and charge.ended > since)


def _waits(state: LoopState, now: datetime) -> Iterator[Wait]:
    limits, recent = state.limits, state.spending.recent
    for setting, most, shares, show in (
        ("max_calls_per_hour", limits.max_calls_per_hour, _calls(recent), show_calls),
        ("max_tokens_per_hour", limits.max_tokens_per_hour, _tokens(recent), show_tokens),
    ):
        if most is None:
            continue
        counted = _within(shares, now)
        total = sum(count for _, count in counted)
        if total >= most:
            reason = f"{show(total)} in the last hour, of {most:,} ({setting})"
            # a clock that was set back must not make an hour longer
            yield Wait(until=min(_room_at(counted, most), now + HOUR), reason=reason, setting=setting)


def _room_at(shares: list[Share], most: int) -> datetime:
    """When enough shares are older than an hour to make room."""
    shares = sorted(shares)
    gone = accumulate(count for _, count in shares)
    total = sum(count for _, count in shares)
    return next(at for (at, _), lost in zip(shares, gone, strict=True) if total - lost < most) + HOUR


def _within(shares: list[Share], now: datetime) -> list[Share]:
    since = now - HOUR
    return [share for share in shares if share[0] > since]


def _calls(recent: tuple[Charge, ...]) -> list[Share]:
    return [(charge.started, 1) for charge in recent]


def _tokens(recent: tuple[Charge, ...]) -> list[Share]:
    return [(charge.ended, charge.tokens) for charge in recent if charge.ended]
