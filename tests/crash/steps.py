"""The changes that a run makes to a disk, and those of them at which something is done to it."""

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from tests.crash.scale import IS_LONG

Step = TypeVar("Step")

KNOWN = (
    *("journal.jsonl", "loop-state.json", "phase-status.log", "metrics.json", "circuit-breaker.json"),
    *("calls", "results", ".owners", ".snapshots", "dualgate-call", "dualgate-suite"),
)


def kind_of(step: str) -> str:
    """What was done to which kind of file."""
    done, _, path = step.partition(" ")
    return f"{done} {next((name for name in KNOWN if name in path), 'other')}"


def tried(steps: Iterable[Step], kind: Callable[[Step], Hashable]) -> list[Step]:
    """All steps in `make test-crash`; in `make test-corpus` one of each kind, from the middle of the run."""
    steps = list(steps)
    by_kind: dict[Hashable, list[Step]] = {}
    for step in steps:
        by_kind.setdefault(kind(step), []).append(step)
    return steps if IS_LONG else [same[len(same) // 2] for same in by_kind.values()]
