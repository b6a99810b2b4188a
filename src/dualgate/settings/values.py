"""Settings and their defaults: values only. What each means is in `keys.py`, beside how it is read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from dualgate.core.values.limits import THRESHOLDS, PhaseBudget, Price, Thresholds
from dualgate.core.values.suite import Services, Suite
from dualgate.core.values.vocabulary import Amend, OnQuestion, Phase, SandboxKind, Workflow


class SessionUse(StrEnum):
    """How long an agent's own session goes on: through the calls of a phase, or for one call."""

    PHASE = "phase"
    FRESH = "fresh"


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerSettings:
    cooldown: float | None = None
    thresholds: Mapping[Phase, Thresholds] = field(default_factory=lambda: dict(THRESHOLDS))


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardSettings:
    """Globs, seen from the project's root."""

    frozen: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotSettings:
    keep_days: int = 30
    keep_last: int = 50
    largest_kept: int = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    keep_calls: int = 512 << 20
    keep_days: int = 90
    keep_last: int = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxSettings:
    """Paths may begin with ~; others are seen from the project's root."""

    kind: SandboxKind = SandboxKind.NONE
    network: bool = True
    writable: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentChoice:
    """The agent of one role."""

    agent: str | None = None
    command: str | None = None
    model: str | None = None
    args: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    session: SessionUse | None = None
    fallback: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    workflow: Workflow = Workflow.TDD
    plan: str | None = None
    agent: str | None = None
    agent_command: str | None = None
    model: str | None = None
    qa_agent_command: str | None = None
    fallback: tuple[str, ...] = ()
    test_command: str | None = None
    setup: tuple[str, ...] = ()
    max_iterations: int = 100
    max_duration: float | None = None
    timeout: float = 3600.0
    idle_timeout: float | None = 600.0
    test_timeout: float = 1800.0
    slow_suite: float = 600.0
    retry_delay: float = 5.0
    wait: bool = True
    on_question: OnQuestion = OnQuestion.ASSUME
    amend: Amend = Amend.REVIEW
    amendments: int = 3
    documents: int = 3
    adr_required: bool = True
    qa_returns: int = 3
    max_calls_per_hour: int | None = None
    max_tokens_per_hour: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    budget: Mapping[Phase, PhaseBudget] = field(default_factory=lambda: {phase: PhaseBudget() for phase in Phase})
    breaker: BreakerSettings = field(default_factory=BreakerSettings)
    guard: GuardSettings = field(default_factory=GuardSettings)
    snapshots: SnapshotSettings = field(default_factory=SnapshotSettings)
    sessions: SessionSettings = field(default_factory=SessionSettings)
    sandbox: SandboxSettings = field(default_factory=SandboxSettings)
    env: Services = field(default_factory=Services)
    suites: Mapping[str, Suite] = field(default_factory=dict)
    agents: Mapping[str, AgentChoice] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)
