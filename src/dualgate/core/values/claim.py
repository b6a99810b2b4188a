"""What an agent says at the end of a call: its status block, its packets, its review."""

from dataclasses import dataclass, field
from enum import StrEnum

from dualgate.core.values.answer import Failure
from dualgate.core.values.fix_request import FixRequest
from dualgate.core.values.phase_status import CaseCounts, FileCounts
from dualgate.core.values.vocabulary import SuiteStatus, WorkStatus, WorkType


@dataclass(frozen=True, slots=True, kw_only=True)
class RalphStatus:
    """What an agent says of itself; a field that was not given is None."""

    status: WorkStatus | None = None
    tasks_completed: int | None = None
    files_modified: int | None = None
    tests_status: SuiteStatus | None = None
    work_type: WorkType | None = None
    exit_signal: bool | None = None
    recommendation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedClaim:
    """One thing the agent said, beside what was measured."""

    claim: str
    claimed: str
    measured: str

    @property
    def holds(self) -> bool:
        return self.claimed == self.measured

    @property
    def sentence(self) -> str:
        return f"{self.claim} was given as {self.claimed}, measured {self.measured}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkReport:
    """What the packets and the phase block of an answer say; None is what was not said in a legal form."""

    shut: tuple[str, ...] = ()
    """Why gate 2 stays shut: a packet whose Status is another than passed."""
    warnings: tuple[str, ...] = ()
    """Packets that are missing, and what is wrong with those that are there."""
    needs_diagnosis: bool = False
    findings: tuple[FixRequest, ...] = ()
    """What the packets of a review ask for, in the order of work."""
    errors: tuple[str, ...] = ()
    """Why the FixRequests cannot be read or ordered as they are."""
    blocking: int = 0
    """Critical and major findings, requested or counted."""
    no_refactoring: bool = False
    """Whether the last packet says that no refactoring is needed."""
    changed_files: tuple[str, ...] | None = None
    """Those of the last packet."""
    tests: CaseCounts | None = None
    files: FileCounts | None = None
    """Since the session began, as the phase block counts them."""


class Review(StrEnum):
    APPROVE = "APPROVE"
    REJECT = "REJECT"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What the agent says. `exit_signal` is the honoured one; `problems` tell why a given one was not."""

    status: WorkStatus | None = None
    exit_signal: bool = False
    tests_status: SuiteStatus | None = None
    files_modified: int | None = None
    tasks_completed: int | None = None
    recommendation: str = ""
    review: Review | None = None
    blocking_findings: int = 0
    work_type: WorkType | None = None
    denied: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    """Asked through a tool made for asking, or at the end of an answer that does not signal its end."""
    allowed_by: str = ""
    failure: Failure | None = None
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    """What was tolerated in the block, or missing from it."""
    has_block: bool = True
    report: WorkReport = field(default_factory=WorkReport)
    error: str = ""
    """The error that the answer is, or shows as a program prints one."""
