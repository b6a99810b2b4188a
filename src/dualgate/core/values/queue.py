"""The queue of a repository: its jobs, one for each specification, and the events that make them. Data only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from dualgate.core.values.limit_report import LimitReport

DEFAULT_PRIORITY = 100


class JobState(StrEnum):
    """How a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    """For a limit of its agent, until a time."""
    PAUSED = "paused"
    PROVEN = "proven"
    NOT_PROVEN = "not proven"
    NOT_COMMITTED = "not committed"
    """Proven, but its commit was refused: no job can start from its branch."""
    APPROVAL = "waits for approval"
    """Its work is finished, and a person has to approve it."""
    HALTED = "halted"
    BLOCKED = "blocked"
    """The agent or the queue needs something from a person."""
    LIMITED = "limit reached"
    """A limit ended its run; the next run of the queue resumes it."""
    FAILED = "failed"
    """No session was begun: its command ended with an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """The usage of a job so far."""

    calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    calls_without_cost: int = 0
    """Calls that reported no cost, or have not yet; the sum of dollars is then a lower bound."""
    calls_without_tokens: int = 0

    def __add__(self, other: "Use") -> "Use":
        return self._plus(other, 1)

    def __sub__(self, other: "Use") -> "Use":
        return self._plus(other, -1)

    def _plus(self, other: "Use", sign: int) -> "Use":
        return Use(
            calls=self.calls + sign * other.calls,
            tokens=self.tokens + sign * other.tokens,
            cost_usd=round(self.cost_usd + sign * other.cost_usd, 9),
            calls_without_cost=self.calls_without_cost + sign * other.calls_without_cost,
            calls_without_tokens=self.calls_without_tokens + sign * other.calls_without_tokens,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The commit that a job starts from, if it is not that of the repository: what it depends on, merged."""

    commit: str = ""
    """Empty if there is none to start from; `reason` says why."""
    parts: tuple[str, ...] = ()
    """The commits that were merged; another one makes the base worthless."""
    reason: str = ""
    conflicts: tuple[str, ...] = ()
    """Paths that the parts change in conflicting ways."""
    unmerged: tuple[str, ...] = ()
    """The branches that a person merges then, in this order; the last one conflicts."""
    way_on: str = ""
    """The command that a person can use, if it is no merge."""
    in_the_way: tuple[str, ...] = ()
    """Untracked files, seen from the root of the repository, that git would not overwrite by that merge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One specification of the queue."""

    id: str
    spec: str
    """The path of its file, seen from the root of the repository."""
    number: int
    """The order in which jobs were added."""
    priority: int = DEFAULT_PRIORITY
    """Smaller numbers start first."""
    after: tuple[str, ...] = ()
    """Names that a person gave with --after."""
    done: tuple[str, ...] = ()
    """Names that it depends on and that a person says are done."""
    words: tuple[str, ...] = ()
    """Options of `dualgate run` for this job alone."""
    agent: str = ""
    """The agent among these options, or command:CMD."""
    state: JobState = JobState.QUEUED
    reason: str = ""
    """Why it stands so, in words."""
    worktree: str = ""
    """The folder of its work tree; empty before it is made."""
    branch: str = ""
    commit: str = ""
    """The last commit of its run."""
    until: datetime | None = None
    """The end of the limit that it waits for."""
    use: Use = field(default_factory=Use)
    escalated: Use = field(default_factory=Use)
    """The part of it of stronger models and other agents that took over."""
    way_on: str = ""
    """The command that a person can continue it with."""
    base: Base | None = None
    starts: int = 0
    """How often its command was started."""
    reports: Mapping[str, LimitReport] = field(default_factory=dict)
    """By agent: the used shares of its usage limits, as its session knows them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobAdded:
    kind: ClassVar[str] = "job.added"
    at: datetime
    by: str
    id: str
    spec: str
    priority: int = DEFAULT_PRIORITY
    after: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRemoved:
    kind: ClassVar[str] = "job.removed"
    at: datetime
    by: str
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseMade:
    kind: ClassVar[str] = "base.made"
    at: datetime
    id: str
    base: Base


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStarted:
    kind: ClassVar[str] = "job.started"
    at: datetime
    id: str
    worktree: str = ""
    branch: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStood:
    """How a job stands, when that changed in more than its usage."""

    kind: ClassVar[str] = "job.stood"
    at: datetime
    id: str
    state: JobState
    reason: str = ""
    until: datetime | None = None
    use: Use = field(default_factory=Use)
    escalated: Use = field(default_factory=Use)
    way_on: str = ""
    worktree: str = ""
    branch: str = ""
    commit: str = ""
    reports: Mapping[str, LimitReport] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueStarted:
    kind: ClassVar[str] = "queue.started"
    at: datetime
    by: str
    pid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueEnded:
    kind: ClassVar[str] = "queue.ended"
    at: datetime
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetBegun:
    """From here on usage counts for a new budget. A run that goes on with an earlier budget has no such event."""

    kind: ClassVar[str] = "budget.begun"
    at: datetime
    why: str


QueueEvent = JobAdded | JobRemoved | BaseMade | JobStarted | JobStood | QueueStarted | QueueEnded | BudgetBegun
QUEUE_KINDS: dict[str, type[QueueEvent]] = {
    each.kind: each
    for each in (JobAdded, JobRemoved, BaseMade, JobStarted, JobStood, QueueStarted, QueueEnded, BudgetBegun)
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """Two jobs whose branches conflict."""

    jobs: tuple[str, str]
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    jobs: tuple[Job, ...] = ()
    """In the order in which they were added."""
    added: int = 0
    """How many jobs were ever added."""
    started_at: datetime | None = None
    ended: str = ""
    """Why the last run of the queue ended; empty if none did."""
    budget_at: datetime | None = None
    """When the last budget began."""
    budget_over: bool = False
    """Whether the run that began or used it last ended by itself, or by a person."""
    spent: Use = field(default_factory=Use)
    """The usage of all jobs since then, of removed jobs too."""
