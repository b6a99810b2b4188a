"""The filters of dualgate log: phases, kinds of events and iterations, as a person writes them."""

import re
from dataclasses import dataclass

import click

from dualgate.core.record.iterations import Place
from dualgate.core.values.events import KINDS, Event
from dualgate.core.values.suggestion import did_you_mean
from dualgate.core.values.vocabulary import Phase

_RANGE = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which events are shown; None and empty stand for all."""

    phase: Phase | None = None
    kinds: frozenset[str] = frozenset()
    first: int | None = None
    last: int | None = None

    @property
    def is_everything(self) -> bool:
        return self == Wanted()

    def includes(self, event: Event, place: Place) -> bool:
        if self.phase not in (None, place.phase) or (self.kinds and event.kind not in self.kinds):
            return False
        number = place.number if self.phase is None else place.iteration
        return self.first is None or self.last is None or self.first <= number <= self.last


def wanted_of(phase: str | None, kinds: tuple[str, ...], iteration: str | None) -> Wanted:
    """Read the options. Raises UsageError, with the names that are close to a wrong one."""
    first, last = _range_of(iteration) if iteration else (None, None)
    return Wanted(phase=phase_of(phase), kinds=frozenset(map(_kind_of, kinds)), first=first, last=last)


def phase_of(name: str | None) -> Phase | None:
    if name is None:
        return None
    if name.upper() in list(Phase):
        return Phase(name.upper())
    raise click.UsageError(_unknown("phase", name, [phase.value for phase in Phase]))


def _kind_of(name: str) -> str:
    if name in KINDS:
        return name
    raise click.UsageError(_unknown("kind of event", name, list(KINDS)))


def _range_of(text: str) -> tuple[int, int]:
    found = _RANGE.fullmatch(text)
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if first > last:
        raise click.UsageError(f"Invalid --iteration {text}. Write a number or a range: 3 or 3-5.")
    return first, last


def _unknown(what: str, name: str, known: list[str]) -> str:
    return f"Unknown {what} '{name}'. {did_you_mean(name, known)}Known: {', '.join(known)}."
