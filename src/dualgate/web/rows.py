"""Glimpse of a session -> its row in the overview, as JSON has it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dualgate.core.machine.approving import WAITS_FOR_APPROVAL
from dualgate.core.record.run_facts import Mark, marks_of
from dualgate.core.record.session_state import Standing, standing_of
from dualgate.core.values.specification import HOLDING
from dualgate.core.values.vocabulary import Phase, Status
from dualgate.display.sessions import session_record
from dualgate.store.home import written_path

if TYPE_CHECKING:
    from dualgate.store.archive import SessionSummary
    from dualgate.store.glimpse import Glimpse

_GOES_ON = (Status.RUNNING, Status.PAUSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenSession:
    """A session as the overview knows it."""

    summary: "SessionSummary"
    glimpse: "Glimpse | None" = None
    """None if its journal cannot be read."""
    max_iterations: int = 0
    worktree_of: str = ""
    """The repository of a project that is a git worktree; empty for others."""

    @property
    def standing(self) -> Standing:
        summary = self.summary
        status = None if summary.problem else summary.status
        waits = self.glimpse is not None and self.glimpse.wait is not None
        return standing_of(status, summary.proven, summary.alive, waits)

    @property
    def proven_criteria(self) -> int:
        return sum(state in HOLDING for state in self.glimpse.criteria) if self.glimpse else 0


def row_of(seen: SeenSession, name: str) -> dict[str, Any]:
    """The row of a session; `name` is its id in addresses."""
    summary = seen.summary
    return session_record(summary) | {
        "id": name,
        "folder": written_path(summary.folder),
        "project_name": Path(summary.project).name or None,
        "standing": seen.standing.value,
        "worktree_of": seen.worktree_of or None,
        **_glimpsed(seen, seen.glimpse),
    }


def _glimpsed(seen: SeenSession, glimpse: "Glimpse | None") -> dict[str, Any]:
    if glimpse is None:
        return {
            "seq": 0,
            "phases": [],
            **dict.fromkeys(("max_iterations", "halt_reason", "pause_reason", "waits", "criteria")),
        }
    figures, wait, total = glimpse.figures, glimpse.wait, len(glimpse.criteria)
    return {
        "seq": glimpse.seq,
        "phases": [{"phase": phase.value, "mark": mark.value} for phase, mark in _marks(glimpse)],
        "iteration": figures.iteration + (figures.status in _GOES_ON),
        "max_iterations": seen.max_iterations,
        "halt_reason": glimpse.halt_reason or None,
        "pause_reason": glimpse.pause_reason or None,
        "waits": {"until": wait.until.isoformat(), "reason": wait.reason} if wait else _approval(glimpse),
        "criteria": {"proven": seen.proven_criteria, "total": total} if total else None,
    }


def _approval(glimpse: "Glimpse") -> dict[str, Any] | None:
    """The wait of finished work for a person, which has no end."""
    if not glimpse.waits_for_approval:
        return None
    return {"until": None, "reason": WAITS_FOR_APPROVAL}


def _marks(glimpse: "Glimpse") -> tuple[tuple[Phase, Mark], ...]:
    figures = glimpse.figures
    now = None if figures.status is Status.COMPLETED else figures.phase
    return marks_of(figures.workflow, now, glimpse.completed, glimpse.forced)


def by_standing(every: Sequence[SeenSession]) -> Counter[Standing]:
    return Counter(each.standing for each in every)
