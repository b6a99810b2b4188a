"""Event, LoopState -> the lines of the log: the lines of a run with times and durations, and every warning."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Any

from dualgate.core.values import events
from dualgate.core.values.events import Event, TurnEnded
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Status
from dualgate.display.lines import Line, Tone, place_in_run, printable, shown_time
from dualgate.display.live import lines
from dualgate.display.summary import halt_lines

_TIME_WIDTH = len("10:00:00 1h02m  ")


class Log:
    """Writes the lines of one session in the order of its events; a new day has a line of its own."""

    def __init__(self) -> None:
        self._day: date | None = None
        self._last: datetime | None = None
        self._turned: datetime | None = None

    def lines(self, event: Event, state: LoopState, before: LoopState | None = None, number: int = 0) -> list[Line]:
        """The lines for an event in local time, the first with the time since the line before.

        `state` is the state after the event, `before` the one before it, `number` the iteration in the session.
        """
        told = [*lines(event, state), *_warnings(event, state), *self._ended(event, number)]
        self.pass_over(event)
        at = event.at.astimezone()
        if not told:
            return []
        new_day = at.date() != self._day
        since = _elapsed(self._last, at)
        self._day, self._last = at.date(), at
        timed = [
            each._replace(
                text=printable(f"{at:%H:%M:%S} {'' if place else since:>6} {each.text}"), hang=each.hang + _TIME_WIDTH
            )
            for place, each in enumerate(told)
        ]
        day = [Line(text=f"{at:%A, %Y-%m-%d}", tone=Tone.QUIET)] if new_day else []
        return [*day, *timed, *_explained(state, before)]

    def pass_over(self, event: Event) -> None:
        """Note an event that is not shown: an iteration begins where the one before it ended."""
        if isinstance(event, _BEGINS):
            self._turned = event.at

    def _ended(self, event: Event, number: int) -> list[Line]:
        """The duration of an iteration, and the command that shows all of it."""
        if not isinstance(event, TurnEnded) or not number:
            return []
        took = f" took {shown_time((event.at - self._turned).total_seconds())}" if self._turned else ""
        place = place_in_run(event.facts.phase, event.facts.iteration)
        text = f"{place} iteration {number}{took}; in full: dualgate log show {number}"
        return [Line(text=text, tone=Tone.QUIET)]


_BEGINS = events.BaselineTaken | TurnEnded | events.SessionResumed


def _elapsed(last: datetime | None, now: datetime) -> str:
    """The time since the line before; empty for less than a second."""
    seconds = (now - last).total_seconds() if last else 0.0
    return f"+{shown_time(seconds)}" if seconds >= 1 else ""


def _explained(state: LoopState, before: LoopState | None) -> list[Line]:
    """The evidence and the attempts, after the event that halted the run."""
    halts = state.status is Status.HALTED and before is not None and before.status is not Status.HALTED
    indent = " " * _TIME_WIDTH
    told = halt_lines(state) if halts else []
    return [line._replace(text=f"{indent}{line.text}", hang=line.hang + _TIME_WIDTH) for line in told]


def _warnings(event: Event, state: LoopState) -> list[Line]:
    turn = event.turn if isinstance(event, events.ProvenAgain) else event
    at = (turn.facts.phase, turn.facts.iteration) if isinstance(turn, TurnEnded) else (state.phase, state.iteration + 1)
    texts = _OF_EVENTS.get(type(event), _none)(event)
    return [Line(text=f"{place_in_run(*at)} warning: {text}") for text in dict.fromkeys(texts)]


def _none(_: Event) -> Iterable[str]:
    return ()


def _of_turn(turn: TurnEnded) -> Iterable[str]:
    return (*turn.verdict.warnings, *turn.facts.claimed.warnings)


_OF_EVENTS: Mapping[type, Callable[[Any], Iterable[str]]] = {
    TurnEnded: _of_turn,
    events.ProvenAgain: lambda event: _of_turn(event.turn),
    events.CallEnded: lambda event: event.answer.problems,
    events.SuiteEnded: lambda event: event.report.notes,
}
"""Warnings of each kind of event that no line of a run shows."""
