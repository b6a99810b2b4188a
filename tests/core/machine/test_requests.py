from dataclasses import replace
from datetime import timedelta

import pytest

from dualgate.core.machine.history import apply
from dualgate.core.machine.refusals import INSIDE, refused_inside, violation_of
from dualgate.core.machine.requests import Request, RequestKind, events_of, is_open
from dualgate.core.values.control import Asked, RequestRefused, WaitSkipped
from dualgate.core.values.events import (
    GuidanceGiven,
    GuidanceWithdrawn,
    PhaseSkipped,
    SessionAborted,
    SessionPaused,
    SessionReset,
)
from dualgate.core.values.team import FailuresInARow
from dualgate.core.values.vocabulary import Decision, Phase, Status
from dualgate.testing import NOW, a_state

LATER = NOW + timedelta(minutes=1)
TOMORROW = NOW + timedelta(days=1)
ASKED = Asked(at=NOW, origin="pts/1")
RUNNING = a_state(phase=Phase.GREEN, failed_calls=2)
WAITING = replace(RUNNING, guidance=("more",), failures=FailuresInARow(limited_calls=1, limited_until=TOMORROW))
HALTED = replace(RUNNING, status=Status.HALTED)
COMPLETED = replace(RUNNING, status=Status.COMPLETED)


def asked(kind: RequestKind, text: str = "") -> Request:
    return Request(kind=kind, at=NOW, by="ada@host", origin="pts/1", text=text)


BECOME = [
    (
        asked(RequestKind.PAUSE),
        (SessionPaused(at=LATER, reason="manual", by="ada@host", asked=ASKED),),
    ),
    (
        asked(RequestKind.PAUSE_NOW),
        (SessionPaused(at=LATER, reason="manual", by="ada@host", asked=ASKED),),
    ),
    (
        asked(RequestKind.ABORT),
        (
            SessionPaused(at=LATER, reason="manual", by="ada@host", asked=ASKED),
            SessionAborted(at=LATER, by="ada@host", asked=ASKED),
        ),
    ),
    (
        asked(RequestKind.RESET, "less"),
        (SessionReset(at=LATER, by="ada@host", guidance="less", goes_on=True, asked=ASKED, returns=True),),
    ),
    (
        asked(RequestKind.SKIP, "GREEN"),
        (PhaseSkipped(at=LATER, by="ada@host", phase=Phase.GREEN, goes_on=True, asked=ASKED),),
    ),
    (asked(RequestKind.GUIDE, "less"), (GuidanceGiven(at=LATER, by="ada@host", text="less", asked=ASKED),)),
    (asked(RequestKind.WITHDRAW, "more"), (GuidanceWithdrawn(at=LATER, by="ada@host", text="more", asked=ASKED),)),
    (asked(RequestKind.SKIP_WAIT), (WaitSkipped(at=LATER, by="ada@host", asked=ASKED),)),
]


@pytest.mark.parametrize(("request_", "events"), BECOME)
def test_a_request_becomes_events_that_say_who_asked_when_and_from_where(
    request_: Request, events: tuple[object, ...]
) -> None:
    assert events_of(request_, WAITING, LATER) == events


REFUSED = [
    (asked(RequestKind.PAUSE), HALTED, "The session is halted."),
    (asked(RequestKind.SKIP, "QA"), RUNNING, "The session is in GREEN, not in QA."),
    (asked(RequestKind.SKIP, "LUNCH"), RUNNING, "There is no phase 'LUNCH'."),
    (asked(RequestKind.GUIDE, "less"), COMPLETED, "The session is completed."),
    (asked(RequestKind.WITHDRAW, "more"), RUNNING, "That guidance is not in force."),
]


@pytest.mark.parametrize(("request_", "state", "reason"), REFUSED)
def test_a_request_that_does_not_fit_is_refused_on_record(request_: Request, state: object, reason: str) -> None:
    (event,) = events_of(request_, state, LATER)  # type: ignore[arg-type]

    assert event == RequestRefused(at=LATER, by="ada@host", request=request_.kind, reason=reason, asked=ASKED)


def test_a_halted_session_is_given_up_without_a_pause() -> None:
    (event,) = events_of(asked(RequestKind.ABORT), HALTED, LATER)

    assert apply(HALTED, event).ended_by is Decision.ABORTED


def test_a_reset_or_a_skip_of_a_session_that_runs_lets_it_run() -> None:
    (reset,) = events_of(asked(RequestKind.RESET, "less"), RUNNING, LATER)
    (skip,) = events_of(asked(RequestKind.SKIP, "GREEN"), RUNNING, LATER)

    anew, on = apply(RUNNING, reset), apply(RUNNING, skip)

    assert (anew.status, anew.failures.failed_calls, anew.guidance, anew.pause_reason) == (
        Status.RUNNING,
        0,
        ("less",),
        None,
    )
    assert (on.status, on.phase, on.phases_forced) == (Status.RUNNING, Phase.REFACTOR, (Phase.GREEN,))


def test_guidance_changes_nothing_else_and_is_said_once() -> None:
    (event,) = events_of(asked(RequestKind.GUIDE, "less"), RUNNING, LATER)

    once = apply(RUNNING, event)

    assert once == replace(RUNNING, guidance=("less",), last_activity=LATER, seconds_worked=60.0)
    assert apply(once, event).guidance == ("less",)


def test_what_was_asked_leads_a_halted_run_on_unless_it_was_given_up() -> None:
    given_up = replace(HALTED, ended_by=Decision.ABORTED)

    assert [is_open(state) for state in (HALTED, given_up, RUNNING, COMPLETED)] == [True, False, False, False]


def test_an_attempt_from_inside_a_call_changes_nothing_and_is_a_violation() -> None:
    request_ = asked(RequestKind.ATTEMPT, "skip RED\x1b[2J")
    (event,) = events_of(request_, a_state(), LATER)
    refusal = refused_inside(request_, LATER, INSIDE)

    assert isinstance(event, RequestRefused)
    assert (refusal.request, refusal.inside) == ("skip RED\\x1b[2J", True)
    assert violation_of(refusal, Phase.RED).path == "request:skip RED\\x1b[2J"
    warned = apply(apply(a_state(), refusal), refusal).warnings
    assert [each.text for each in warned] == [f"the request 'skip RED\\x1b[2J' was refused: {INSIDE}"]
    assert apply(a_state(), event).warnings == ()
