from dataclasses import replace
from datetime import datetime, timedelta

from dualgate.core.machine.history import apply
from dualgate.core.money.budget import halt_before_call
from dualgate.core.money.hours import calls_last_hour, full_hour, seconds_until, tokens_last_hour
from dualgate.core.values.events import CallDelayed, CallStarted, SessionResumed
from dualgate.core.values.spending import Charge, Spending
from dualgate.core.values.state import LoopState
from dualgate.core.values.team import FailuresInARow, Wait
from dualgate.core.values.vocabulary import Decision, Phase
from dualgate.testing import NOW, a_state


def after(minutes: float) -> datetime:
    return NOW + timedelta(minutes=minutes)


def spent(*charges: tuple[float, int], **limits: object) -> LoopState:
    """Calls that began so many minutes ago and took one minute, with their tokens."""
    recent = tuple(
        Charge(started=after(-minutes), ended=after(1 - minutes), tokens=tokens) for minutes, tokens in charges
    )
    return a_state(spending=Spending(recent=recent), **limits)


def test_without_a_limit_or_with_room_in_the_hour_nothing_waits() -> None:
    assert full_hour(spent((5, 900), (4, 900)), NOW) is None
    assert full_hour(spent((5, 900), (4, 900), max_calls_per_hour=3, max_tokens_per_hour=1801), NOW) is None
    assert full_hour(spent((61, 900), (4, 900), max_calls_per_hour=2), NOW) is None
    assert (seconds_until(None, NOW), seconds_until(Wait(until=after(-1), reason="", setting=""), NOW)) == (0.0, 0.0)


def test_the_next_call_waits_until_one_of_the_hour_lies_far_enough_back() -> None:
    state = spent((50, 0), (40, 0), (10, 0), max_calls_per_hour=2)

    wait = full_hour(state, NOW)

    assert wait == Wait(
        until=after(20), reason="3 calls in the last hour, of 2 (max_calls_per_hour)", setting="max_calls_per_hour"
    )
    assert seconds_until(wait, NOW) == 1200
    assert full_hour(state, after(20)) is None
    assert calls_last_hour(state, after(15)) == 2


def test_tokens_count_from_the_end_of_the_call_that_told_them() -> None:
    state = spent((50, 600), (40, 600), (10, 600), max_tokens_per_hour=1000)

    wait = full_hour(state, NOW)

    assert wait == Wait(
        until=after(21),
        reason="1,800 tokens in the last hour, of 1,000 (max_tokens_per_hour)",
        setting="max_tokens_per_hour",
    )
    assert (tokens_last_hour(state, NOW), tokens_last_hour(state, after(21))) == (1800, 600)


def test_of_two_waits_the_longer_holds() -> None:
    wait = full_hour(spent((50, 900), (10, 900), max_calls_per_hour=2, max_tokens_per_hour=900), NOW)

    assert wait is not None
    assert (wait.until, wait.setting) == (after(51), "max_tokens_per_hour")


def test_a_call_that_was_cut_off_takes_its_place_in_the_hour() -> None:
    state = a_state(spending=Spending(recent=(Charge(started=after(-10)),)), max_calls_per_hour=1)

    wait = full_hour(state, NOW)

    assert wait is not None
    assert wait.until == after(50)


def test_a_clock_that_was_set_back_does_not_make_an_hour_longer() -> None:
    wait = full_hour(spent((-300, 0), max_calls_per_hour=1), NOW)

    assert wait is not None
    assert wait.until == after(60)


def test_a_wait_is_kept_until_a_call_is_made_or_the_run_goes_on_anew() -> None:
    wait = Wait(until=after(20), reason="3 calls in the last hour", setting="max_calls_per_hour")
    waiting = apply(a_state(), CallDelayed(at=NOW, wait=wait))

    assert (waiting.waiting, waiting.iteration) == (wait, 0)
    assert apply(waiting, CallStarted(at=NOW, number=1, phase=Phase.RED, iteration=1)).waiting is None
    assert apply(waiting, SessionResumed(at=NOW, by="ada", limits=waiting.limits)).waiting is None


def test_a_full_hour_ends_a_run_that_does_not_want_to_wait() -> None:
    full = spent((40, 0), max_calls_per_hour=1)
    impatient = spent((40, 0), max_calls_per_hour=1, wait=False)

    halt = halt_before_call(impatient, NOW)

    assert halt_before_call(full, NOW) is None
    assert halt is not None
    assert (halt.decision, halt.way_on) == (Decision.BUDGET_EXHAUSTED, "dualgate resume --max-calls-per-hour off")
    assert halt.reason == (
        "RED: 1 call in the last hour, of 1 (max_calls_per_hour), and waiting is off; "
        "'dualgate resume' continues at 2026-01-16T10:20+00:00 or later"
    )
    assert halt_before_call(impatient, after(20)) is None


def test_a_limit_that_is_over_is_not_what_ends_a_run_whose_hour_is_full() -> None:
    state = spent((40, 0), max_calls_per_hour=1, wait=False)

    halt = halt_before_call(replace(state, failures=FailuresInARow(limited_calls=1, failed_at=after(-50))), NOW)

    assert halt is not None
    assert (halt.decision, halt.reason[:14]) == (Decision.BUDGET_EXHAUSTED, "RED: 1 call in")


def test_nobody_waits_for_an_hour_that_ends_after_the_time_of_the_run() -> None:
    state = spent((40, 0), max_calls_per_hour=1, max_duration=600.0)

    halt = halt_before_call(state, NOW)

    assert halt is not None
    assert halt.reason == "RED: the time limit of this run, 10m, is reached before the next call can be made, in 20m"
