"""Control events -> lines for people: what a person or the breaker did to a session."""

from collections.abc import Callable
from typing import Any

from dualgate.core.values import events
from dualgate.core.values.control import RequestRefused
from dualgate.core.values.notation import show_duration
from dualgate.core.values.state import LoopState
from dualgate.display.lines import Line, Tone, place_in_run


def _reset(event: events.SessionReset, _: LoopState) -> list[Line]:
    told = f"; the agent will be told: {event.guidance}" if event.guidance else ""
    return [Line(text=f"reset by {event.by}{told}")]


def _skipped(event: events.PhaseSkipped, _: LoopState) -> list[Line]:
    return [Line(text=f"{event.phase} was skipped by {event.by}: the session cannot be proven any more", tone=Tone.BAD)]


def _aborted(event: events.SessionAborted, _: LoopState) -> list[Line]:
    return [Line(text=f"aborted by {event.by}", tone=Tone.BAD)]


def _guided(event: events.GuidanceGiven, _: LoopState) -> list[Line]:
    return [Line(text=f"guidance from {event.by}: {event.text}")]


def _withdrawn(event: events.GuidanceWithdrawn, _: LoopState) -> list[Line]:
    return [Line(text=f"guidance withdrawn by {event.by}: {event.text or 'all'}")]


def _refused(event: RequestRefused, _: LoopState) -> list[Line]:
    where = f" ({event.asked.origin})" if event.inside and event.asked and event.asked.origin else ""
    return [Line(text=f"refused, asked for by {event.by}{where}: {event.request}: {event.reason}", tone=Tone.BAD)]


def _run_rested(event: events.RunRested, _: LoopState) -> list[Line]:
    return [Line(text=f"rested for {show_duration(round(event.seconds))}, which counts for no limit", tone=Tone.QUIET)]


def _cooled(_: events.BreakerCooled, state: LoopState) -> list[Line]:
    return [
        Line(text=f"{place_in_run(state.phase, state.iteration + 1)} the breaker has rested; one iteration is tried")
    ]


CONTROL_WRITERS: dict[type, Callable[[Any, LoopState], list[Line]]] = {
    events.SessionReset: _reset,
    events.PhaseSkipped: _skipped,
    events.SessionAborted: _aborted,
    events.GuidanceGiven: _guided,
    events.GuidanceWithdrawn: _withdrawn,
    RequestRefused: _refused,
    events.RunRested: _run_rested,
    events.BreakerCooled: _cooled,
}
