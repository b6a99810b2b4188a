"""The words that three rooms or more use: phases, statuses, and the shapes that adapters fill."""

from dataclasses import dataclass
from enum import StrEnum

from dualgate.core.phase import Phase as Phase


class Workflow(StrEnum):
    TDD = "tdd"
    RALPH = "ralph"


class Status(StrEnum):
    RUNNING = "running"
    PAUSED = "paused"
    COMPLETED = "completed"
    HALTED = "halted"


class Role(StrEnum):
    """Whose part the agent plays in a call."""

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
    """What follows from one agent call."""

    CONTINUE = "continue"
    RETRY = "retry"
    NEXT_PHASE = "next_phase"
    REJECTED = "rejected"
    PROJECT_COMPLETE = "project_complete"
    BLOCKED = "blocked"
    STUCK = "stuck"
    MAX_ITERATIONS = "max_iterations"
    RATE_LIMITED = "rate_limited"
    BUDGET_EXHAUSTED = "budget_exhausted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One acceptance criterion; `line` is where it stands in the specification."""

    id: str
    text: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCall:
    """What an agent is asked. `ordinal` counts the calls of this phase that came to an end, this one included."""

    number: int
    ordinal: int
    phase: Phase
    iteration: int
    session_id: str
    prompt: str

    @property
    def role(self) -> Role:
        return ROLES[self.phase]


class Ending(StrEnum):
    """How a process that the loop started came to its end."""

    EXITED = "exited"
    TIMED_OUT = "timed_out"
    FLOODED = "flooded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A change that the phase does not allow, and whether it could be undone."""

    path: str
    rule: str
    undone: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What one call did to the work tree, after the guard; `tree` names the state that is judged."""

    tree: str
    created: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    violations: tuple[Violation, ...] = ()
    documents: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        return (*self.created, *self.modified, *self.deleted)
