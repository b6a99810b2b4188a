import pytest

from dualgate.core.gates.breaker import breaker_after, entering
from dualgate.core.values.limits import THRESHOLDS, Limits, Thresholds
from dualgate.core.values.verdict import Breaker, Marks
from dualgate.core.values.vocabulary import BreakerState, Phase

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
