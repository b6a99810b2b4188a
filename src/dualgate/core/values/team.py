"""Who may be asked in which phase, and how the calls of each went: data only."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
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
class Standing:
    """How the calls of one agent went of late; LoopState has the same fields for the agent that is asked."""

    failed_calls: int = 0
    empty_calls: int = 0
    refused_calls: int = 0
    full_contexts: int = 0
    limited_calls: int = 0
    limited_until: datetime | None = None
    failed_at: datetime | None = None
    trouble: Trouble | None = None


COUNTED = tuple(field.name for field in fields(Standing))


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
