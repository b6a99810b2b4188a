"""What can happen in a session: the lines of its journal. A new event is declared here alone: a class, in a union."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, get_args

from dualgate.core.values.amendments import Amendment
from dualgate.core.values.answer import Answer, Ending
from dualgate.core.values.changes import Changes, Edits, RolledBack
from dualgate.core.values.control import Asked
from dualgate.core.values.facts import Facts
from dualgate.core.values.limits import Limits
from dualgate.core.values.specification import Plan, Respec
from dualgate.core.values.suite import CaseResult, Suite, SuiteReport
from dualgate.core.values.team import Lineup, Wait
from dualgate.core.values.verdict import Breaker, Move, Verdict
from dualgate.core.values.vocabulary import Decision, HaltCause, Phase, Workflow


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAsked:
    """The agent asked something through a tool made for asking. Nobody is there: it is told to assume, or all halts."""

    kind: ClassVar[str] = "question.asked"
    at: datetime
    number: int
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRefused:
    """What a person asked of the run did not fit the session when it was taken up."""

    kind: ClassVar[str] = "request.refused"
    at: datetime
    by: str
    request: str
    reason: str
    asked: Asked | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRested:
    """A person stopped the run with all that it had started, and let it go on later; nothing was worked meanwhile."""

    kind: ClassVar[str] = "run.rested"
    at: datetime
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftoversEnded:
    """Processes that an earlier run of this work tree had started and, being killed, could not end."""

    kind: ClassVar[str] = "leftovers.ended"
    at: datetime
    processes: tuple[str, ...]
    """Number and command of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionReset:
    """A person lets the session go on, and may say what to do differently."""

    kind: ClassVar[str] = "session.reset"
    at: datetime
    by: str
    guidance: str = ""
    goes_on: bool = False
    """Whether the run that takes it up goes on at once."""
    asked: Asked | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseSkipped:
    """A person lets a phase through without proof; the session can no longer be proven."""

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
class BreakerCooled:
    """An open breaker has rested for the configured time: one iteration is tried."""

    kind: ClassVar[str] = "breaker.cooled"
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendmentTried:
    """The work tree is about to be that of RED for a test run; `tree` is what it is given back to be."""

    kind: ClassVar[str] = "amendment.tried"
    at: datetime
    test_id: str
    tree: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendmentDecided:
    """What came of a request; where it was accepted, the test as it is proven now and the trees that hold it."""

    kind: ClassVar[str] = "amendment.decided"
    at: datetime
    amendment: Amendment
    function: str = ""
    results: tuple[CaseResult, ...] = ()
    red_tree: str = ""
    proven_tree: str = ""
    green_tree: str = ""
    tree: str = ""
    """The work tree after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSwitched:
    """Another agent is asked from now on in a phase, since the one before cannot go on, or since a better one can."""

    kind: ClassVar[str] = "agent.switched"
    at: datetime
    phase: Phase
    agent: str
    before: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded:
    """One turn, whole: what was seen, what the gates said of it, and where the machines moved."""

    kind: ClassVar[str] = "turn.ended"
    at: datetime
    facts: Facts
    verdict: Verdict
    breaker: Breaker
    move: Move
    proven: tuple[CaseResult, ...] = ()
    """The results that a phase passed on, kept where later phases are compared with them."""
    configuration: tuple[tuple[str, str], ...] = ()
    environment: str = ""
    rolled_back: RolledBack | None = None
    amendment: Amendment | None = None
    """What came of the request to change a test, where the answer held one."""
    agent: str = ""
    """Who was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStarted:
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
    max_iterations: int | None = None
    """Where it was kept before there were other limits; journals of that time have it."""
    suites: tuple[Suite, ...] = ()
    notes: tuple[str, ...] = ()
    """What was found beside the suites and is not run."""
    reviewer: str | None = None
    """The agent that reviews; None where it is the one that does the work."""
    lineup: Lineup = field(default_factory=Lineup)
    plan: Plan | None = None
    """The task list of BUILD; None where there was none yet."""
    unused: tuple[str, ...] = ()
    """Prompts and task lists that are there too, and are not read."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Every setting as it was at the start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineTaken:
    """The tests before any work, run twice so that what is flaky is known."""

    kind: ClassVar[str] = "baseline.taken"
    at: datetime
    tree: str
    results: tuple[CaseResult, ...]
    unstable: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    volatile: tuple[str, ...] = ()
    configuration: tuple[tuple[str, str], ...] = ()
    environment: str = ""
    shifting: tuple[str, ...] = ()
    seconds: float = 0.0
    suites: tuple[str, ...] = ()
    after: str = ""
    """The work tree after both runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStarted:
    kind: ClassVar[str] = "call.started"
    at: datetime
    number: int
    phase: Phase
    iteration: int
    tree: str = ""
    """The work tree from which its changes are counted."""
    agent: str = ""
    """Who is asked, by the name of the lineup."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallDelayed:
    """The next call waits, because the hour that lies behind had its share of calls or tokens."""

    kind: ClassVar[str] = "call.delayed"
    at: datetime
    wait: Wait


@dataclass(frozen=True, slots=True, kw_only=True)
class CallInterrupted:
    """A call never came to its end. It is no iteration; what it changed stays, and is counted with the next."""

    kind: ClassVar[str] = "call.interrupted"
    at: datetime
    number: int
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnded:
    kind: ClassVar[str] = "call.ended"
    at: datetime
    number: int
    exit_code: int | None
    ending: Ending
    seconds: float
    answer: Answer
    """Without its text, which lies beside the journal."""
    phase: Phase | None = None
    """For which phase the agent was asked; another than that of the run where a reviewer is asked about a test."""
    agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeSettled:
    kind: ClassVar[str] = "tree.settled"
    at: datetime
    changes: Changes


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteStarted:
    kind: ClassVar[str] = "suite.started"
    at: datetime
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteEnded:
    kind: ClassVar[str] = "suite.ended"
    at: datetime
    report: SuiteReport
    known: bool = False
    """Whether the result was reused because the tree is unchanged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonEdited:
    """A person changed the work tree while nothing of ours ran."""

    kind: ClassVar[str] = "person.edited"
    at: datetime
    edits: Edits


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenAgain:
    """A phase that a rejection took back stands on the new tree: the loop proved it by itself, without a call."""

    kind: ClassVar[str] = "phase.proven_again"
    at: datetime
    reason: str
    turn: TurnEnded


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPaused:
    kind: ClassVar[str] = "session.paused"
    at: datetime
    reason: str
    tree: str = ""
    """The work tree as it was left; what changes after it is a person's."""
    by: str = ""
    asked: Asked | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionResumed:
    """A person lets the session go on, with the limits that hold from now on."""

    kind: ClassVar[str] = "session.resumed"
    at: datetime
    by: str
    limits: Limits
    prp_text: str | None = None
    """The specification, where another is adopted."""
    respec: Respec | None = None
    """What it means for the criteria, where they are others than those that were proven red."""
    lineup: Lineup | None = None
    """Who may be asked from now on."""

    @property
    def reopens(self) -> bool:
        """Whether it leads back to RED: then a turn that was cut off is not judged any more."""
        return self.respec is not None and bool(self.respec.reopened)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFailed:
    """The run met a problem only a person can fix: no program, no usable tests, a full disk."""

    kind: ClassVar[str] = "session.failed"
    at: datetime
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHalted:
    """The run ends between two calls: its budget is spent, or a limit is not to be waited for."""

    kind: ClassVar[str] = "session.halted"
    at: datetime
    decision: Decision
    reason: str
    cause: HaltCause | None = None
    way_on: str = ""
    """The command that goes on, where a reset does not."""


Step = (
    CallDelayed
    | CallStarted
    | CallEnded
    | CallInterrupted
    | TreeSettled
    | SuiteStarted
    | SuiteEnded
    | QuestionAsked
    | LeftoversEnded
    | RequestRefused
    | AmendmentTried
)
"""What a turn is made of, and what happens on its way; most of a journal."""
Happening = (
    SessionStarted
    | BaselineTaken
    | AgentSwitched
    | AmendmentDecided
    | TurnEnded
    | ProvenAgain
    | PersonEdited
    | SessionPaused
    | SessionResumed
    | SessionFailed
    | SessionHalted
    | SessionReset
    | PhaseSkipped
    | SessionAborted
    | GuidanceGiven
    | BreakerCooled
    | RunRested
)
Event = Step | Happening
KINDS: Mapping[str, type[Event]] = {event.kind: event for event in get_args(Event)}
