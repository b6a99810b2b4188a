"""Blocks to change and to quote: the examples of the documents, and values with every field set."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dualgate.core.values.phase_status import CaseCounts, FileCounts, PhaseStatus
from dualgate.core.values.ralph_status import RalphStatus
from dualgate.core.values.vocabulary import BreakerState, Phase, SuiteStatus, WorkStatus, WorkType

DATA = Path(__file__).parents[3] / "data" / "blocks"
RALPH_EXAMPLES = ("ralph_in_progress", "ralph_complete", "ralph_blocked", "ralph_tests_failing")
RALPH_TEMPLATES = ("ralph_template", "ralph_template_of_the_analyzer")
PHASE_EXAMPLES = (
    "phase_red_in_progress",
    "phase_green_progress_made",
    "phase_green_breaker_open",
    "phase_green_complete",
)

FIELDS = {
    "STATUS": "COMPLETE",
    "TASKS_COMPLETED_THIS_LOOP": "1",
    "FILES_MODIFIED": "2",
    "TESTS_STATUS": "PASSING",
    "WORK_TYPE": "IMPLEMENTATION",
    "EXIT_SIGNAL": "true",
    "RECOMMENDATION": "All tasks complete, tests passing",
}

A_RALPH_STATUS = RalphStatus(
    status=WorkStatus.COMPLETE,
    tasks_completed=1,
    files_modified=2,
    tests_status=SuiteStatus.PASSING,
    work_type=WorkType.IMPLEMENTATION,
    exit_signal=True,
    recommendation="All tasks complete, tests passing",
)

A_PHASE_STATUS = PhaseStatus(
    timestamp=datetime(2026, 1, 13, 10, 15, tzinfo=UTC),
    phase=Phase.GREEN,
    status=WorkStatus.IN_PROGRESS,
    iteration=2,
    progress_percent=60,
    tests=CaseCounts(passing=6, failing=3, skipped=1),
    files=FileCounts(created=3, modified=2, deleted=1),
    breaker=BreakerState.CLOSED,
    no_progress_count=0,
    gate_1=False,
    gate_2=True,
    blockers=("3 tests fail",),
    exit_signal=True,
    recommendation="Fix the failing tests",
)


def sample(name: str) -> str:
    """An example of the documents, without the line end of its file."""
    return (DATA / f"{name}.txt").read_text(encoding="utf-8").removesuffix("\n")


def ralph_block(*more: str, without: tuple[str, ...] = (), **changed: str) -> str:
    """A block that signals the end, but for what is changed; `more` are lines before the closing one."""
    fields = {**FIELDS, **changed}
    lines = [f"{name}: {value}" for name, value in fields.items() if name not in without]
    return "\n".join(("---RALPH_STATUS---", *lines, *more, "---END_RALPH_STATUS---"))


def a_phase_status(**changed: Any) -> PhaseStatus:
    return replace(A_PHASE_STATUS, **changed)
