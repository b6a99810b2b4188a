from datetime import datetime, timedelta
from typing import Any

import pytest

from dualgate.core.machine.controls import as_documented, refusal, rest_before_trial, wait_of_next_call
from dualgate.core.machine.history import apply
from dualgate.core.machine.resuming import can_go_on
from dualgate.core.money.budget import delay_before_call
from dualgate.core.values.control import Asked, WaitSkipped
from dualgate.core.values.events import SessionResumed
from dualgate.core.values.limits import Limits
from dualgate.core.values.spending import Charge, Spending
from dualgate.core.values.state import LoopState
from dualgate.core.values.team import FailuresInARow, Lineup, Out, Wait
from dualgate.core.values.verdict import Breaker
from dualgate.core.values.vocabulary import BreakerState, Decision, Status
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


def limited(until: datetime | None, **values: Any) -> LoopState:
    return a_state(limited_calls=1, limited_until=until, failed_at=NOW, turned_at=NOW, **values)


def test_a_limit_holds_the_next_call_up_until_it_ends() -> None:
    told, untold = wait_of_next_call(limited(after(3600))), wait_of_next_call(limited(None))

    assert told == Wait(until=after(3600), reason="a limit of the agent was met", setting="")
    assert untold is not None
    assert after(40) < untold.until < after(80)
    assert wait_of_next_call(limited(after(3600), last_activity=after(3600))) is None
    assert wait_of_next_call(a_state(failed_calls=1, failed_at=NOW)) is None


def test_a_run_that_waits_for_a_limit_is_documented_as_paused_by_it() -> None:
    hour = Wait(until=after(60), reason="3 calls in the last hour", setting="max_calls_per_hour")

    for waits in (limited(after(3600)), a_state(waiting=hour)):
        shown = as_documented(waits)
        assert (shown.status, shown.pause_reason, shown.paused_at) == (Status.PAUSED, "rate_limit", NOW)
        assert wait_of_next_call(waits) is not None


@pytest.mark.parametrize(
    "state", [a_state(), limited(after(9), status=Status.HALTED), limited(None, last_activity=after(99))]
)
def test_what_waits_for_no_limit_is_documented_as_it_is(state: LoopState) -> None:
    assert as_documented(state) is state


def skipped(at: datetime, asked: datetime | None = None) -> WaitSkipped:
    return WaitSkipped(at=at, by="ada", asked=Asked(at=asked, origin="pts/1") if asked else None)


def test_a_person_skips_the_wait_for_a_limit_and_the_limit_is_still_counted() -> None:
    state = apply(limited(after(3600)), skipped(after(5)))

    assert (delay_before_call(state, after(5)), wait_of_next_call(state)) == (0.0, None)
    assert state.failures.limited_calls == 1


def test_a_person_skips_the_wait_for_a_full_hour_which_then_begins_again() -> None:
    hour = Wait(until=after(3600), reason="1 call in the last hour", setting="max_calls_per_hour")
    full = a_state(
        limits=Limits(max_calls_per_hour=1), waiting=hour, spending=Spending(recent=(Charge(started=NOW, ended=NOW),))
    )

    state = apply(full, skipped(after(5)))

    assert delay_before_call(full, after(5)) == 3595
    assert (delay_before_call(state, after(5)), state.waiting) == (0.0, None)


def test_a_person_skips_the_cool_down_of_the_breaker() -> None:
    state = apply(halted(COOL), skipped(after(5)))

    assert (state.status, state.breaker.state, state.breaker.on_trial) == (Status.RUNNING, BreakerState.HALF_OPEN, True)


def test_agents_that_are_excluded_for_an_hour_are_asked_again_after_a_skipped_wait() -> None:
    lineup = Lineup(every=("claude", "codex", "gemini"))
    outs = {"codex": Out(reason="failed 7 times", until=after(3600)), "gemini": Out(reason="no login")}
    others = {"codex": FailuresInARow(failed_calls=7, failed_at=NOW)}
    state = a_state(agent="claude", lineup=lineup, outs=outs, failures_of_others=others, turned_at=NOW)

    after_skip = apply(state, skipped(after(5)))

    assert (list(after_skip.outs), after_skip.failures_of_others["codex"].failed_at) == (["gemini"], None)


@pytest.mark.parametrize(
    ("state", "event"),
    [
        (a_state(), skipped(after(5))),
        (limited(after(60)), skipped(after(70))),
        (limited(after(3600)), skipped(after(5), asked=after(-5))),
    ],
    ids=["no wait", "the wait is over", "asked before the wait began"],
)
def test_only_a_wait_that_a_person_saw_can_be_skipped(state: LoopState, event: WaitSkipped) -> None:
    assert refusal(state, event) == "The run is not waiting."
    assert refusal(limited(after(3600)), skipped(after(5), asked=after(3))) is None
