"""The agents of each phase, and their failures: data only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from dualgate.core.values.answer import Trouble
from dualgate.core.values.vocabulary import Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineup:
    """Names of the agents, the preferred first; the others take over if it cannot continue."""

    every: tuple[str, ...] = ()
    by_phase: Mapping[Phase, tuple[str, ...]] = field(default_factory=dict)
    """Agents of phases that name their own."""
    escalation: Mapping[Phase, tuple[str, ...]] = field(default_factory=dict)
    """Agents that take over in a phase without progress, in order, each once."""

    @property
    def everybody(self) -> tuple[str, ...]:
        others = (*self.by_phase.values(), *self.escalation.values())
        return tuple(dict.fromkeys((*self.every, *(name for names in others for name in names))))

    def of(self, phase: Phase) -> tuple[str, ...]:
        return self.by_phase.get(phase, self.every)


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalation:
    """An agent or a model that took over, since the one before made no progress."""

    at: datetime
    phase: Phase
    iteration: int
    """The last iteration of the agent before it."""
    agent: str
    before: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FailuresInARow:
    """Counts of an agent's failures in a row, and the trouble of its last call."""

    failed_calls: int = 0
    """Calls in a row that failed without work; a call that met a limit neither counts nor ends the row."""
    empty_calls: int = 0
    refused_calls: int = 0
    full_contexts: int = 0
    """Calls since the phase began that found the context full; each one shortens the prompt."""
    limited_calls: int = 0
    """Calls in a row that met a limit."""
    limited_until: datetime | None = None
    """When the limit ends, if that was reported."""
    failed_at: datetime | None = None
    """When the last call ended, if it failed or met a limit."""
    trouble: Trouble | None = None
    """The trouble of the last call."""
    blocked: int = 0
    """BLOCKED answers in a row, of any agent; a failed call neither counts nor ends the row."""
    errors: tuple[str, ...] = ()
    """Errors of the last answers of any agent, oldest first; an empty text for an answer without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Out:
    """Why an agent is excluded for now: until a person acts, until a time, or until the next phase."""

    reason: str
    until: datetime | None = None
    for_phase: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A wait before the next call: until when, why, and by which setting."""

    until: datetime
    reason: str
    setting: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSwitched:
    """A phase switches to another agent: the current one cannot continue, or a preferred one is available again."""

    kind: ClassVar[str] = "agent.switched"
    at: datetime
    phase: Phase
    agent: str
    before: str
    reason: str
