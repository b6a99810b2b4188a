"""Events: the lines of a session's journal. To add one, add its class to a union; it can stand with its values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, get_args

from dualgate.core.values.amendments import Amendment, AmendmentDecided, AmendmentTried
from dualgate.core.values.answer import Answer, Ending, Recalled
from dualgate.core.values.approvals import AmendmentAnswered, QuestionAnswered, WorkApproved, WorkRejected
from dualgate.core.values.changes import Changes, Edits, RolledBack, Ticked
from dualgate.core.values.checks import Check, CheckEnded, CheckRun, ChecksFailed, CheckStarted
from dualgate.core.values.commits import CommitEvent
from dualgate.core.values.configuring import ConfigurationDecided
from dualgate.core.values.control import Asked, RequestRefused, WaitSkipped
from dualgate.core.values.facts import Facts
from dualgate.core.values.limits import Limits
from dualgate.core.values.probes import ProbesEnded, ProbesStarted
from dualgate.core.values.specification import Criterion, CriterionState, Plan, Respec
from dualgate.core.values.suite import CaseResult, Suite, SuiteReport, TrialEnded, TrialStarted
from dualgate.core.values.team import AgentSwitched, Lineup, Wait
from dualgate.core.values.verdict import Breaker, Move, Verdict
from dualgate.core.values.vocabulary import Decision, HaltCause, Phase, Workflow


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAsked:
    """The agent asked through a question tool. Nobody can answer: it is asked to assume, or the run halts."""

    kind: ClassVar[str] = "question.asked"
    at: datetime
    number: int
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSuspended:
    """A person suspended the run with all its processes and continued it later; this time does not count as work."""

    kind: ClassVar[str] = "run.suspended"
    at: datetime
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftoversEnded:
    """Ended processes left over from an earlier run of this work tree that was killed."""

    kind: ClassVar[str] = "leftovers.ended"
    at: datetime
    processes: tuple[str, ...]  # process id and command of each


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionReset:
    """A person reset the session, optionally with guidance."""

    kind: ClassVar[str] = "session.reset"
    at: datetime
    by: str
    guidance: str = ""
    goes_on: bool = False
    """Whether the run that reads the request continues at once."""
    asked: Asked | None = None
    returns: bool = False
    """Whether open findings are fixed before the next review; false in old journals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseSkipped:
    """A person skipped a phase without proof; the session can no longer be proven."""

    kind: ClassVar[str] = "phase.skipped"
    at: datetime
    by: str
    phase: Phase
    goes_on: bool = False
    asked: Asked | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionAborted:
    """A person gives the session up."""

    kind: ClassVar[str] = "session.aborted"
    at: datetime
    by: str
    asked: Asked | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GuidanceGiven:
    """A person says what to do differently; nothing else changes."""

    kind: ClassVar[str] = "guidance.given"
    at: datetime
    by: str
    text: str
    asked: Asked | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GuidanceWithdrawn:
    """A person withdraws one text of their guidance, or all of it."""

    kind: ClassVar[str] = "guidance.withdrawn"
    at: datetime
    by: str
    text: str = ""  # the guidance that is withdrawn; empty for all
    asked: Asked | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerCooled:
    """An open breaker cooled down for the configured time: one trial iteration follows."""

    kind: ClassVar[str] = "breaker.cooled"
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded:
    """One complete turn: facts, verdict of the gates, breaker and move."""

    kind: ClassVar[str] = "turn.ended"
    at: datetime
    facts: Facts
    verdict: Verdict
    breaker: Breaker
    move: Move
    proven: tuple[CaseResult, ...] = ()  # the results on which a phase passed, if later phases are compared with them
    configuration: tuple[tuple[str, str], ...] = ()
    environment: str = ""
    suites: tuple[str, ...] = ()
    """The names of the suites in that run."""
    rolled_back: RolledBack | None = None
    ticked: Ticked | None = None
    amendment: Amendment | None = None
    """The amendment that the answer asked for, with its decision."""
    agent: str = ""
    """The agent that was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStarted:
    """A session starts, with its specification, agents, suites, settings and limits."""

    kind: ClassVar[str] = "session.started"
    at: datetime
    session_id: str
    project: str
    prp_file: str
    prp_text: str
    agent: str
    test_command: tuple[str, ...]
    workflow: Workflow
    limits: Limits = field(default_factory=Limits)
    max_iterations: int | None = None  # only in old journals, from before `limits` existed
    suites: tuple[Suite, ...] = ()
    notes: tuple[str, ...] = ()  # other test setups that were found and are not run
    reviewer: str | None = None  # the agent that reviews; None if it also does the work
    lineup: Lineup = field(default_factory=Lineup)
    plan: Plan | None = None  # the task list of BUILD; None if there is none yet
    unused: tuple[str, ...] = ()  # other prompts and task lists that exist and are not read
    settings: Mapping[str, Any] = field(default_factory=dict)  # every setting as it was at the start
    criteria: tuple[CriterionState, ...] = ()
    """The criteria with the ids that they keep; empty in old journals."""
    answers: Mapping[str, int] = field(default_factory=dict)  # chosen readings of the specification, by question key
    approved: tuple[str, ...] = ()  # commands of checks that a person approved
    guarded: tuple[Criterion, ...] = ()  # lines of a task list that forbid to change paths
    templates: Mapping[str, str] = field(default_factory=dict)
    """The project's own templates of prompts; the session keeps to them, whatever becomes of the files."""
    checks: tuple[Check, ...] = ()
    inside: tuple[str, ...] = ()
    """Marks of the runs inside of which this one was started, as by tests of a program that calls dualgate."""
    worktree_of: str = ""  # the repository, if the project is in a linked git worktree of it


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineTaken:
    """Test results before any work, from two runs so that flaky tests are found."""

    kind: ClassVar[str] = "baseline.taken"
    at: datetime
    tree: str
    results: tuple[CaseResult, ...]
    unstable: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    unstable_ids: tuple[str, ...] = ()
    configuration: tuple[tuple[str, str], ...] = ()
    environment: str = ""
    unstable_keys: tuple[str, ...] = ()
    seconds: float = 0.0
    suites: tuple[str, ...] = ()
    after: str = ""
    """The work tree after both runs and the checks."""
    checks: tuple[CheckRun, ...] = ()
    refused: tuple[str, ...] = ()
    """Resources that the sandbox refused to failing tests, by their messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStarted:
    """An agent is asked."""

    kind: ClassVar[str] = "call.started"
    at: datetime
    number: int
    phase: Phase
    iteration: int
    tree: str = ""
    """The work tree from which the call's changes are counted."""
    agent: str = ""
    """The agent's name in the lineup."""
    recalled: tuple[Recalled, ...] = ()
    """The entries of earlier sessions that the prompt shows."""
    follows: int = 0
    """The number of the call whose status block this one asks for; 0 if it is a call of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallDelayed:
    """The next call is waiting, because the calls or tokens of the last hour reached their limit."""

    kind: ClassVar[str] = "call.delayed"
    at: datetime
    wait: Wait


@dataclass(frozen=True, slots=True, kw_only=True)
class CallInterrupted:
    """A call did not end. It is no iteration; its changes stay and are counted with the next call."""

    kind: ClassVar[str] = "call.interrupted"
    at: datetime
    number: int
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnded:
    """A call ended: the answer as it was read, and its usage."""

    kind: ClassVar[str] = "call.ended"
    at: datetime
    number: int
    exit_code: int | None
    ending: Ending
    seconds: float
    answer: Answer
    """The answer without its text, which is stored beside the journal."""
    phase: Phase | None = None
    """The phase the agent was asked for; it differs from the run's phase when a reviewer is asked about a test."""
    agent: str = ""
    reads_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeSettled:
    """The changes of a call, after the guard reverted what the phase does not allow."""

    kind: ClassVar[str] = "tree.settled"
    at: datetime
    changes: Changes


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteStarted:
    """A test run starts."""

    kind: ClassVar[str] = "suite.started"
    at: datetime
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteEnded:
    """A test run ended: its results, and the tree that was tested."""

    kind: ClassVar[str] = "suite.ended"
    at: datetime
    report: SuiteReport
    known: bool = False
    """Whether the result was reused because the tree is unchanged."""
    trial: str = ""
    """The tree that was tried instead of the present one, in words; empty if none was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonEdited:
    """A person changed the work tree while none of our processes ran."""

    kind: ClassVar[str] = "person.edited"
    at: datetime
    edits: Edits


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenAgain:
    """The loop proved a rejected phase again on the new tree, without a call."""

    kind: ClassVar[str] = "phase.proven_again"
    at: datetime
    reason: str
    turn: TurnEnded


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPaused:
    """The run paused: by a person, a signal, or an edit of the specification."""

    kind: ClassVar[str] = "session.paused"
    at: datetime
    reason: str
    tree: str = ""
    """The work tree at the pause; later changes are a person's."""
    by: str = ""
    asked: Asked | None = None
    spec_changes: tuple[str, ...] = ()
    """The changes of a person in the specification, if the run paused for that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionResumed:
    """A person resumed the session; `limits` apply from now on."""

    kind: ClassVar[str] = "session.resumed"
    at: datetime
    by: str
    limits: Limits
    prp_text: str | None = None  # the new specification, if one is adopted
    respec: Respec | None = None
    """The effect on the criteria, if they changed after RED was proven."""
    lineup: Lineup | None = None
    """The agents that may be asked from now on."""
    criteria: tuple[CriterionState, ...] = ()
    """The criteria of an adopted specification before any work; empty if they stay as they were."""
    declined: str = ""
    """The digest of an edited specification that is not adopted."""
    answers: Mapping[str, int] = field(default_factory=dict)  # readings that a person chose in addition
    approved: tuple[str, ...] = ()  # commands of checks that a person approved in addition
    checks: tuple[Check, ...] = ()
    outputs: tuple[str, ...] = ()  # patterns that a person added to `guard.outputs`

    @property
    def reopens(self) -> bool:
        """Whether the session returns to RED; an interrupted turn is then not judged."""
        return self.respec is not None and bool(self.respec.reopened)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFailed:
    """The run met a problem only a person can fix: no program, no usable tests, a full disk."""

    kind: ClassVar[str] = "session.failed"
    at: datetime
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHalted:
    """The run halted between two calls: a budget is spent, or a limit is met and waiting is off."""

    kind: ClassVar[str] = "session.halted"
    at: datetime
    decision: Decision
    reason: str
    cause: HaltCause | None = None
    way_on: str = ""  # the command that continues the run, if a reset does not


Step = (
    CallDelayed | CallStarted | CallEnded | CallInterrupted | TreeSettled | SuiteStarted | SuiteEnded
    | CheckStarted | CheckEnded | ProbesStarted | ProbesEnded | QuestionAsked | LeftoversEnded | RequestRefused
    | AmendmentTried | TrialStarted | TrialEnded
)  # fmt: skip
"""Events within a turn; most of a journal."""
Happening = (
    SessionStarted | BaselineTaken | AgentSwitched | AmendmentDecided | TurnEnded | ProvenAgain | PersonEdited
    | SessionPaused | SessionResumed | SessionFailed | SessionHalted | SessionReset | PhaseSkipped | SessionAborted
    | GuidanceGiven | GuidanceWithdrawn | WaitSkipped | BreakerCooled | RunSuspended | ChecksFailed
    | ConfigurationDecided | CommitEvent | AmendmentAnswered | WorkApproved | WorkRejected | QuestionAnswered
)  # fmt: skip
Event = Step | Happening
KINDS: Mapping[str, type[Event]] = {event.kind: event for event in get_args(Event)}
