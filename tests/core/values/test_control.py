import threading

import pytest

from dualgate.core.values.control import Activity, Either, ignore_activity
from dualgate.errors import Interrupted
from dualgate.testing import a_control


def test_the_earlier_of_two_deadlines_counts() -> None:
    control = a_control(clock=lambda: 100.0)

    assert control.remaining() is None
    assert control.within(None) is control
    assert control.within(10).within(60).remaining() == 10
    assert control.within(60).within(10).remaining() == 10


def test_what_is_left_is_never_negative() -> None:
    assert a_control(clock=lambda: 100.0, deadline=90.0).remaining() == 0


def test_a_stop_ends_a_wait_and_fails_a_check() -> None:
    cancel = threading.Event()
    control = a_control(cancel=cancel)
    control.wait(0)
    control.check()
    cancel.set()

    with pytest.raises(Interrupted):
        control.wait(60)
    with pytest.raises(Interrupted):
        control.check()


def test_a_part_of_the_work_can_be_stopped_by_itself() -> None:
    outside, inside = threading.Event(), threading.Event()
    either = Either(outside=outside, inside=inside)
    assert (either.is_set(), either.wait(0)) == (False, False)

    inside.set()

    assert (either.is_set(), either.wait(0), outside.is_set()) == (True, True, False)


def test_activity_may_go_unheard() -> None:
    ignore_activity(Activity(source="output", text="1 byte"))


def test_where_nobody_can_let_it_rest_there_is_no_rest() -> None:
    assert a_control().suspended() == 0.0
