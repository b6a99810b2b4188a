from dataclasses import replace
from datetime import timedelta

import pytest

from dualgate.core.gates.needs import gate_1
from dualgate.core.record.records import View
from dualgate.core.record.run_facts import (
    NO_SIGNAL,
    NOT_JUDGED,
    Mark,
    SinceBaseline,
    phase_marks,
    since_baseline,
    still_needed,
    waits_for,
)
from dualgate.core.values.limits import Limits
from dualgate.core.values.spending import Charge, Spending
from dualgate.core.values.state import LoopState, Memory
from dualgate.core.values.verdict import Breaker
from dualgate.core.values.vocabulary import BreakerState, Decision, Phase, Status
from dualgate.testing import NOW, a_state, failed, passed

GREEN = a_state(phase=Phase.GREEN, phases_completed=(Phase.RED,), phases_forced=(Phase.REFACTOR,))

ONE_FAILED = Memory(reasons=("1 failing",), failing=(failed("a"),))


def test_each_phase_is_done_now_ahead_or_skipped() -> None:
    done = replace(GREEN, status=Status.COMPLETED)

    assert phase_marks(GREEN) == (
        (Phase.RED, Mark.DONE),
        (Phase.GREEN, Mark.NOW),
        (Phase.REFACTOR, Mark.SKIPPED),
        (Phase.DOCUMENT, Mark.AHEAD),
        (Phase.QA, Mark.AHEAD),
    )
    assert Mark.NOW not in dict(phase_marks(done)).values()


@pytest.mark.parametrize(
    ("state", "view", "needed"),
    [
        (GREEN, View(phase=Phase.GREEN, gate_1=True), (NO_SIGNAL,)),
        (GREEN, View(phase=Phase.GREEN, blockers=("1 failing: test_a",)), ("1 failing: test_a",)),
        (replace(GREEN, memory=Memory(reasons=("no code changed",))), View(phase=Phase.GREEN), ("no code changed",)),
        (
            replace(GREEN, memory=Memory(reasons=("1 failing",), failing=(failed("a"),))),
            View(phase=Phase.GREEN),
            (NOT_JUDGED,),
        ),
        (GREEN, View(phase=Phase.GREEN), (gate_1(Phase.GREEN, Limits()),)),
    ],
    ids=["only the signal", "by the last test run", "by the last iteration", "fixed since", "nothing measured yet"],
)
def test_what_the_gate_still_needs(state: LoopState, view: View, needed: tuple[str, ...]) -> None:
    assert still_needed(state, view) == needed


def test_a_session_that_has_ended_needs_nothing() -> None:
    view = View(phase=Phase.GREEN, blockers=("1 failing",))

    assert still_needed(replace(GREEN, status=Status.HALTED), view) == ()


OPEN = Breaker(state=BreakerState.OPEN, no_progress=3)
STUCK = a_state(
    status=Status.HALTED, ended_by=Decision.STUCK, breaker=OPEN, turned_at=NOW, limits=Limits(cooldown=60.0)
)
FULL = a_state(limits=Limits(max_calls_per_hour=1), spending=Spending(recent=(Charge(started=NOW, ended=NOW),)))
LIMITED = a_state(limited_calls=1, limited_until=NOW + timedelta(hours=2), failed_at=NOW)


@pytest.mark.parametrize(
    ("state", "seconds", "reason"),
    [
        (STUCK, 60, "the breaker cools down"),
        (FULL, 3600, "1 call in the last hour, of 1 (max_calls_per_hour)"),
        (LIMITED, 7200, "the limit"),
    ],
    ids=["cool-down", "full hour", "limit"],
)
def test_a_wait_has_its_end_and_its_reason(state: LoopState, seconds: int, reason: str) -> None:
    wait = waits_for(state, NOW)

    assert wait is not None
    assert (wait.until, wait.reason) == (NOW + timedelta(seconds=seconds), reason)


def test_another_try_is_waited_for_and_a_session_that_ended_waits_for_nothing() -> None:
    retried = waits_for(a_state(failed_calls=1, failed_at=NOW), NOW)

    assert retried is not None
    assert retried.reason == "another try after a failed call"
    assert (waits_for(a_state(), NOW), waits_for(replace(LIMITED, status=Status.HALTED), NOW)) == (None, None)


def test_tests_are_new_or_fixed_since_the_baseline() -> None:
    baseline = (passed("a"), failed("b"), failed("c"))

    assert since_baseline(baseline, (passed("a"), passed("b"), failed("c"), failed("d"))) == SinceBaseline(
        new=1, fixed=1
    )
