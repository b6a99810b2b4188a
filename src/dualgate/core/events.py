"""What can happen in a session: the lines of its journal, oldest to newest. Data only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from dualgate.core.amendments.events import AmendmentDecided, AmendmentTried
from dualgate.core.answer import Answer
from dualgate.core.controls import (
    Asked,
    BreakerCooled,
    GuidanceGiven,
    LeftoversEnded,
    PhaseSkipped,
    QuestionAsked,
    RequestRefused,
    RunRested,
    SessionAborted,
    SessionReset,
)
from dualgate.core.limits import Limits
from dualgate.core.lineup import AgentSwitched as AgentSwitched
from dualgate.core.lineup import Lineup
from dualgate.core.machine import TurnEnded
from dualgate.core.plan import Plan
from dualgate.core.respec import Respec
from dualgate.core.state import Wait
from dualgate.core.suite import CaseResult, Suite, SuiteReport
from dualgate.core.vocabulary import Changes, Decision, Edits, Ending, Phase, Workflow


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStarted:
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

    at: datetime
    wait: Wait


@dataclass(frozen=True, slots=True, kw_only=True)
class CallInterrupted:
    """A call never came to its end. It is no iteration; what it changed stays, and is counted with the next."""

    at: datetime
    number: int
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnded:
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
    at: datetime
    changes: Changes


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteStarted:
    at: datetime
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteEnded:
    at: datetime
    report: SuiteReport
    known: bool = False
    """Whether no tests were run for it: this very tree had been tried before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonEdited:
    """A person changed the work tree while nothing of ours ran."""

    at: datetime
    edits: Edits


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenAgain:
    """A phase that a rejection took back stands on the new tree: the loop proved it by itself, without a call."""

    at: datetime
    reason: str
    turn: TurnEnded


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPaused:
    at: datetime
    reason: str
    tree: str = ""
    """The work tree as it was left; what changes after it is a person's."""
    by: str = ""
    asked: Asked | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionResumed:
    """A person lets the session go on, with the limits that hold from now on."""

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
    """The run met something that only a person can mend: no program, no usable tests, no room on the disk."""

    at: datetime
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHalted:
    """The run ends between two calls: its budget is spent, or a limit is not to be waited for."""

    at: datetime
    decision: Decision
    reason: str
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
