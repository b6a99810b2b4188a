"""The words and fields of RALPH_STATUS: what an agent says of itself."""

from dataclasses import dataclass
from enum import StrEnum


class WorkStatus(StrEnum):
    IN_PROGRESS = "IN_PROGRESS"
    COMPLETE = "COMPLETE"
    BLOCKED = "BLOCKED"


class SuiteStatus(StrEnum):
    PASSING = "PASSING"
    FAILING = "FAILING"
    NOT_RUN = "NOT_RUN"


class WorkType(StrEnum):
    IMPLEMENTATION = "IMPLEMENTATION"
    TESTING = "TESTING"
    DOCUMENTATION = "DOCUMENTATION"
    REFACTORING = "REFACTORING"


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
