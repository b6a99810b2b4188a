"""Who may be asked in which phase, and how the calls of each went: data only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from dualgate.core.values.answer import Trouble
from dualgate.core.values.vocabulary import Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineup:
    """Agents by the names under which a run knows them, the preferred first; others take over where it cannot go on."""

    every: tuple[str, ...] = ()
    by_phase: Mapping[Phase, tuple[str, ...]] = field(default_factory=dict)
    """Of phases that have agents of their own."""

    @property
    def everybody(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.every, *(name for names in self.by_phase.values() for name in names))))

    def of(self, phase: Phase) -> tuple[str, ...]:
        return self.by_phase.get(phase, self.every)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailuresInARow:
    """Calls and answers of one agent that went wrong, one after the other, and what the last call met."""

    failed_calls: int = 0
    """Calls in a row that failed and left no work; a limit is neither one nor the end of a row."""
    empty_calls: int = 0
    refused_calls: int = 0
    full_contexts: int = 0
    """Calls that found the context full since the phase was entered: prompts are shorter by them."""
    limited_calls: int = 0
    """Calls in a row that met a limit."""
    limited_until: datetime | None = None
    """When the limit that was met ends, where that was said."""
    failed_at: datetime | None = None
    """When the last call ended, where it failed or met a limit."""
    trouble: Trouble | None = None
    """What was wrong with the last call."""
    blocked: int = 0
    """Answers in a row that said BLOCKED, whoever gave them; a failed call is neither one nor the end of a row."""
    errors: tuple[str, ...] = ()
    """The errors that the last answers showed, whoever gave them, oldest first; empty where one showed none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Out:
    """An agent that is not asked for now: until a person says so, until a time, or until the next phase."""

    reason: str
    until: datetime | None = None
    for_phase: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Until when no call is made, why, and by which setting."""

    until: datetime
    reason: str
    setting: str
