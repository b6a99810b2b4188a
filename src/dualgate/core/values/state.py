"""LoopState and its parts: data only. `core/machine` holds every change of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from dualgate.core.values.amendments import Amendment
from dualgate.core.values.changes import Attribution, DocumentCount, RolledBack, Violation
from dualgate.core.values.checks import Check, CheckResult, CheckRun
from dualgate.core.values.claim import PhaseNote
from dualgate.core.values.commits import CommitLog
from dualgate.core.values.limit_report import LimitReport
from dualgate.core.values.limits import Limits
from dualgate.core.values.probes import WeakCriterion
from dualgate.core.values.reviews import Reviews
from dualgate.core.values.specification import CriterionState, Kind, Plan
from dualgate.core.values.spending import Spending
from dualgate.core.values.suite import CaseResult
from dualgate.core.values.team import AgentSwitched, Escalation, FailuresInARow, Lineup, Out, Wait
from dualgate.core.values.verdict import Breaker
from dualgate.core.values.vocabulary import Decision, HaltCause, Phase, Status, Workflow

ERRORS_KEPT = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseVisit:
    """One phase over the whole session; when entered again it keeps its start and adds up its counts."""

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
class Warned:
    """A warning of a turn, or of the start of the session (iteration 0). The same text is kept once."""

    phase: Phase
    iteration: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One iteration in short: what the agent said it did, what it changed, and why that was not enough."""

    iteration: int
    said: str = ""
    changed: tuple[str, ...] = ()
    result: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Results that later runs are compared with: the baseline, and the tests that proved the last phase."""

    baseline: tuple[CaseResult, ...] = ()
    unstable: tuple[str, ...] = ()
    """Ids or functions whose results differ between the two runs of the baseline."""
    unstable_ids: tuple[str, ...] = ()
    """Functions whose case ids differ in every run; later runs of one tree may add more."""
    flaky: tuple[str, ...] = ()
    """Tests whose results later differed on one tree. They are not excused: they are run again."""
    configuration: tuple[tuple[str, str], ...] = ()
    """Configuration of the baseline, later of the run that proved the last phase."""
    environment: str = ""
    unstable_keys: tuple[str, ...] = ()
    """Configuration keys that are ignored, because they differ from run to run."""
    seconds: float = 0.0
    """How long the last run of the whole suite took."""
    outputs: tuple[str, ...] = ()
    """Paths that test runs write by themselves."""
    cleared: tuple[str, ...] = ()
    """Those of `outputs` that runs wrote for the first time during the work: removed before a run begins."""
    suites: tuple[str, ...] = ()
    """Names of the suites; if there is only one, test ids are shown without it."""
    start_tree: str = ""
    red_tree: str = ""
    """The tree on which RED was proven: amended tests must fail there."""
    red: tuple[CaseResult, ...] = ()
    """The results that proved RED."""
    was_red: tuple[str, ...] = ()
    """Test functions that failed when RED was proven, this time or before the specification changed."""
    upheld: tuple[str, ...] = ()
    """Changed test functions whose baseline version passed when GREEN was proven; no review has to answer for them."""
    proven: tuple[CaseResult, ...] | None = None
    """The results that proved the last passed phase; they include tests added since RED."""
    proven_tree: str = ""
    reconfigured: tuple[tuple[str, str], ...] = ()
    """Files of configuration accepted since RED because results were the same, each with the tree from before."""
    green_tree: str = ""
    """The last tree that the loop itself saw green; changes that break tests are rolled back to it."""
    removed: tuple[str, ...] = ()
    """Tests of the baseline that RED removed or renamed; they are reported to the reviewer."""
    notes: tuple[str, ...] = ()
    """Other notes to the reviewer about how RED changed the tests."""
    phases: tuple[Phase, ...] = ()
    """Phases that were proven at least once."""
    green_runs: int = 0
    """Green runs of the whole suite that proved the last phase."""
    kinds: tuple[tuple[str, Kind], ...] = ()
    """Criteria and the kinds by which RED was proven; empty in sessions from before kinds existed."""
    held: tuple[str, ...] = ()
    """Criteria that became keep in RED, because they hold already."""
    never_red: tuple[str, ...] = ()
    """Criteria whose tests are new and never failed, if no test was red in RED."""
    asked: tuple[str, ...] = ()
    """Requests that RED got once: hollow tests, and criteria that no test names."""
    unlinked: tuple[str, ...] = ()
    """Criteria that no red test named when RED ended, although it was asked to."""
    kept: tuple[CaseResult, ...] = ()
    """After a return to RED for a changed specification: tests of unchanged criteria. They must not change."""
    kept_criteria: tuple[str, ...] = ()
    kept_tree: str = ""
    """The tree on which the kept tests were last proven; the code they depend on there must not change either."""
    checks: tuple[CheckRun, ...] = ()
    """Runs of the checks before any work."""
    weak: tuple[WeakCriterion, ...] = ()
    """Criteria whose tests did not notice broken code when GREEN was last judged."""
    stubs: tuple[str, ...] = ()
    """Sources that RED wrote or changed: its tests may fail by them."""
    rewriting: tuple[WeakCriterion, ...] = ()
    """Those whose tests are being rewritten in RED."""
    rewrites: int = 0
    """How often tests were rewritten, with or without success."""
    sensitive: tuple[str, ...] = ()
    """Criteria whose tests notice broken code."""
    surviving: tuple[str, ...] = ()
    """Probes that no test noticed, each with its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewContext:
    """Facts about the run so far that are reported to the reviewer."""

    added: tuple[str, ...] = ()
    """Files created since the session began."""
    rewritten: tuple[str, ...] = ()
    violations: tuple[str, ...] = ()
    """The latest violations, each with its phase."""
    false_claims: tuple[str, ...] = ()
    """Of every role; a reviewer does not get them."""
    notes: tuple[str, ...] = ()
    """Notes of the loop on the tests, and on allowed changes that deserve a look, each with its phase."""
    watching: tuple[str, ...] = ()
    """Changed sources that look at tests or do only what these ask, as the last turn saw them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Facts about the last turn for the next prompt."""

    reasons: tuple[str, ...] = ()
    failing: tuple[CaseResult, ...] = ()
    violations: tuple[Violation, ...] = ()
    false_claims: tuple[str, ...] = ()
    uncovered: tuple[str, ...] = ()
    """Criteria that no red test names, as RED last saw them."""
    questions: tuple[str, ...] = ()
    """Unanswered questions of the agent."""
    needs_diagnosis: bool = False
    """Whether the agent said that the cause is unknown."""
    rolled_back: RolledBack | None = None
    amendment: Amendment | None = None
    rejected: str = ""
    """Why a person rejected the finished work, until the first iteration after that."""


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
    """The command that continues after the halt, if a reset does not."""
    pause_reason: str | None = None
    paused_at: datetime | None = None
    phases_completed: tuple[Phase, ...] = ()
    phases_forced: tuple[Phase, ...] = ()
    visits: tuple[PhaseVisit, ...] = ()
    errors: tuple[ErrorEntry, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    """Every request to change a frozen test, with its decision."""
    qa_attempts: int = 0
    total_agent_calls: int = 0
    failures: FailuresInARow = field(default_factory=FailuresInARow)
    """Failures of the agent that was asked last."""
    turned_at: datetime | None = None
    """When the last turn ended: waits are counted from there."""
    lineup: Lineup = field(default_factory=Lineup)
    """The agents that may be asked in each phase."""
    agent: str = ""
    """The agent that was asked last."""
    failures_of_others: Mapping[str, FailuresInARow] = field(default_factory=dict)
    outs: Mapping[str, Out] = field(default_factory=dict)
    """Agents that are not asked for now."""
    chosen: Mapping[Phase, str] = field(default_factory=dict)
    """The agent of each phase in which the agent was switched."""
    last_switch: AgentSwitched | None = None
    escalations: tuple[Escalation, ...] = ()
    """Agents that took over since the one before made no progress; the last one of a phase stays in it."""
    calls_by: Mapping[str, int] = field(default_factory=dict)
    """Number of calls of each agent."""
    writers: tuple[str, ...] = ()
    """Agents that wrote code in GREEN, the latest last."""
    waiting: Wait | None = None
    """The wait before the next call, if an hourly limit is reached."""
    criteria: int = 0
    """Criteria that need a red test, as the last turn counted them."""
    criteria_states: tuple[CriterionState, ...] = ()
    """Every criterion with its id, kind, proof and state; empty in sessions from before kinds existed."""
    answers: Mapping[str, int] = field(default_factory=dict)
    """The chosen readings of the specification, by question key."""
    approved: tuple[str, ...] = ()
    """Commands of checks that a person approved."""
    checks: tuple[Check, ...] = ()
    """Commands that are run before any work and before each review."""
    check_results: tuple[CheckResult, ...] = ()
    """The last result of each of them."""
    retired_ids: tuple[str, ...] = ()
    """Ids of criteria that were removed from the specification; no other criterion gets them."""
    declined_spec: str = ""
    """The digest of an edited specification that a person did not adopt."""
    plan: Plan | None = None
    """The task list of BUILD as it was last read."""
    unproven: tuple[str, ...] = ()
    """Why the run is completed but not proven."""
    finished_tree: str = ""
    """The work tree of finished work that waits for a person's approval; empty if none waits."""
    approved_by: str = ""
    """The person who approved the finished work."""
    seconds_worked: float = 0.0
    """Seconds from the start to the last event, without pauses."""
    spending: Spending = field(default_factory=Spending)
    limit_reports: Mapping[str, LimitReport] = field(default_factory=dict)
    """By agent: the used shares of its usage limits, as its last call that reported them said."""
    green_model: str | None = None
    qa_model: str | None = None
    qa_agent: str = ""
    """The agent that was asked for the last review."""
    reviewer: str | None = None
    """The agent that reviews; None if it also does the work."""
    reviews: Reviews = field(default_factory=Reviews)
    review_context: ReviewContext = field(default_factory=ReviewContext)
    breaker: Breaker = field(default_factory=Breaker)
    proof: Proof = field(default_factory=Proof)
    memory: Memory = field(default_factory=Memory)
    touched: Attribution = field(default_factory=Attribution)
    documents: DocumentCount = field(default_factory=DocumentCount)
    """The new and changed documents that count, and why others do not, as the last turn saw them."""
    tree: str = ""
    """The state of the work tree that was last judged."""
    judged: tuple[str, ...] = ()
    """Short hashes of the work trees and task lists that were judged; going back to one is no progress."""
    attempts: tuple[Attempt, ...] = ()
    """The last iterations of this visit of the phase."""
    warnings: tuple[Warned, ...] = ()
    """The last warnings of the session, each where it came last. Advice of reviews is in `reviews`."""
    guidance: tuple[str, ...] = ()
    """A person's guidance, until they withdraw it."""
    notes: tuple[PhaseNote, ...] = ()
    """Notes of agents for the phases after theirs."""
    commits: CommitLog = field(default_factory=CommitLog)
    """The commits of the run, if a person asked for them."""

    @property
    def proven(self) -> bool:
        """Whether the run completed on evidence: no phase skipped by a person, and in BUILD a green test run."""
        return self.status is Status.COMPLETED and not (self.phases_forced or self.unproven)

    @property
    def max_iterations(self) -> int:
        return self.limits.max_iterations

    def visit(self, phase: Phase) -> PhaseVisit | None:
        return next((visit for visit in self.visits if visit.phase is phase), None)
