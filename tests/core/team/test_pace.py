"""When an agent may be asked again."""

from datetime import timedelta
from typing import Any

import pytest

from dualgate.core.machine.history import apply
from dualgate.core.team.fallover import delay_of
from dualgate.core.team.pace import LONGEST_DELAY
from dualgate.core.values.answer import Trouble
from dualgate.core.values.events import SessionPaused, SessionResumed
from dualgate.core.values.limits import Limits
from dualgate.testing import NOW, a_state


def delay(**values: Any) -> float:
    return delay_of(a_state(**{"failed_at": NOW, **values}), NOW)


def test_without_a_failure_nothing_is_waited_for() -> None:
    assert delay_of(a_state(), NOW) == delay() == 0.0


def test_a_limit_whose_end_is_known_is_waited_for_to_the_second() -> None:
    limited = {"limited_calls": 3, "limited_until": NOW + timedelta(hours=5)}

    assert delay(**limited) == 5 * 3600
    assert delay_of(a_state(**limited), NOW + timedelta(hours=6)) == 0.0


def test_a_limit_that_is_met_again_when_it_should_be_over_is_waited_for_longer_each_time() -> None:
    until = NOW + timedelta(seconds=2)

    assert delay(limited_calls=1, limited_until=until, failed_calls=3) == 2
    assert 45 <= delay(limited_calls=2, limited_until=until) <= 75
    assert delay(limited_calls=50, limited_until=until) == LONGEST_DELAY


@pytest.mark.parametrize(
    ("values", "around"),
    [
        ({"failed_calls": 1, "trouble": Trouble.CRASH}, 5),
        ({"failed_calls": 4, "trouble": Trouble.CRASH}, 40),
        ({"failed_calls": 1, "trouble": Trouble.OVERLOADED}, 30),
        ({"failed_calls": 2, "retry_delay": 60.0}, 120),
        ({"limited_calls": 1, "trouble": Trouble.RATE_LIMIT}, 60),
        ({"limited_calls": 3, "trouble": Trouble.RATE_LIMIT}, 240),
        ({"limited_calls": 1, "trouble": Trouble.LIMIT}, 300),
    ],
)
def test_delays_are_doubled_and_vary_by_a_quarter(values: dict[str, Any], around: float) -> None:
    delays = [delay(**values, session_id=f"session {number}") for number in range(50)]

    assert all(0.75 * around <= each <= 1.25 * around for each in delays)
    assert len(set(delays)) == len(delays)
    assert delay(**values) == delay(**values)


def test_no_delay_is_longer_than_half_an_hour() -> None:
    assert delay(limited_calls=100) == delay(failed_calls=5_000) == LONGEST_DELAY


def test_time_that_passed_while_nothing_ran_is_not_waited_again() -> None:
    state = a_state(failed_at=NOW, failed_calls=1, retry_delay=100.0)

    assert delay_of(state, NOW + timedelta(seconds=50)) == pytest.approx(delay_of(state, NOW) - 50)
    assert delay_of(state, NOW + timedelta(hours=1)) == 0.0


def test_a_clock_that_was_set_back_makes_no_delay_longer() -> None:
    state = a_state(failed_at=NOW, failed_calls=1, retry_delay=100.0)

    assert delay_of(state, NOW - timedelta(hours=2)) == delay_of(state, NOW)


def test_time_passes_for_a_delay_while_the_session_is_paused() -> None:
    failed = a_state(failed_at=NOW, limited_calls=2)
    paused = apply(failed, SessionPaused(at=NOW + timedelta(seconds=5), reason="user_interrupt"))
    resumed = apply(paused, SessionResumed(at=NOW + timedelta(seconds=50), by="ada", limits=Limits()))

    assert delay_of(resumed, NOW + timedelta(seconds=50)) == pytest.approx(delay_of(failed, NOW) - 50)
    assert resumed.seconds_worked == 5
