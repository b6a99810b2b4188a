"""Event, LoopState -> the lines of the log: the lines of a run with their times, and every warning."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any

from dualgate.core.values import events
from dualgate.core.values.events import Event, TurnEnded
from dualgate.core.values.state import LoopState
from dualgate.display.lines import Line, Tone, place_in_run
from dualgate.display.live import lines

_TIME_WIDTH = len("10:00:00 ")


class Log:
    """Writes the lines of one session in the order of its events; a new day has a line of its own."""

    def __init__(self) -> None:
        self._day: date | None = None

    def lines(self, event: Event, state: LoopState) -> list[Line]:
        """The lines for an event in local time; `state` is the state after it."""
        told = [*lines(event, state), *_warnings(event, state)]
        at = event.at.astimezone()
        if not told:
            return []
        new_day = at.date() != self._day
        self._day = at.date()
        timed = [each._replace(text=f"{at:%H:%M:%S} {each.text}", hang=each.hang + _TIME_WIDTH) for each in told]
        return [*([Line(text=f"{at:%Y-%m-%d}", tone=Tone.QUIET)] if new_day else []), *timed]


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
