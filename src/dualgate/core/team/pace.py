"""When an agent may be asked again, and which of its own sessions the next call continues.

The jitter of a delay is derived from the session and the time of the failure, so a replay gives the same delay.
"""

from datetime import datetime, timedelta
from hashlib import sha256

from dualgate.core.gates.reactions import REACTIONS
from dualgate.core.values.answer import AgentCall, Answer, Thread, Trouble, Usage
from dualgate.core.values.events import CallEnded, Event
from dualgate.core.values.limits import Limits
from dualgate.core.values.state import LoopState
from dualgate.core.values.team import FailuresInARow

LONGEST_DELAY = 1800.0
FIRST_LIMIT_DELAY = 60.0
UNKNOWN_LIMIT_DELAY = 300.0
"""A limit in unknown words is waited for once, and longer than a known one."""
JITTER = 0.25
"""Share by which a delay varies, so that many runs do not retry at once."""


def wait_of(failures: FailuresInARow, limits: Limits, session: str, now: datetime) -> float:
    """Seconds until the agent may be asked again."""
    at = ready_at(failures, limits, session)
    if at is None:
        return 0.0
    left = max(0.0, (at - now).total_seconds())
    if failures.failed_at is None or at == failures.limited_until:
        return left
    return min(left, (at - failures.failed_at).total_seconds())  # the clock may have been set back


def limit_end_text(failures: FailuresInARow, limits: Limits, session: str) -> str:
    """Until when the agent is not asked, in words; empty if the end of its limit is unknown."""
    at = ready_at(failures, limits, session) if failures.limited_until else None
    return f" until {at.isoformat(timespec='minutes')}" if at else ""


def ready_at(failures: FailuresInARow, limits: Limits, session: str) -> datetime | None:
    """When the next call may start; None if at once."""
    known = failures.limited_until if failures.limited_calls else None
    # if a limit is met again after its reported end, a growing delay is added
    count = failures.limited_calls - (known is not None) if failures.limited_calls else failures.failed_calls
    if failures.failed_at is None or not count:
        return known
    delay = _delay(failures, count, limits, f"{session} {failures.failed_at}")
    later = failures.failed_at + timedelta(seconds=delay)
    return max(known, later) if known else later


def _delay(failures: FailuresInARow, count: int, limits: Limits, seed: str) -> float:
    first = UNKNOWN_LIMIT_DELAY if failures.trouble is Trouble.LIMIT else FIRST_LIMIT_DELAY
    if not failures.limited_calls:
        first = limits.retry_delay * (REACTIONS[failures.trouble].slower if failures.trouble else 1.0)
    doubled = first * 2.0 ** (min(count, 32) - 1)
    share = int.from_bytes(sha256(seed.encode()).digest()[:8]) / (1 << 64)
    return min(LONGEST_DELAY, doubled * (1 - JITTER + 2 * JITTER * share))


def continued(thread: Thread | None, call: AgentCall) -> Thread | None:
    """Return the agent's session that a call continues; None if any other call came in between."""
    if thread is None:
        return None
    place = (thread.owner, thread.phase, thread.number + 1)
    return thread if place == (call.session_id, call.phase, call.number) else None


def after_answer(answer: Answer, place: Thread, before: Thread | None) -> Thread | None:
    """Return the agent's session after a call; None if the next call must not continue it."""
    survives = answer.failure is None or REACTIONS[answer.failure.kind].keeps_session
    session = answer.session_id or (before.session if before else "")
    if not survives or not session:
        return None
    used = before.usage if before and before.session == session else Usage()
    return Thread(
        owner=place.owner,
        phase=place.phase,
        number=place.number,
        agent=answer.agent or place.agent,
        session=session,
        usage=_more(used, answer.usage or Usage()),
    )


def after_event(thread: Thread | None, event: Event, state: LoopState) -> Thread | None:
    """Return the agent's session after an event of the journal."""
    if not isinstance(event, CallEnded):
        return thread
    place = Thread(owner=state.session_id, phase=event.phase or state.phase, number=event.number)
    return after_answer(event.answer, place, thread)


def _more(usage: Usage, more: Usage) -> Usage:
    return Usage(input=usage.input + more.input, output=usage.output + more.output, cached=usage.cached + more.cached)
