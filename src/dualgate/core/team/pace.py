"""Standing -> when its agent may be asked again: when a limit ends, or later with every call that failed.

What varies a delay is derived from the session and the time of the failure, so that a replay gives the same.
"""

from datetime import datetime, timedelta
from hashlib import sha256

from dualgate.core.gates.reactions import REACTIONS
from dualgate.core.values.limits import Limits
from dualgate.core.values.team import Standing

LONGEST_DELAY = 1800.0
FIRST_LIMIT_DELAY = 60.0
JITTER = 0.25
"""By this share a delay is longer or shorter, so that many runs do not come back at once."""


def wait_of(standing: Standing, limits: Limits, session: str, now: datetime) -> float:
    """Seconds until the agent may be asked again."""
    at = ready_at(standing, limits, session)
    if at is None:
        return 0.0
    left = max(0.0, (at - now).total_seconds())
    if standing.failed_at is None or at == standing.limited_until:
        return left
    return min(left, (at - standing.failed_at).total_seconds())  # also by a clock that was set back


def told_end(standing: Standing, limits: Limits, session: str) -> str:
    """Until when the agent is not asked, in words, where somebody told the end of a limit; empty where nobody did."""
    at = ready_at(standing, limits, session) if standing.limited_until else None
    return f" until {at.isoformat(timespec='minutes')}" if at else ""


def ready_at(standing: Standing, limits: Limits, session: str) -> datetime | None:
    """None where nothing holds the next call up."""
    told = standing.limited_until if standing.limited_calls else None
    # a limit that is met again when it should be over is not believed to the second any more
    count = standing.limited_calls - (told is not None) if standing.limited_calls else standing.failed_calls
    if standing.failed_at is None or not count:
        return told
    delay = _delay(standing, count, limits, f"{session} {standing.failed_at}")
    later = standing.failed_at + timedelta(seconds=delay)
    return max(told, later) if told else later


def _delay(standing: Standing, count: int, limits: Limits, seed: str) -> float:
    first = FIRST_LIMIT_DELAY
    if not standing.limited_calls:
        first = limits.retry_delay * (REACTIONS[standing.trouble].slower if standing.trouble else 1.0)
    doubled = first * 2.0 ** (min(count, 32) - 1)
    share = int.from_bytes(sha256(seed.encode()).digest()[:8]) / (1 << 64)
    return min(LONGEST_DELAY, doubled * (1 - JITTER + 2 * JITTER * share))
