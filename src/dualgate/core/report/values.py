"""Report and its parts: data only. Every display and the JSON document show these values."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from dualgate.core.evidence.sensitivity import Standing
from dualgate.core.record.metrics import Row
from dualgate.core.values.amendments import Amendment
from dualgate.core.values.changes import DocumentCount, FileDiff, Violation
from dualgate.core.values.checks import CheckResult
from dualgate.core.values.phase_status import CaseCounts
from dualgate.core.values.reviews import Finding
from dualgate.core.values.specification import CriterionStatus, Kind, Plan
from dualgate.core.values.spending import Used
from dualgate.core.values.state import Warned
from dualgate.core.values.team import Escalation
from dualgate.core.values.vocabulary import Phase, Workflow

FORMAT = 1


class SessionEnd(StrEnum):
    """How a session ended, or how it stands."""

    PROVEN = "proven"
    NOT_PROVEN = "not proven"
    HALTED = "halted"
    ABORTED = "aborted"
    PAUSED = "paused"
    RUNNING = "running"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """The first line of a report, the reasons for it, and the commands that continue the session."""

    end: SessionEnd
    sentence: str
    reasons: tuple[str, ...] = ()
    ways_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPoint:
    """A point of the run: an iteration of a phase, and when it ended."""

    at: datetime
    phase: Phase
    iteration: int


class StayEnd(StrEnum):
    """How a stay in a phase ended."""

    OPEN = "not ended"
    PASSED = "passed"
    PROVEN_AGAIN = "proven again"
    REJECTED = "rejected"
    REWRITING = "back to rewrite tests"
    SKIPPED = "skipped"
    RESPECIFIED = "specification changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseStay:
    """One stay in a phase, from its beginning to the next phase. A phase can have several."""

    phase: Phase
    began: datetime
    ended: datetime | None = None
    end: StayEnd = StayEnd.OPEN
    iterations: int = 0
    calls: int = 0
    before: str = ""
    """The work tree at its beginning; empty if it is unknown."""
    after: str = ""
    """The work tree at its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionSensitivity:
    """The results of probes for the tests of one criterion."""

    standing: Standing
    reason: str = ""
    killed: int = 0
    """Probes that its tests noticed."""
    surviving: tuple[str, ...] = ()
    """Probes that its tests ran and no test noticed, each with its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedCriterion:
    id: str
    text: str
    kind: Kind
    state: CriterionStatus
    proof: tuple[str, ...] = ()
    """Its tests, the command of a check, or the place that a review cites."""
    red: RunPoint | None = None
    """When its tests were first seen red."""
    green: RunPoint | None = None
    """Since when it holds."""
    sensitivity: CriterionSensitivity | None = None
    """None if its kind is not proven by tests, or no test stands for it yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeTotals:
    killed: int = 0
    surviving: tuple[str, ...] = ()
    unknown: int = 0
    """Probes without a result."""
    left_out: int = 0
    """Probes that did not fit into the time."""
    problems: tuple[str, ...] = ()
    """Why a part of the project could not be measured."""


class CatchKind(StrEnum):
    """One thing that dualgate caught."""

    FALSE_DONE = "false done"
    FALSE_CLAIM = "false claim"
    VIOLATION = "violation"
    FORGED_REQUEST = "forged request"
    UNTRUSTED_RUN = "untrusted run"
    WEAK_TESTS = "weak tests"
    BROKEN_CODE = "broken code"
    REJECTION = "rejection"
    BROKEN_CHECK = "broken check"
    REFUSED_AMENDMENT = "refused amendment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Catch:
    """One thing that could have ended the run wrongly: what was said, what dualgate found, and what followed."""

    kind: CatchKind
    point: RunPoint
    title: str
    said: str = ""
    """The claim of the agent, in its own words."""
    found: tuple[str, ...] = ()
    """The evidence."""
    followed: str = ""
    violations: tuple[Violation, ...] = ()
    times: int = 1
    """How often the same was caught in a row."""
    passed: RunPoint | None = None
    """When the phase passed after it; None if it did not."""


class MomentKind(StrEnum):
    STEP = "step"
    """The start, the baseline, an iteration that changes nothing."""
    PASSED = "passed"
    CAUGHT = "caught"
    TROUBLE = "trouble"
    """A failed call, a wait, a halt."""
    PERSON = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One line of the timeline."""

    at: datetime
    phase: Phase
    iteration: int
    kind: MomentKind
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageRow:
    """Usage of one agent in one phase."""

    phase: Phase
    agent: str
    used: Used
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseDiff:
    """The files that differ between the beginning and the end of one stay in a phase."""

    phase: Phase
    number: int
    """Counts the stays in this phase, from 1."""
    files: tuple[FileDiff, ...] = ()
    left_out: int = 0
    """Files whose lines are not shown, since the report would be too large."""
    command: str = ""
    """Shows the whole difference; empty if no snapshot holds both trees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command that a person can run again, and what it shows."""

    command: str
    shows: str
    is_local: bool = False
    """Whether it needs this machine: its folders, or the record of the session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedCommit:
    """A commit of the run, and the files in it that are not the run's alone, or as a hook rewrote them."""

    phase: Phase
    commit: str
    subject: str
    files: int
    mixed: tuple[str, ...] = ()
    rewritten: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Rows of a section that a long session has no room for, and the command that shows them."""

    section: str
    count: int
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    format: int = FORMAT
    made_at: datetime
    seq: int
    """The number of the last event that it covers."""
    conclusion: Conclusion
    session_id: str
    project: str
    title: str
    """The title of the specification."""
    spec_file: str
    workflow: Workflow
    started: datetime
    ended: datetime
    """The time of the last event."""
    seconds_worked: float
    agents: tuple[str, ...] = ()
    """Those that were called, in the order of their first calls."""
    reviewer: str = ""
    """The agent that reviewed; empty if none did, or the author did."""
    review_note: str = ""
    """Why the review is not independent of the author."""
    tests: CaseCounts = field(default_factory=CaseCounts)
    """The last known results."""
    criteria: tuple[ReportedCriterion, ...] = ()
    tasks: Plan | None = None
    probes: ProbeTotals | None = None
    """None if nothing was measured."""
    catches: tuple[Catch, ...] = ()
    stays: tuple[PhaseStay, ...] = ()
    timeline: tuple[Moment, ...] = ()
    iterations: tuple[Row, ...] = ()
    usage: tuple[UsageRow, ...] = ()
    used: Used = field(default_factory=Used)
    escalations: tuple[Escalation, ...] = ()
    """The takeovers for lack of progress."""
    escalated: Used = field(default_factory=Used)
    """The part of `used` that these agents used."""
    findings: tuple[Finding, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    checks: tuple[CheckResult, ...] = ()
    documents: DocumentCount = field(default_factory=DocumentCount)
    documents_needed: int = 0
    diffs: tuple[PhaseDiff, ...] = ()
    diff_note: str = ""
    """Why differences are missing."""
    by_person: tuple[str, ...] = ()
    """Files that a person changed."""
    branch: str = ""
    """The branch that the run committed to; empty if it committed nothing."""
    commits: tuple[ReportedCommit, ...] = ()
    not_committed: str = ""
    """Why the last proven tree is not committed."""
    pull_request: str = ""
    no_request: str = ""
    """Why a proven run has no pull request, although one was asked for."""
    specification: str = ""
    guidance: tuple[str, ...] = ()
    warnings: tuple[Warned, ...] = ()
    commands: tuple[Command, ...] = ()
    """How to verify the session again."""
    left_out: tuple[LeftOut, ...] = ()
