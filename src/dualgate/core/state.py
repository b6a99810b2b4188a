"""LoopState and what it is made of: data only. Every change of it is in `machine.py` and `history.py`."""

from dataclasses import dataclass, field
from datetime import datetime

from dualgate.core.breaker import Breaker
from dualgate.core.suite import CaseResult
from dualgate.core.vocabulary import Decision, Phase, Status, Violation, Workflow

ERRORS_KEPT = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseVisit:
    """One phase over the whole session: entered again, it keeps its start and adds up."""

    phase: Phase
    started_at: datetime
    completed_at: datetime | None = None
    iterations: int = 0
    calls: int = 0
    exit_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorEntry:
    at: datetime
    phase: Phase
    iteration: int
    error: str
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    at: datetime
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What later runs are compared with: the tests before any work, and those that the last phase was proven on."""

    baseline: tuple[CaseResult, ...] = ()
    unstable: tuple[str, ...] = ()
    """Ids whose outcome differed between the two runs of the baseline."""
    outputs: tuple[str, ...] = ()
    """Paths that test runs write by themselves."""
    start_tree: str = ""
    red_tree: str = ""
    """The tree on which RED was proven: amended tests must fail there."""
    proven: tuple[CaseResult, ...] | None = None
    """The results that the last passed phase was proven on; tests that were added since RED count from then on."""
    proven_tree: str = ""
    removed: tuple[str, ...] = ()
    """Tests of the baseline that RED removed or renamed; the reviewer is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What the next prompt tells of the last turn."""

    reasons: tuple[str, ...] = ()
    failing: tuple[CaseResult, ...] = ()
    violations: tuple[Violation, ...] = ()
    false_claims: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopState:
    session_id: str
    prp_file: str
    started_at: datetime
    last_activity: datetime
    workflow: Workflow
    phase: Phase
    max_iterations: int
    iteration: int = 0
    """Iterations finished in this visit of the phase."""
    status: Status = Status.RUNNING
    ended_by: Decision | None = None
    halt_reason: str | None = None
    pause_reason: str | None = None
    paused_at: datetime | None = None
    phases_completed: tuple[Phase, ...] = ()
    phases_forced: tuple[Phase, ...] = ()
    visits: tuple[PhaseVisit, ...] = ()
    errors: tuple[ErrorEntry, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    qa_attempts: int = 0
    total_agent_calls: int = 0
    failed_calls: int = 0
    """Calls in a row that failed and left no work."""
    empty_calls: int = 0
    limited_calls: int = 0
    """Calls in a row that met a limit."""
    limited_until: datetime | None = None
    """When the limit that was met ends, where that was said."""
    blocked_in_a_row: int = 0
    green_model: str | None = None
    breaker: Breaker = field(default_factory=Breaker)
    proof: Proof = field(default_factory=Proof)
    memory: Memory = field(default_factory=Memory)

    @property
    def proven(self) -> bool:
        """Every gate passed on evidence: completed, and no phase let through by a person."""
        return self.status is Status.COMPLETED and not self.phases_forced and self.workflow is Workflow.TDD

    def visit(self, phase: Phase) -> PhaseVisit | None:
        return next((visit for visit in self.visits if visit.phase is phase), None)
