from dataclasses import replace

import pytest

from dualgate.core.gates.breaker import breaker_after, entering, notice_of, unblocked
from dualgate.core.values.answer import Failure, Trouble
from dualgate.core.values.limits import THRESHOLDS, Limits, Thresholds
from dualgate.core.values.verdict import BlockedNotice, Breaker, Marks, Outcome, Verdict
from dualgate.core.values.vocabulary import BreakerState, Phase, WorkStatus
from dualgate.testing import not_done

STANDING_STILL = Marks()


def after(phase: Phase, *marks: Marks, start: Breaker | None = None, limits: Limits | None = None) -> Breaker:
    breaker = start or Breaker()
    for mark in marks:
        breaker = breaker_after(breaker, phase, mark, limits or Limits())
    return breaker


@pytest.mark.parametrize("phase", list(Phase))
def test_it_opens_half_after_two_and_wholly_at_the_threshold_of_the_phase(phase: Phase) -> None:
    limit = THRESHOLDS[phase].no_progress
    states = [after(phase, *[STANDING_STILL] * count).state for count in range(1, limit + 1)]

    half = [BreakerState.HALF_OPEN] * (limit - 2)
    assert states == [BreakerState.CLOSED, *half, BreakerState.OPEN]


PROGRESS = [
    (Phase.RED, Marks(red=1)),
    (Phase.RED, Marks(covered=1)),
    (Phase.GREEN, Marks(passing=5, failing=9)),
    (Phase.REFACTOR, Marks(changed=1, verified=True)),
    (Phase.DOCUMENT, Marks(documents=1)),
    (Phase.BUILD, Marks(changed=1)),
    (Phase.BUILD, Marks(passing=1)),
]


@pytest.mark.parametrize(("phase", "marks"), PROGRESS)
def test_measured_progress_closes_it(phase: Phase, marks: Marks) -> None:
    breaker = after(phase, STANDING_STILL, STANDING_STILL, marks)

    assert (breaker.state, breaker.no_progress) == (BreakerState.CLOSED, 0)


def test_fewer_failures_and_fewer_findings_are_progress() -> None:
    start = entering(Marks(failing=4, findings=3))

    assert after(Phase.GREEN, Marks(failing=3), start=start).no_progress == 0
    assert after(Phase.QA, Marks(findings=2), start=start).no_progress == 0


def test_going_back_and_forth_is_no_progress() -> None:
    start = entering(Marks(passing=5, failing=2))

    breaker = after(Phase.GREEN, Marks(passing=4, failing=3), Marks(passing=5, failing=2), start=start)

    assert breaker.no_progress == 2


def test_a_failure_in_a_place_never_met_in_this_phase_is_a_step_in_green_only() -> None:
    start = entering(Marks(failing=1, place="one"))

    assert after(Phase.GREEN, Marks(failing=1, place="two"), start=start).no_progress == 0
    assert after(Phase.GREEN, Marks(failing=1, place="one"), start=start).no_progress == 1
    assert after(Phase.RED, Marks(failing=1, place="two"), start=start).no_progress == 1


def test_what_could_not_be_counted_is_no_progress_and_moves_no_mark() -> None:
    start = entering(Marks(passing=5, failing=4))

    broken = after(Phase.GREEN, Marks(passing=None, failing=None, error="it broke off"), start=start)

    assert (broken.no_progress, broken.best.passing, broken.best.failing) == (1, 5, 4)
    assert after(Phase.GREEN, Marks(passing=5, failing=3), start=broken).no_progress == 0


def test_the_same_error_opens_it_in_spite_of_progress() -> None:
    marks = [Marks(changed=1, error="one")] * THRESHOLDS[Phase.BUILD].same_error

    assert after(Phase.BUILD, *marks[:-1]).state is BreakerState.CLOSED
    assert after(Phase.BUILD, *marks).state is BreakerState.OPEN


def test_another_error_in_between_starts_the_count_anew() -> None:
    one, two = Marks(changed=1, error="one"), Marks(changed=1, error="two")

    assert after(Phase.BUILD, one, one, two, one).same_error == 1


def test_the_thresholds_are_those_of_the_limits() -> None:
    limits = Limits(thresholds={Phase.RED: Thresholds(no_progress=1, same_error=9)}, half_open_after=1)

    assert after(Phase.RED, STANDING_STILL, limits=limits).state is BreakerState.OPEN
    assert after(Phase.GREEN, STANDING_STILL, limits=limits).state is BreakerState.HALF_OPEN


BLOCKED = BlockedNotice(reason="need a password")
MOVED = Marks(changed=1)


def notified(*notices: BlockedNotice | None, marks: Marks = MOVED, phase: Phase = Phase.BUILD) -> Breaker:
    breaker = Breaker()
    for notice in notices:
        breaker = breaker_after(breaker, phase, marks, Limits(), notice)
    return breaker


def test_blocked_makes_it_half_open_with_its_reason_whatever_was_measured() -> None:
    breaker = notified(BLOCKED)

    assert (breaker.state, breaker.blocked, breaker.no_progress) == (BreakerState.HALF_OPEN, "need a password", 0)


def test_blocked_that_halts_the_run_opens_it() -> None:
    assert notified(BLOCKED, replace(BLOCKED, halts=True)).state is BreakerState.OPEN


def test_an_agent_that_was_blocked_once_is_halted_no_earlier() -> None:
    assert notified(BLOCKED, None) == replace(notified(None, None), blocked="")
    still = notified(BLOCKED, None, None, marks=STANDING_STILL)
    assert still == notified(None, None, None, marks=STANDING_STILL)
    assert notified(None, None, BLOCKED, marks=STANDING_STILL).state is BreakerState.OPEN  # by the count alone


def test_a_person_who_goes_on_leaves_only_the_counts() -> None:
    opened = notified(replace(BLOCKED, halts=True))

    assert unblocked(opened, Phase.BUILD, Limits()) == replace(opened, state=BreakerState.CLOSED, blocked="")
    stuck = after(Phase.GREEN, *[STANDING_STILL] * 3)
    assert unblocked(stuck, Phase.GREEN, Limits()) is stuck


def test_only_an_answer_that_says_blocked_notifies() -> None:
    claim = not_done(status=WorkStatus.BLOCKED)
    block = Verdict(outcome=Outcome.BLOCK, gate_1=False, gate_2=False)

    assert notice_of(claim) == BlockedNotice(reason="the agent gives no reason")
    assert notice_of(replace(claim, recommendation="no key"), block) == BlockedNotice(reason="no key", halts=True)
    assert notice_of(not_done()) is notice_of(replace(claim, failure=Failure(kind=Trouble.CRASH))) is None
