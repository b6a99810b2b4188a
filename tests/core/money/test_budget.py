from datetime import timedelta
from typing import Any

from dualgate.core.machine.history import apply
from dualgate.core.money.budget import halt_before_call, time_left
from dualgate.core.values.events import CallStarted, SessionHalted, SessionPaused
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Decision, HaltCause, Phase, Status
from dualgate.testing import NOW, a_state


def after(seconds: float) -> Any:
    return NOW + timedelta(seconds=seconds)


def called(state: LoopState, seconds: float) -> LoopState:
    return apply(state, CallStarted(at=after(seconds), number=1, phase=Phase.RED, iteration=1))


def test_a_run_without_a_time_limit_goes_on() -> None:
    assert time_left(a_state(), after(1e6)) is None
    assert halt_before_call(a_state(), after(1e6)) is None


def test_time_is_counted_from_the_start_over_every_event() -> None:
    state = called(called(a_state(max_duration=100.0), 30), 70)

    assert state.seconds_worked == 70
    assert time_left(state, after(80)) == 20
    assert time_left(state, after(300)) == 0


def test_pauses_do_not_count_and_a_clock_set_back_gives_nothing_back() -> None:
    paused = apply(called(a_state(), 30), SessionPaused(at=after(40), reason="user_interrupt"))

    assert called(paused, 500).seconds_worked == 40
    assert called(called(a_state(), 30), 10).seconds_worked == 30


def test_the_run_halts_when_its_time_is_over() -> None:
    state = a_state(max_duration=3600.0)

    assert halt_before_call(state, after(3599)) is None
    halt = halt_before_call(state, after(3600))
    assert halt == SessionHalted(
        at=after(3600),
        decision=Decision.BUDGET_EXHAUSTED,
        cause=HaltCause.TIME,
        reason="RED: the time limit of this run, 1h, is reached",
    )
    ended = apply(state, halt)
    assert (ended.status, ended.ended_by, ended.halt_reason) == (Status.HALTED, halt.decision, halt.reason)


def test_nobody_waits_for_a_call_that_could_not_be_made_in_time() -> None:
    halt = halt_before_call(a_state(max_duration=100.0, limited_calls=1, limited_until=after(130)), after(10))

    assert halt is not None
    assert halt.reason == "RED: the time limit of this run, 1m40s, is reached before the next call can be made, in 2m"


def test_a_limit_is_waited_for_unless_that_is_not_wanted() -> None:
    limited = {"limited_calls": 1, "limited_until": after(600)}

    assert halt_before_call(a_state(**limited), NOW) is None
    halt = halt_before_call(a_state(**limited, wait=False), NOW)
    assert halt is not None
    assert (halt.decision, halt.reason) == (
        Decision.RATE_LIMITED,
        "RED: a limit was reached until 2026-01-16T10:10+00:00, and waiting is off",
    )
    assert halt_before_call(a_state(**limited, wait=False), after(600)) is None
    again = {"limited_calls": 2, "limited_until": after(1), "failed_at": NOW}
    not_believed = halt_before_call(a_state(**again, wait=False), after(2))
    assert not_believed is not None
    assert not_believed.reason == "RED: a limit was reached until 2026-01-16T10:01+00:00, and waiting is off"
    unknown = halt_before_call(a_state(limited_calls=1, failed_at=NOW, wait=False), NOW)
    assert unknown is not None
    assert unknown.reason == "RED: a limit was reached, and waiting is off"
