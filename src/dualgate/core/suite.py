"""What a test run says: one result per test, and whether the run can be believed."""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum


class CaseOutcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"


class FailureKind(StrEnum):
    ASSERTION = "assertion"
    MISSING = "missing_behaviour"
    BROKEN_FILE = "broken_file"
    OTHER = "other"


FAILURES = frozenset({CaseOutcome.FAILED, CaseOutcome.ERROR})
IDLE = frozenset({CaseOutcome.SKIPPED, CaseOutcome.XFAILED})


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """One test in one run. `digest` is that of its source, so that a changed test is known; `doc` is its docstring."""

    id: str
    outcome: CaseOutcome
    file: str = ""
    digest: str = ""
    doc: str = ""
    kind: FailureKind | None = None
    message: str = ""
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        return self.outcome in FAILURES

    @property
    def is_broken_file(self) -> bool:
        return self.kind is FailureKind.BROKEN_FILE


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    passed: int = 0
    failed: int = 0
    error: int = 0
    skipped: int = 0
    xfailed: int = 0
    xpassed: int = 0

    @property
    def total(self) -> int:
        return self.passed + self.failed + self.error + self.skipped + self.xfailed + self.xpassed


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteReport:
    """One run of the tests. Only a report without `problems` is evidence; no other pass is worth anything."""

    command: tuple[str, ...]
    exit_code: int | None
    results: tuple[CaseResult, ...] = ()
    problems: tuple[str, ...] = ()
    tree: str = ""
    seconds: float = 0.0

    @property
    def trusted(self) -> bool:
        return not self.problems

    @property
    def counts(self) -> Counts:
        return Counts(**Counter(result.outcome.value for result in self.results))
