"""Words that three packages or more use: phases, statuses, decisions, causes of a halt, and how many tests end how."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Workflow(StrEnum):
    TDD = "tdd"
    RALPH = "ralph"


class Amend(StrEnum):
    """The one who approves the change of a frozen test."""

    REVIEW = "review"
    HUMAN = "human"
    NEVER = "never"


class Approve(StrEnum):
    """The one who approves finished work before a run is completed."""

    NONE = "none"
    HUMAN = "human"


class SpecChoice(StrEnum):
    """Which specification counts when a session is resumed, if a person edited it."""

    RESPEC = "respec"
    KEEP_SPEC = "keep-spec"


class OnQuestion(StrEnum):
    """How the run reacts to a question of the agent."""

    ASSUME = "assume"
    HALT = "halt"


class RunnerName(StrEnum):
    """How the report of a test command is read."""

    CARGO = "cargo"
    EXIT_CODE = "exit-code"
    GO = "go"
    JUNIT = "junit"
    PYTEST = "pytest"
    TAP = "tap"
    UNITTEST = "unittest"


class TickedBy(StrEnum):
    """The one who ticks a finished task of a list."""

    AGENT = "agent"
    DUALGATE = "dualgate"


class SandboxKind(StrEnum):
    """The place in which the agent and the tests run."""

    AUTO = "auto"
    """In bubblewrap where it works and all agents are known CLIs, otherwise unconfined."""
    NONE = "none"
    BWRAP = "bwrap"


class ReportFormat(StrEnum):
    """The formats of a report, by the ending of its file."""

    HTML = "html"
    MD = "md"
    JSON = "json"


class ReportUse(StrEnum):
    """Which reports a run writes at its end."""

    OFF = "off"
    HTML = "html"
    MD = "md"
    ALL = "all"


class SessionUse(StrEnum):
    """How long an agent's own session lasts: for all calls of a phase, or for one call."""

    PHASE = "phase"
    FRESH = "fresh"


class Phase(StrEnum):
    RED = "RED"
    GREEN = "GREEN"
    REFACTOR = "REFACTOR"
    DOCUMENT = "DOCUMENT"
    QA = "QA"
    BUILD = "BUILD"


AFTER_RED = frozenset({Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT, Phase.QA})


class Status(StrEnum):
    RUNNING = "running"
    PAUSED = "paused"
    COMPLETED = "completed"
    HALTED = "halted"


class Login(StrEnum):
    """Whether an agent is logged in, as its variables and files show."""

    FOUND = "found"
    NOT_FOUND = "not_found"
    UNKNOWN = "unknown"


class Role(StrEnum):
    """The agent's role in a call."""

    TESTER = "tester"
    IMPLEMENTER = "implementer"
    REFACTORER = "refactorer"
    DOCUMENTER = "documenter"
    REVIEWER = "reviewer"
    BUILDER = "builder"


ROLES = {
    Phase.RED: Role.TESTER,
    Phase.GREEN: Role.IMPLEMENTER,
    Phase.REFACTOR: Role.REFACTORER,
    Phase.DOCUMENT: Role.DOCUMENTER,
    Phase.QA: Role.REVIEWER,
    Phase.BUILD: Role.BUILDER,
}


class Decision(StrEnum):
    """The decision after one agent call."""

    CONTINUE = "continue"
    RETRY = "retry"
    NEXT_PHASE = "next_phase"
    REJECTED = "rejected"
    REWRITE_TESTS = "rewrite_tests"
    """Back to RED for tests that did not notice broken code."""
    KEEP_TESTS = "keep_tests"
    """On with the tests as they were: they were not rewritten as asked."""
    ESCALATE = "escalate"
    """On in the same phase with another agent or model, since the one before made no progress."""
    PROJECT_COMPLETE = "project_complete"
    AWAIT_APPROVAL = "await_approval"
    """The work is finished, and a person has to approve it."""
    BLOCKED = "blocked"
    STUCK = "stuck"
    MAX_ITERATIONS = "max_iterations"
    RATE_LIMITED = "rate_limited"
    BUDGET_EXHAUSTED = "budget_exhausted"
    ABORTED = "aborted"


class PauseReason(StrEnum):
    USER_INTERRUPT = "user_interrupt"
    RATE_LIMIT = "rate_limit"
    MANUAL = "manual"
    APPROVAL = "approval"
    """The work is finished and waits for a person's approval."""


class WorkStatus(StrEnum):
    IN_PROGRESS = "IN_PROGRESS"
    COMPLETE = "COMPLETE"
    BLOCKED = "BLOCKED"


class SuiteStatus(StrEnum):
    PASSING = "PASSING"
    FAILING = "FAILING"
    NOT_RUN = "NOT_RUN"


class WorkType(StrEnum):
    IMPLEMENTATION = "IMPLEMENTATION"
    TESTING = "TESTING"
    DOCUMENTATION = "DOCUMENTATION"
    REFACTORING = "REFACTORING"


PHASES: Mapping[Workflow, tuple[Phase, ...]] = {
    Workflow.TDD: (Phase.RED, Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT, Phase.QA),
    Workflow.RALPH: (Phase.BUILD,),
}
"""The phases of each workflow, in order."""


