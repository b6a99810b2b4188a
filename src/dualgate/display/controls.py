"""Control events -> lines for people: what a person or the breaker did to a session."""

from collections.abc import Callable
from typing import Any

from dualgate.core.values import events
from dualgate.core.values.approvals import AmendmentAnswered, QuestionAnswered, WorkApproved, WorkRejected
from dualgate.core.values.control import RequestRefused, WaitSkipped
from dualgate.core.values.notation import show_duration
from dualgate.core.values.state import LoopState
from dualgate.display.lines import Line, Tone, place_in_run


def _reset(event: events.SessionReset, _: LoopState) -> list[Line]:
    guided = f", with guidance: {event.guidance}" if event.guidance else ""
    return [Line(text=f"reset by {event.by}{guided}")]


def _skipped(event: events.PhaseSkipped, _: LoopState) -> list[Line]:
    return [Line(text=f"{event.phase} skipped by {event.by}; this session can no longer be proven", tone=Tone.BAD)]


def _aborted(event: events.SessionAborted, _: LoopState) -> list[Line]:
    return [Line(text=f"aborted by {event.by}", tone=Tone.BAD)]


def _guided(event: events.GuidanceGiven, _: LoopState) -> list[Line]:
    return [Line(text=f"guidance from {event.by}: {event.text}")]


def _withdrawn(event: events.GuidanceWithdrawn, _: LoopState) -> list[Line]:
    return [Line(text=f"guidance withdrawn by {event.by}: {event.text or 'all'}")]


def _refused(event: RequestRefused, _: LoopState) -> list[Line]:
    where = f" ({event.asked.origin})" if event.inside and event.asked and event.asked.origin else ""
    return [Line(text=f"refused: {event.request} from {event.by}{where}: {event.reason}", tone=Tone.BAD)]


def _run_suspended(event: events.RunSuspended, _: LoopState) -> list[Line]:
    return [
        Line(
            text=f"suspended for {show_duration(round(event.seconds))}; this time counts toward no limit",
            tone=Tone.QUIET,
        )
    ]


def _hurried(event: WaitSkipped, _: LoopState) -> list[Line]:
    return [Line(text=f"wait skipped by {event.by}")]


def _cooled(_: events.BreakerCooled, state: LoopState) -> list[Line]:
    return [
        Line(text=f"{place_in_run(state.phase, state.iteration + 1)} breaker cool-down over; trying one more iteration")
    ]


def _answered(event: AmendmentAnswered, _: LoopState) -> list[Line]:
    if event.approved:
        text = f"amendment of {event.test_id} approved by {event.by}; it is applied if it is proven"
        return [Line(text=text, tone=Tone.GOOD)]
    text = f"amendment of {event.test_id} rejected by {event.by}: {event.reason}"
    return [Line(text=text, tone=Tone.BAD)]


def _approved(event: WorkApproved, state: LoopState) -> list[Line]:
    ended = "completed and proven" if state.proven else "completed, not proven"
    return [Line(text=f"approved by {event.by} → {ended}", tone=Tone.GOOD if state.proven else Tone.BAD)]


def _rejected(event: WorkRejected, state: LoopState) -> list[Line]:
    return [Line(text=f"rejected by {event.by} → {state.phase}: {event.reason}", tone=Tone.BAD)]


def _replied(event: QuestionAnswered, _: LoopState) -> list[Line]:
    return [Line(text=f"answered by {event.by}: {event.text}")]


CONTROL_WRITERS: dict[type, Callable[[Any, LoopState], list[Line]]] = {
    events.SessionReset: _reset,
    events.PhaseSkipped: _skipped,
    events.SessionAborted: _aborted,
    events.GuidanceGiven: _guided,
    events.GuidanceWithdrawn: _withdrawn,
    RequestRefused: _refused,
    events.RunSuspended: _run_suspended,
    WaitSkipped: _hurried,
    events.BreakerCooled: _cooled,
    AmendmentAnswered: _answered,
    WorkApproved: _approved,
    WorkRejected: _rejected,
    QuestionAnswered: _replied,
}
