"""Claims of an agent at the end of a call: its status block, its packets, its review."""

from dataclasses import dataclass, field
from enum import StrEnum

from dualgate.core.values.answer import Failure
from dualgate.core.values.fix_request import FixRequest
from dualgate.core.values.phase_status import CaseCounts, FileCounts
from dualgate.core.values.vocabulary import Phase, SuiteStatus, WorkStatus, WorkType


class NoteKind(StrEnum):
    NOTE = "note"
    INTENT = "intent"
    """The code that the tests of RED expect."""
    DECISION = "decision"


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseNote:
    """A note in an agent's report that is passed on to the agents of later phases. It is a claim."""

    phase: Phase
    iteration: int
    kind: NoteKind
    text: str
    agent: str = ""
    earlier: int = 0
    """Iterations of earlier visits of its phase, by which visits are told apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkReport:
    """Claims in the packets and the phase block of an answer; None if missing or invalid."""

    shut: tuple[str, ...] = ()
    """Why gate 2 stays shut: a packet whose Status is not passed."""
    warnings: tuple[str, ...] = ()
    """Missing packets, and problems of the others."""
    needs_diagnosis: bool = False
    has_packets: bool = True
    """Whether the answer holds a packet of its phase."""
    findings: tuple[FixRequest, ...] = ()
    """The FixRequests of a review, in the order of work."""
    errors: tuple[str, ...] = ()
    """Why the FixRequests cannot be read or ordered."""
    blocking: int = 0
    """Critical and major findings, requested or counted."""
    no_refactoring: bool = False
    """Whether the last packet says that no refactoring is needed."""
    changed_files: tuple[str, ...] | None = None
    """Changed files that the last packet lists."""
    tests: CaseCounts | None = None
    files: FileCounts | None = None
    """Files changed since the session began, as the phase block counts them."""
    notes: str = ""
    intent: tuple[tuple[str, str], ...] = ()
    """The fields of RED's TestIntent with their texts."""
    decisions: tuple[str, ...] = ()
    minor: tuple[str, ...] = ()
    """Minor issues of a review that it asks no fix for."""


class Review(StrEnum):
    APPROVE = "APPROVE"
    REJECT = "REJECT"


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionAnswer:
    """A reviewer's answer about one criterion, with the file and line it cites; empty and None if it cites none."""

    id: str
    met: bool
    file: str = ""
    line: int | None = None
    reason: str = ""

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.line is not None else self.file


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The agent's claim. `exit_signal` is true only if it counts; `problems` say why a given signal does not."""

    status: WorkStatus | None = None
    exit_signal: bool = False
    tests_status: SuiteStatus | None = None
    files_modified: int | None = None
    tasks_completed: int | None = None
    recommendation: str = ""
    review: Review | None = None
    answers: tuple[CriterionAnswer, ...] = ()
    """A reviewer's answers about single criteria."""
    justifications: tuple[CriterionAnswer, ...] = ()
    """A reviewer's answers about removed, skipped and weakened tests; `met` is whether that is justified."""
    contradictions: tuple[str, ...] = ()
    """Sentences of a review that contradict its verdict."""
    blocking_findings: int = 0
    work_type: WorkType | None = None
    denied: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    """Questions asked through a question tool, or at the end of an answer without a signal."""
    allowed_by: str = ""
    failure: Failure | None = None
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    """Tolerated or missing parts of the block."""
    has_block: bool = True
    lacks_only_block: bool = False
    """Whether the block is missing or malformed, and nothing else keeps the signal from counting."""
    report: WorkReport = field(default_factory=WorkReport)
    error: str = ""
    """The failure of the call, or an error in the answer that a program printed."""
