"""The work to do: criteria with their kinds, tasks, commands and context, and the effect of a changed specification."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dualgate.core.values.vocabulary import CriterionStatus as CriterionStatus
from dualgate.core.values.vocabulary import Kind as Kind
from dualgate.core.values.vocabulary import Workflow

if TYPE_CHECKING:
    from dualgate.core.values.problems import Problem


NOT_A_FILE = "("
"""Begins the name of a specification from the command line or from standard input."""
PROVEN_BY_TESTS = frozenset({Kind.NEW, Kind.KEEP})


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One thing to prove; `line` is its first line in the specification, `lines` how many it takes."""

    id: str
    text: str
    line: int
    lines: int = 1
    named: bool = False
    """Whether its id is written in the text."""
    kind: Kind = Kind.NEW
    inferred: bool = True
    """Whether the kind was inferred from the text; False if it is written there."""
    command: str = ""
    """The command of a check; empty if the project's own tests are the check."""
    exit_code: int = 0
    """The exit code that the command of a check must have."""
    prints: str = ""
    """Text that the command of a check must print; empty for any output."""
    forbids: tuple[str, ...] = ()
    """Paths that must not change; the guard reverts changes to them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One task; ticked tasks are done."""

    text: str
    line: int
    lines: int = 1
    done: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationCommand:
    """A command of a validation section; `level` is the number of its level, None if it has none."""

    command: str
    line: int
    lines: int = 1
    level: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Consecutive lines under one heading that are neither criterion nor task nor command."""

    heading: str
    line: int
    lines: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A part that can be read in two ways; the first reading was taken unless an answer says otherwise."""

    key: str
    """Names the question, whatever line it moves to."""
    line: int
    text: str
    readings: tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Specification:
    """A specification; `text` is its whole text when the run began."""

    title: str
    goal: str
    criteria: tuple[Criterion, ...]
    text: str
    document: str = ""
    """The Markdown inside `text`, if that is not Markdown itself; empty otherwise."""
    is_prompt: bool = False
    """Whether it is a prompt with nothing to prove."""
    tasks: tuple[Task, ...] = ()
    validation: tuple[ValidationCommand, ...] = ()
    context: tuple[Context, ...] = ()
    questions: tuple[Question, ...] = ()
    """Questions that were not answered."""
    problems: "tuple[Problem, ...]" = ()
    """Errors stop a run; warnings do not."""
    spec_id: str = ""
    dependencies: tuple[str, ...] = ()
    """Specifications that must be done before this one, by their ids."""
    blocks: tuple[str, ...] = ()
    """Specifications that wait for this one, by their ids."""

    @property
    def workflow(self) -> Workflow:
        """The workflow that fits: tdd if there is something to prove, ralph if there are only tasks, or a prompt."""
        to_prove = [each for each in self.criteria if not (each.forbids and each.kind is Kind.REVIEW)]
        return Workflow.RALPH if (self.tasks or self.is_prompt) and not to_prove else Workflow.TDD

    @property
    def is_ready(self) -> bool:
        """Whether a run can start: no error, and no open question."""
        from dualgate.core.values.problems import has_errors  # a reader of journals needs none of it

        return not self.questions and not has_errors(self.problems)

    def of_kind(self, *kinds: Kind) -> tuple[Criterion, ...]:
        return tuple(criterion for criterion in self.criteria if criterion.kind in kinds)


HOLDING = frozenset({CriterionStatus.GREEN, CriterionStatus.HOLDS, CriterionStatus.PASSES, CriterionStatus.MET})
"""The states in which a criterion holds, one for each kind."""
FIRST_STATUS: Mapping[Kind, CriterionStatus] = {
    Kind.NEW: CriterionStatus.NO_TEST,
    Kind.KEEP: CriterionStatus.NO_TEST,
    Kind.CHECK: CriterionStatus.NOT_RUN,
    Kind.REVIEW: CriterionStatus.NOT_REVIEWED,
}
"""The status of each kind before any work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionState:
    """One criterion of a session: its kind, the tests, command or review line that proves it, and its state."""

    id: str
    text: str
    kind: Kind
    inferred: bool = True
    state: CriterionStatus = CriterionStatus.NO_TEST
    proof: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionResult:
    """The result of one iteration for a criterion. `kind` is the kind by which it is proven from now on."""

    id: str
    kind: Kind
    state: CriterionStatus
    proof: tuple[str, ...] = ()
    """Ids of tests, the command, or the file and line that the reviewer cites."""
    missing: str = ""
    """Why the criterion keeps the gate of this phase shut; empty if it does not."""


def starting_states(criteria: Iterable[Criterion]) -> tuple[CriterionState, ...]:
    """The criteria before any work."""
    return tuple(
        CriterionState(id=c.id, text=c.text, kind=c.kind, inferred=c.inferred, state=FIRST_STATUS[c.kind])
        for c in criteria
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The tasks of a list, by their text. A list without checkboxes does not show what is done."""

    open: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    stories: bool = False
    """Whether the tasks are the stories of a prd.json."""
    file: str = ""
    is_gone: bool = False
    """Whether the file or all its tasks are missing now; `open` and `done` are then the last known tasks."""
    unmarked: tuple[str, ...] = ()
    """Tasks without a tick box: whether they are done cannot be seen."""
    finished: tuple[str, ...] = ()
    """Tasks that were open in an earlier reading of this run, and were then seen ticked."""
    lost: tuple[str, ...] = ()
    """Tasks that were open in an earlier reading of this run, and left the list without being ticked."""
    is_edited: bool = False
    """Whether a person edited the file since this reading."""

    @property
    def is_known(self) -> bool:
        return bool(self.open or self.done)

    @property
    def is_done(self) -> bool:
        return bool(self.done or self.finished) and not self.open and not self.unmarked

    @property
    def ticked(self) -> int:
        """The number of tasks that are ticked now, or were ticked in this run and then removed."""
        return len(self.done) + len({*self.finished} - {*self.done})

    @property
    def summary(self) -> str:
        return f"{self.file}: {self.counted}"

    @property
    def counted(self) -> str:
        """How far the tasks are, in words."""
        marked = f"{len(self.done)} done, {len(self.open)} open" if self.is_known or not self.unmarked else ""
        unseen = f"{len(self.unmarked)} without a tick box: what is done cannot be seen" if self.unmarked else ""
        return "; ".join(filter(None, (marked, unseen)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Respec:
    """The effect of an adopted specification, as ids of criteria and tests."""

    reopened: tuple[str, ...] = ()
    """Criteria to prove red: those that are new or changed, or have no kept test."""
    kept: tuple[str, ...] = ()
    """Criteria unchanged since RED was proven."""
    kept_tests: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
