"""Events -> Spans, as each one ends: session, phases, iterations, and the calls and test runs inside them.

A session that is resumed goes on in a new span under its first one, so a span that has ended never changes. The ids
follow from the numbers of events: the same journal gives the same spans, however often and by whom it is read.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from dualgate.core.machine.history import apply, begin
from dualgate.core.record.traces.attributes import (
    INVOKE_AGENT,
    INVOKE_WORKFLOW,
    call_attributes,
    call_end,
    check_end,
    event_attributes,
    place_attributes,
    probes_end,
    session_attributes,
    session_end,
    suite_end,
    turn_attributes,
    used_attributes,
)
from dualgate.core.record.traces.span import Attributes, Level, Span, SpanEvent, span_id, trace_id
from dualgate.core.values import events
from dualgate.core.values.amendments import AmendmentTried
from dualgate.core.values.checks import CheckEnded, CheckStarted
from dualgate.core.values.events import CallEnded, CallStarted, Event, SessionStarted, SuiteEnded, SuiteStarted
from dualgate.core.values.probes import ProbesEnded, ProbesStarted
from dualgate.core.values.replacing import replace
from dualgate.core.values.spending import NOTHING, Used
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import TrialEnded, TrialStarted
from dualgate.core.values.vocabulary import Status

MOST_EVENTS = 128
"""Moments that one span keeps; further ones are not in it."""
_STEPS = (Level.CALL, Level.SUITE, Level.CHECK, Level.PROBES)
_ENDS: Mapping[type, Level] = {
    CallEnded: Level.CALL,
    SuiteEnded: Level.SUITE,
    CheckEnded: Level.CHECK,
    ProbesEnded: Level.PROBES,
    TrialEnded: Level.TRIAL,
    events.BaselineTaken: Level.BASELINE,
    events.TurnEnded: Level.ITERATION,
    events.ProvenAgain: Level.ITERATION,
}
_STARTS: Mapping[type, Level] = {
    CallStarted: Level.CALL,
    SuiteStarted: Level.SUITE,
    CheckStarted: Level.CHECK,
    ProbesStarted: Level.PROBES,
    TrialStarted: Level.TRIAL,
}
_WORK = (*_STARTS, events.TreeSettled, SuiteEnded, CheckEnded, ProbesEnded, AmendmentTried)
"""Events of an iteration: the first of them begins its span, and those around it."""
_INTERRUPTED: Attributes = {"dualgate.interrupted": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSpan:
    level: Level
    id: str
    parent: str
    name: str
    start: datetime
    attributes: Attributes
    before: Used = NOTHING
    """The usage of the session when it began."""
    events: tuple[SpanEvent, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracing:
    """The spans that are open after the events so far, the outermost first."""

    started: SessionStarted
    state: LoopState
    epoch: int
    last: datetime
    open: tuple[OpenSpan, ...] = ()
    ended: tuple[Span, ...] = field(default=())
    """The spans that the last event ended, the innermost first."""

    @property
    def cut_off(self) -> "Tracing":
        """The spans as they are if nothing follows, as after kill -9: those that are open end with the last event."""
        return _closed(replace(self, ended=()), Level.SESSION, self.last, 0, died=True)


def begin_tracing(started: SessionStarted, epoch: int) -> Tracing:
    tracing = Tracing(started=started, state=begin(started), epoch=epoch, last=started.at)
    return _opened(tracing, Level.SESSION, 1, started.at)


def traced(tracing: Tracing, seq: int, epoch: int, event: Event) -> Tracing:
    """The spans after one more event."""
    tracing = replace(tracing, ended=())
    if epoch != tracing.epoch:  # another process goes on: the one before may have been killed
        tracing = replace(_closed(tracing, Level.SESSION, tracing.last, seq, died=True), epoch=epoch)
    if isinstance(event, (*_WORK, events.SessionResumed)):
        tracing = _with_containers(tracing, seq, event)
    before, after = tracing.state, apply(tracing.state, event)
    if level := _STARTS.get(type(event)):
        tracing = _opened(tracing, level, seq, event.at, event)
    tracing = replace(tracing, state=after, last=event.at)
    if level := _ENDS.get(type(event)):
        tracing = _ended(tracing, level, seq, event)
    elif not isinstance(event, (*_STARTS, SessionStarted, events.TreeSettled)):
        tracing = _noted(tracing, event)
    if after.status is not Status.RUNNING:
        return _closed(tracing, Level.SESSION, event.at, seq)
    return tracing if after.phase is before.phase else _closed(tracing, Level.PHASE, event.at, seq)


def _with_containers(tracing: Tracing, seq: int, event: Event) -> Tracing:
    """Open the spans in which an event of an iteration lies."""
    levels = {each.level for each in tracing.open}
    wanted = [Level.SESSION]
    if not isinstance(event, events.SessionResumed):
        has_begun = bool(tracing.state.proof.start_tree)
        wanted += [Level.PHASE, Level.ITERATION] if has_begun else [Level.BASELINE]
    for level in wanted:
        if level not in levels:
            tracing = _opened(tracing, level, seq, event.at)
    return tracing


def _opened(tracing: Tracing, level: Level, seq: int, at: datetime, event: Event | None = None) -> Tracing:
    name, attributes = _NAMES[level](tracing, event)
    root = span_id(tracing.state.session_id, 1, Level.SESSION)
    own = span_id(tracing.state.session_id, seq, level)
    around = [each.id for each in tracing.open if each.level not in _STEPS]
    if level is Level.SESSION and own != root:
        attributes = {**attributes, "dualgate.resumed": True}
    made = OpenSpan(
        level=level,
        id=own,
        parent=around[-1] if around else "" if own == root else root,
        name=name,
        start=at,
        attributes=attributes,
        before=tracing.state.spending.total,
    )
    return replace(tracing, open=(*tracing.open, made))


def _ended(tracing: Tracing, level: Level, seq: int, event: Event) -> Tracing:
    """End the innermost span of a level; a result that was reused has none, and is a moment of its iteration."""
    if level not in {each.level for each in tracing.open}:
        return _noted(tracing, event)
    found = _RESULTS[level](event, tracing.state)
    error = str(found.get("error.type", "")) if level is Level.CALL else ""
    tracing = _closed(tracing, level, event.at, seq, found, error)
    return _counted(tracing) if level is Level.ITERATION else tracing


def _closed(
    tracing: Tracing,
    level: Level,
    at: datetime,
    seq: int,
    found: Attributes | None = None,
    error: str = "",
    *,
    died: bool = False,
) -> Tracing:
    """End the spans of a level and all that are open inside them; those inside were interrupted."""
    place = next((place for place, each in enumerate(tracing.open) if each.level is level), len(tracing.open))
    ended = []
    for each in reversed(tracing.open[place:]):
        is_meant = each is tracing.open[place] and not died
        extra = dict(found or {}) if each is tracing.open[place] else {}
        if each.level is Level.SESSION:
            extra |= session_end(tracing.state, died)
        if each.level not in _STEPS:
            extra |= used_attributes(tracing.state.spending.total - each.before)
        if not is_meant and (died or each.level in _STEPS):
            extra |= _INTERRUPTED
        ended.append(_span(tracing, each, at, seq, extra, error if is_meant else ""))
    return replace(tracing, open=tracing.open[:place], ended=(*tracing.ended, *ended))


def _span(tracing: Tracing, of: OpenSpan, at: datetime, seq: int, extra: Attributes, error: str) -> Span:
    return Span(
        trace_id=trace_id(tracing.state.session_id),
        span_id=of.id,
        parent_id=of.parent,
        level=of.level,
        name=of.name,
        start=of.start,
        end=max(at, of.start),  # a clock can be set back
        seq=seq,
        attributes={**of.attributes, **extra},
        events=of.events,
        error=error,
    )


def _noted(tracing: Tracing, event: Event) -> Tracing:
    """Add a moment to the innermost span that holds others."""
    place = max((place for place, each in enumerate(tracing.open) if each.level not in _STEPS), default=None)
    if place is None or len(tracing.open[place].events) >= MOST_EVENTS:
        return tracing
    moment = SpanEvent(name=event.kind, at=event.at, attributes=event_attributes(event))
    return _changed(tracing, place, events=(*tracing.open[place].events, moment))


def _counted(tracing: Tracing) -> Tracing:
    """Count an iteration in its phase."""
    place = len(tracing.open) - 1
    attributes = tracing.open[place].attributes
    count = int(str(attributes.get("dualgate.iterations", 0))) + 1
    return _changed(tracing, place, attributes={**attributes, "dualgate.iterations": count})


def _changed(tracing: Tracing, place: int, **values: Any) -> Tracing:
    changed = replace(tracing.open[place], **values)
    return replace(tracing, open=(*tracing.open[:place], changed, *tracing.open[place + 1 :]))


Named = tuple[str, Attributes]


def _named_session(tracing: Tracing, _: Event | None) -> Named:
    return f"{INVOKE_WORKFLOW} {tracing.started.workflow}", session_attributes(tracing.started)


def _named_iteration(tracing: Tracing, _: Event | None) -> Named:
    number = tracing.state.iteration + 1
    return f"iteration {number}", place_attributes(tracing.state.phase, number)


def _named_call(_: Tracing, event: Any) -> Named:
    attributes = call_attributes(event)
    return f"{INVOKE_AGENT} {attributes['gen_ai.agent.name']}", attributes


_NAMES: Mapping[Level, Callable[[Tracing, Event | None], Named]] = {
    Level.SESSION: _named_session,
    Level.PHASE: lambda tracing, _: (f"phase {tracing.state.phase}", {"dualgate.phase": tracing.state.phase.value}),
    Level.BASELINE: lambda *_: ("baseline", {}),
    Level.ITERATION: _named_iteration,
    Level.TRIAL: lambda *_: ("trial", {}),
    Level.CALL: _named_call,
    Level.SUITE: lambda *_: ("tests", {}),
    Level.CHECK: lambda *_: ("check", {}),
    Level.PROBES: lambda *_: ("probes", {}),
}
_RESULTS: Mapping[Level, Callable[[Any, LoopState], Attributes]] = {
    Level.BASELINE: lambda event, _: {"dualgate.tests.total": len(event.results)},
    Level.ITERATION: lambda event, _: turn_attributes(getattr(event, "turn", event)),
    Level.TRIAL: lambda *_: {},
    Level.CALL: call_end,
    Level.SUITE: lambda event, _: suite_end(event),
    Level.CHECK: lambda event, _: check_end(event),
    Level.PROBES: lambda event, _: probes_end(event),
}
