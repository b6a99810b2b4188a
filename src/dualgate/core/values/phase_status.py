"""The fields of PRP_PHASE_STATUS, measured by the loop. Derived values are computed, never stored."""

from dataclasses import dataclass
from datetime import datetime

from dualgate.core.values.vocabulary import BreakerState, Counts, Phase, WorkStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCounts:
    passing: int = 0
    failing: int = 0
    skipped: int = 0

    @property
    def total(self) -> int:
        return self.passing + self.failing + self.skipped


def case_counts(counts: Counts) -> CaseCounts:
    """Reduce the six outcomes of a test run to the three of a phase block."""
    return CaseCounts(
        passing=counts.passed + counts.xpassed,
        failing=counts.failed + counts.error,
        skipped=counts.skipped + counts.xfailed,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCounts:
    """Files changed in this session, by diff against its start."""

    created: int = 0
    modified: int = 0
    deleted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseStatus:
    """One record. `iteration` counts from 1 and names the iteration that the record describes."""

    timestamp: datetime
    phase: Phase
    status: WorkStatus
    iteration: int
    progress_percent: int
    tests: CaseCounts
    files: FileCounts
    breaker: BreakerState
    no_progress_count: int
    gate_1: bool
    gate_2: bool
    blockers: tuple[str, ...] = ()
    exit_signal: bool
    recommendation: str

    @property
    def can_exit(self) -> bool:
        return self.gate_1 and self.gate_2
