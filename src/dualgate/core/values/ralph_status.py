"""The RALPH_STATUS block that ends an answer, and one statement of it beside what was measured."""

from dataclasses import dataclass

from dualgate.core.values.vocabulary import SuiteStatus, WorkStatus, WorkType


@dataclass(frozen=True, slots=True, kw_only=True)
class RalphStatus:
    """The fields of a RALPH_STATUS block; a missing field is None."""

    status: WorkStatus | None = None
    tasks_completed: int | None = None
    files_modified: int | None = None
    tests_status: SuiteStatus | None = None
    work_type: WorkType | None = None
    exit_signal: bool | None = None
    recommendation: str = ""
    call: str = ""
    """The token of the call that the block answers, an optional extension."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedClaim:
    """One claim of the agent beside the measured value."""

    claim: str
    claimed: str
    measured: str

    @property
    def holds(self) -> bool:
        return self.claimed == self.measured

    @property
    def sentence(self) -> str:
        return f"{self.claim} was given as {self.claimed}, measured {self.measured}"
