"""What the gates, the breaker and the machine say of one iteration."""

from dataclasses import dataclass, field
from enum import StrEnum

from dualgate.core.values.vocabulary import BreakerState, Decision, HaltCause, Phase, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """How far one iteration got, in numbers that the loop measured."""

    red: int = 0
    covered: int = 0
    passing: int | None = 0
    """None where the run could not be counted."""
    failing: int | None = 0
    documents: int = 0
    ticked: int = 0
    """Tasks that are done."""
    findings: int = 0
    changed: int = 0
    verified: bool = False
    error: str = ""
    """The hash of the normalised failure; empty where there is none."""
    place: str = ""
    """The hash of which tests fail and in what way, whatever they say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaker:
    state: BreakerState = BreakerState.CLOSED
    no_progress: int = 0
    same_error: int = 0
    best: Marks = field(default_factory=Marks)
    last_error: str = ""
    seen_places: tuple[str, ...] = ()
    on_trial: bool = False
    """Whether a cool-down has given it one more iteration: it rests no second time."""


class Outcome(StrEnum):
    """What the gates say of one iteration."""

    PASS = "pass"
    STAY = "stay"
    REJECT = "reject"
    RETRY = "retry"
    LIMITED = "limited"
    BLOCK = "block"
    STUCK = "stuck"
    """The answers go round in circles."""


# a call that failed and left no work, or that met a limit, is not counted as an iteration
NO_ITERATION = frozenset({Outcome.RETRY, Outcome.LIMITED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """`reasons` say what keeps a gate shut, evidence first; empty where both are open."""

    outcome: Outcome
    gate_1: bool
    gate_2: bool
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    """Those of the reasons that keep gate 1 shut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Where one turn leads: the decision, the phase and status after it, and why where it ends there."""

    decision: Decision
    phase: Phase
    status: Status = Status.RUNNING
    halt_reason: str | None = None
    cause: HaltCause | None = None
    """Why it halts, where it does."""
    gives_up: str = ""
    """Why the agent is not asked again for now, where that is so; the next one is, where there is one."""


def is_no_iteration(verdict: Verdict, move: Move) -> bool:
    """Whether the call is made again, by the same agent or by the next."""
    return verdict.outcome in NO_ITERATION or (move.decision is Decision.RETRY and bool(move.gives_up))
