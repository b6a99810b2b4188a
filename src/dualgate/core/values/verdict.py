"""Results of one iteration: the gates' verdict, the breaker and the machine's move."""

from dataclasses import dataclass, field
from enum import StrEnum

from dualgate.core.values.vocabulary import BreakerState, Decision, HaltCause, Phase, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """Progress of one iteration, as measured by the loop."""

    red: int = 0
    covered: int = 0
    passing: int | None = 0
    """None if the run could not be counted."""
    failing: int | None = 0
    documents: int = 0
    ticked: int = 0
    """Number of ticked tasks."""
    findings: int = 0
    checks: int = 0
    """Number of broken checks."""
    changed: int = 0
    verified: bool = False
    error: str = ""
    """Hash of the normalised failure; empty without a failure."""
    place: str = ""
    """Hash of the failing tests and their kinds of failure, without their messages."""
    judged_before: bool = False
    """Whether this work tree, with this task list, was judged before in the session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaker:
    state: BreakerState = BreakerState.CLOSED
    no_progress: int = 0
    same_error: int = 0
    best: Marks = field(default_factory=Marks)
    last_error: str = ""
    seen_places: tuple[str, ...] = ()
    on_trial: bool = False
    """Whether a cool-down already allowed a trial iteration; there is no second cool-down."""
    blocked: str = ""
    """Why the agent said BLOCKED in the last iteration; empty if it did not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockedNotice:
    """The agent said BLOCKED. The breaker is notified of this claim, and of no other."""

    reason: str
    halts: bool = False
    """Whether the run halts for it: the second BLOCKED in a row, or the first after a denied tool and no work."""


class Outcome(StrEnum):
    """The gates' result for one iteration."""

    PASS = "pass"
    STAY = "stay"
    REJECT = "reject"
    RETRY = "retry"
    LIMITED = "limited"
    BLOCK = "block"
    WEAK = "weak"
    """Both gates are open, but tests of a criterion do not notice that the code is broken."""
    UNREWRITTEN = "unrewritten"
    """The tests of a criterion were not rewritten as asked, and there is no further attempt."""
    STUCK = "stuck"
    """The last answers repeat the same error."""


# a call that failed and left no work, or that met a limit, is not counted as an iteration
NO_ITERATION = frozenset({Outcome.RETRY, Outcome.LIMITED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The gates of one iteration; `reasons` say what keeps a gate shut, evidence first."""

    outcome: Outcome
    gate_1: bool
    gate_2: bool
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    """The reasons that keep gate 1 shut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """The result of one turn: decision, next phase and status, and the reason for a halt."""

    decision: Decision
    phase: Phase
    status: Status = Status.RUNNING
    halt_reason: str | None = None
    cause: HaltCause | None = None
    """The cause of a halt."""
    gives_up: str = ""
    """Why this agent is given up for now; the next agent is asked, if there is one."""
    escalates_to: str = ""
    """The agent that takes over because there was no progress."""
    why_escalated: str = ""


def is_no_iteration(verdict: Verdict, move: Move) -> bool:
    """Whether the call is retried, by the same agent or the next."""
    return verdict.outcome in NO_ITERATION or (move.decision is Decision.RETRY and bool(move.gives_up))