class HaltCause(StrEnum):
    """Why a run halts."""

    BLOCKED = "blocked"
    QUESTION = "question"
    AMENDMENT = "amendment"
    AGENT_UNUSABLE = "agent_unusable"
    AGENT_BUDGET = "agent_budget"
    REFUSED = "refused"
    CONTEXT_FULL = "context_full"
    EMPTY_ANSWERS = "empty_answers"
    FAILED_CALLS = "failed_calls"
    RATE_LIMIT = "rate_limit"
    NO_PROGRESS = "no_progress"
    SAME_ERROR = "same_error"
    SAME_ANSWER = "same_answer"
    ITERATIONS = "iterations"
    REJECTIONS = "rejections"
    BUDGET = "budget"
    FULL_HOUR = "full_hour"
    TIME = "time"
    ENVIRONMENT = "environment"
    RESET = "reset"
    """It was halted for another cause. A person reset or answered it, or skipped its phase; it waits to be resumed."""
    ABORTED = "aborted"


class WayOn(StrEnum):
    """Ways a person can watch, steer, continue or end a session."""

    FOLLOW = "follow"
    READ = "read"
    PAUSE = "pause"
    RAISE = "raise"
    RESUME = "resume"
    RESPEC = "respec"
    KEEP_SPEC = "keep-spec"
    APPROVE = "approve"
    REJECT = "reject"
    ANSWER = "answer"
    RESET = "reset"
    GUIDE = "guide"
    SKIP = "skip"
    ABORT = "abort"
    START = "start"
    COMMIT = "commit"


class BreakerState(StrEnum):
    CLOSED = "CLOSED"
    HALF_OPEN = "HALF_OPEN"
    OPEN = "OPEN"


class EntryKind(StrEnum):
    """Kinds of entries in the memory of earlier sessions."""

    FINDING = "finding"
    """A FixRequest of a review."""
    ERROR = "error"
    """A failing test, and the change after which it passed."""
    DECISION = "decision"
    """An amended test, a decision record, or a person's guidance."""
    BREAKAGE = "breakage"
    """A change that broke tests."""
    NOTE = "note"
    """Written by a person."""
    CLAIM = "claim"
    """A note or a decision of an agent, in a phase that passed."""


class Moment(StrEnum):
    """The moments of a run that people are notified of, and that commands can be run at."""

    PHASE_STARTED = "phase_started"
    PHASE_ENDED = "phase_ended"
    LIMIT_REACHED = "limit_reached"
    LIMIT_LIFTED = "limit_lifted"
    PAUSED = "paused"
    APPROVAL = "approval"
    """The work is finished and waits for a person's approval."""
    BLOCKED = "blocked"
    """The run halted because the agent cannot continue without a person."""
    HALTED = "halted"
    COMPLETED = "completed"
    QUEUE_ENDED = "queue_ended"
    """Nothing of a queue can go on by itself: all is proven, or needs a person."""
    QUEUE_PAUSED = "queue_paused"
    """The budget or the hours of a queue are over."""
    QUEUE_WAITING = "queue_waiting"
    """Every job that a queue could work on waits for a limit."""


QUEUE_MOMENTS = frozenset({Moment.QUEUE_ENDED, Moment.QUEUE_PAUSED, Moment.QUEUE_WAITING})
"""Moments of a queue; all others are of one run."""


class CommitUse(StrEnum):
    """When a run commits what a gate proved."""

    NEVER = "never"
    PHASE = "phase"
    """After each phase that passed."""
    RUN = "run"
    """Once, at the end of a proven run."""


class SubjectStyle(StrEnum):
    """The form of the first line of a commit: that of the repository's history, the title alone, or with a type."""

    AUTO = "auto"
    PLAIN = "plain"
    CONVENTIONAL = "conventional"


class AgentCommits(StrEnum):
    """How the run treats commits that the agent made itself."""

    SQUASH = "squash"
    """They are no part of the run's branch, which holds their changes."""
    KEEP = "keep"
    """The run's commits come after them."""


class Kind(StrEnum):
    """How a criterion is proven."""

    NEW = "new"
    """By a test that was seen red, then green."""
    KEEP = "keep"
    """It holds already: by a test that is green on the baseline and at every gate."""
    CHECK = "check"
    """By a command that a person approved, with its expected result."""
    REVIEW = "review"
    """By the reviewer's answer, with a file and a line."""


class CriterionStatus(StrEnum):
    """How far the proof of a criterion is. Each kind has its own words."""

    NO_TEST = "no test"
    RED = "red"
    FAILING = "failing"
    GREEN = "green"
    HOLDS = "holds"
    NOT_RUN = "not run"
    PASSES = "passes"
    FAILS = "fails"
    NOT_REVIEWED = "not reviewed"
    MET = "met"
    NOT_MET = "not met"


class CaseOutcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    passed: int = 0
    failed: int = 0
    error: int = 0
    skipped: int = 0
    xfailed: int = 0
    xpassed: int = 0

    @property
    def total(self) -> int:
        return self.passed + self.failed + self.error + self.skipped + self.xfailed + self.xpassed
