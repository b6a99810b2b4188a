"""LoopState, the time -> how long an open breaker still rests. It goes on where it was, whoever runs it by then.

It is counted from the end of the turn that brought it, which the journal holds: a crash, a pause or a request in the
middle of it does not begin it anew.
"""

from datetime import datetime

from dualgate.core.controls import trial_after
from dualgate.core.state import LoopState


def rest_before_trial(state: LoopState, now: datetime) -> float | None:
    """Seconds that an open breaker still rests before one iteration is tried; None where a person decides."""
    rest = trial_after(state)
    if rest is None:
        return None
    passed = (now - state.turned_at).total_seconds() if state.turned_at else 0.0
    return min(rest, max(0.0, rest - passed))  # also by a clock that was set back
