"""LoopState and what it is made of: data only. Every change of it is in `machine.py` and `history.py`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from dualgate.core.values.amendments import Amendment
from dualgate.core.values.changes import Attribution, RolledBack, Violation
from dualgate.core.values.events import AgentSwitched
from dualgate.core.values.limits import Limits
from dualgate.core.values.reviews import Reviews
from dualgate.core.values.specification import Plan
from dualgate.core.values.spending import Spending
from dualgate.core.values.suite import CaseResult
from dualgate.core.values.team import FailuresInARow, Lineup, Out, Wait
from dualgate.core.values.verdict import Breaker
from dualgate.core.values.vocabulary import Decision, HaltCause, Phase, Status, Workflow

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
class Attempt:
    """One iteration in short: what the agent said it did, what it changed, and why that was not enough."""

    iteration: int
    said: str = ""
    changed: tuple[str, ...] = ()
    result: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What later runs are compared with: the tests before any work, and those that the last phase was proven on."""

    baseline: tuple[CaseResult, ...] = ()
    unstable: tuple[str, ...] = ()
    """Ids, or functions, that went one way and the other in the two runs of the baseline."""
    volatile: tuple[str, ...] = ()
    """Functions whose cases have other ids in every run; later runs of one tree may add to them."""
    flaky: tuple[str, ...] = ()
    """Tests that later went one way and the other on one tree. Nothing excuses them: they are repeated."""
    configuration: tuple[tuple[str, str], ...] = ()
    """Of the baseline, then of the run that the last phase was proven on."""
    environment: str = ""
    shifting: tuple[str, ...] = ()
    """Keys of the configuration that mean nothing, since they differ from run to run."""
    seconds: float = 0.0
    """How long the last run of the whole suite took."""
    outputs: tuple[str, ...] = ()
    """Paths that test runs write by themselves."""
    suites: tuple[str, ...] = ()
    """The names of the suites; where there is one, its tests are shown without it."""
    start_tree: str = ""
    red_tree: str = ""
    """The tree on which RED was proven: amended tests must fail there."""
    red: tuple[CaseResult, ...] = ()
    """The results that RED was proven on."""
    proven: tuple[CaseResult, ...] | None = None
    """The results that the last passed phase was proven on; tests that were added since RED count from then on."""
    proven_tree: str = ""
    green_tree: str = ""
    """The last tree whose tests the loop itself saw green: what breaks tests is rolled back to it."""
    removed: tuple[str, ...] = ()
    """Tests of the baseline that RED removed or renamed; the reviewer is told."""
    notes: tuple[str, ...] = ()
    """What else the reviewer should know of how RED changed the tests."""
    phases: tuple[Phase, ...] = ()
    """Phases that were proven at least once."""
    kept: tuple[CaseResult, ...] = ()
    """Where a changed specification led back to RED: tests of criteria that are as they were. They stay as they are."""
    kept_criteria: tuple[str, ...] = ()
    kept_tree: str = ""
    """The tree that they were last proven on: what they stand on there stays too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewContext:
    """What a reviewer is told of the run so far."""

    added: tuple[str, ...] = ()
    """Files that were not there when the session began."""
    rewritten: tuple[str, ...] = ()
    violations: tuple[str, ...] = ()
    """What was not allowed, by phase; the last of them."""
    false_claims: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What the next prompt tells of the last turn."""

    reasons: tuple[str, ...] = ()
    failing: tuple[CaseResult, ...] = ()
    violations: tuple[Violation, ...] = ()
    false_claims: tuple[str, ...] = ()
    uncovered: tuple[str, ...] = ()
    """Criteria that no red test names, as RED last saw them."""
    questions: tuple[str, ...] = ()
    """What the agent asked and nobody answered."""
    needs_diagnosis: bool = False
    """Whether the agent said that the cause is not known."""
    rolled_back: RolledBack | None = None
    amendment: Amendment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopState:
    session_id: str
    prp_file: str
    started_at: datetime
    last_activity: datetime
    workflow: Workflow
    phase: Phase
    limits: Limits = field(default_factory=Limits)
    iteration: int = 0
    """Iterations finished in this visit of the phase."""
    status: Status = Status.RUNNING
    ended_by: Decision | None = None
    halted_by: HaltCause | None = None
    halt_reason: str | None = None
    way_on: str = ""
    """The command that leads on from the halt, where a reset does not."""
    pause_reason: str | None = None
    paused_at: datetime | None = None
    phases_completed: tuple[Phase, ...] = ()
    phases_forced: tuple[Phase, ...] = ()
    visits: tuple[PhaseVisit, ...] = ()
    errors: tuple[ErrorEntry, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    """Every request to change a frozen test, and what came of it."""
    qa_attempts: int = 0
    total_agent_calls: int = 0
    failures: FailuresInARow = field(default_factory=FailuresInARow)
    """Of the agent that was asked last."""
    turned_at: datetime | None = None
    """When the last turn ended: waits are counted from there."""
    lineup: Lineup = field(default_factory=Lineup)
    """Who may be asked, phase by phase."""
    agent: str = ""
    """The agent that was asked last."""
    failures_of_others: Mapping[str, FailuresInARow] = field(default_factory=dict)
    outs: Mapping[str, Out] = field(default_factory=dict)
    """Agents that are not asked for now."""
    chosen: Mapping[Phase, str] = field(default_factory=dict)
    """Who is asked in phases in which it changed."""
    last_switch: AgentSwitched | None = None
    calls_by: Mapping[str, int] = field(default_factory=dict)
    """How often each agent was asked."""
    writers: tuple[str, ...] = ()
    """Agents that wrote code in GREEN, the last of them last."""
    waiting: Wait | None = None
    """What the next call waits for, where the hour that lies behind is full."""
    criteria: int = 0
    """Acceptance criteria of the specification, as the last turn counted them."""
    plan: Plan | None = None
    """The task list of BUILD as it was last read."""
    unproven: tuple[str, ...] = ()
    """Why the evidence on which the run was completed proves nothing."""
    seconds_worked: float = 0.0
    """From the start to the last event, without pauses."""
    spending: Spending = field(default_factory=Spending)
    green_model: str | None = None
    qa_model: str | None = None
    qa_agent: str = ""
    """The agent that was asked for the last review."""
    reviewer: str | None = None
    """The agent that reviews; None where it is the one that does the work."""
    reviews: Reviews = field(default_factory=Reviews)
    review_context: ReviewContext = field(default_factory=ReviewContext)
    breaker: Breaker = field(default_factory=Breaker)
    proof: Proof = field(default_factory=Proof)
    memory: Memory = field(default_factory=Memory)
    touched: Attribution = field(default_factory=Attribution)
    tree: str = ""
    """The state of the work tree that was last judged."""
    attempts: tuple[Attempt, ...] = ()
    """The last iterations of this visit of the phase."""
    guidance: tuple[str, ...] = ()
    """What a person wants done differently in this phase."""

    @property
    def proven(self) -> bool:
        """Every gate passed on evidence: completed, no phase let through by a person, and in BUILD a green test run."""
        return self.status is Status.COMPLETED and not (self.phases_forced or self.unproven)

    @property
    def max_iterations(self) -> int:
        return self.limits.max_iterations

    def visit(self, phase: Phase) -> PhaseVisit | None:
        return next((visit for visit in self.visits if visit.phase is phase), None)
