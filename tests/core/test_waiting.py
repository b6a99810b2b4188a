from datetime import datetime, timedelta

from dualgate.core.breaker import Breaker, BreakerState
from dualgate.core.events import SessionResumed
from dualgate.core.history import apply
from dualgate.core.limits import Limits
from dualgate.core.resuming import can_go_on
from dualgate.core.state import LoopState
from dualgate.core.vocabulary import Decision, Status
from dualgate.core.waiting import rest_before_trial
from dualgate.testing import NOW, a_state

COOL = Limits(cooldown=600.0)
OPEN = Breaker(state=BreakerState.OPEN, no_progress=3)


def after(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def halted(limits: Limits) -> LoopState:
    return a_state(status=Status.HALTED, ended_by=Decision.STUCK, breaker=OPEN, turned_at=NOW, limits=limits)


def test_a_breaker_rests_for_what_is_left_of_its_cool_down() -> None:
    assert rest_before_trial(a_state(), NOW) is None
    assert [rest_before_trial(halted(COOL), after(seconds)) for seconds in (0, 200, 900)] == [600, 400, 0]


def test_a_breaker_that_rested_when_the_run_ended_goes_on_resting() -> None:
    resumed = apply(halted(COOL), SessionResumed(at=after(250), by="ada", limits=COOL))

    assert can_go_on(halted(COOL))
    assert not can_go_on(halted(Limits()))
    assert (resumed.status, rest_before_trial(resumed, after(250))) == (Status.HALTED, 350)


def test_a_clock_that_was_set_back_makes_no_rest_longer() -> None:
    assert rest_before_trial(halted(COOL), after(-5000)) == 600
