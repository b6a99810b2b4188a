"""Test runs of a tree -> why its tests are not green. The one definition of green: no fault."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Protocol

from dualgate.core.values.notation import listed
from dualgate.core.values.suite import CaseResult, Counts, short_id

REPEATS_NEEDED = 3
"""Partial runs that replace further runs of the whole suite."""


PARTIAL_RUN = (
    "only some of the tests were run; the whole suite decides, and is run once these pass and you give the signal"
)


class Fault(StrEnum):
    UNTRUSTED = "untrusted"
    FAILING = "failing"
    VANISHED = "vanished"
    NEWLY_SKIPPED = "newly_skipped"
    ALTERED = "altered"
    """Proven tests whose code changed."""
    NOTHING_PASSES = "nothing_passes"
    PARTIAL = "partial"
    """Only some of the tests were run."""


class Seen(Protocol):
    """One test run compared with the proof, or all runs of one tree."""

    @property
    def problems(self) -> tuple[str, ...]: ...
    @property
    def failing(self) -> tuple[CaseResult, ...]: ...
    @property
    def vanished(self) -> tuple[str, ...]: ...
    @property
    def newly_skipped(self) -> tuple[str, ...]: ...
    @property
    def altered(self) -> tuple[str, ...]: ...
    @property
    def counts(self) -> Counts: ...
    @property
    def partial(self) -> bool: ...


_FAULTS: Mapping[Fault, Callable[[Seen], object]] = {
    Fault.UNTRUSTED: lambda seen: seen.problems,
    Fault.FAILING: lambda seen: seen.failing,
    Fault.VANISHED: lambda seen: seen.vanished,
    Fault.NEWLY_SKIPPED: lambda seen: seen.newly_skipped,
    Fault.ALTERED: lambda seen: seen.altered,
    Fault.NOTHING_PASSES: lambda seen: not seen.problems and seen.counts.passed == 0,
    Fault.PARTIAL: lambda seen: seen.partial,
}


def faults(seen: Seen) -> frozenset[Fault]:
    """Everything that keeps the tree from being green; empty if it is green."""
    return frozenset(fault for fault, applies in _FAULTS.items() if applies(seen))


def why_not_green(seen: Seen, suites: Sequence[str] = (), of: frozenset[Fault] = frozenset(Fault)) -> tuple[str, ...]:
    """A sentence for each fault in `of`; empty if there is none."""
    found = faults(seen) & of
    return tuple(_sentence(fault, seen, suites) for fault in Fault if fault in found)


def _sentence(fault: Fault, seen: Seen, suites: Sequence[str]) -> str:
    def tests(ids: Sequence[str]) -> str:
        return listed(short_id(name, suites) for name in ids)

    match fault:
        case Fault.UNTRUSTED:
            return "; ".join(seen.problems)
        case Fault.FAILING:
            return f"{len(seen.failing)} failing: {tests([result.id for result in seen.failing])}"
        case Fault.VANISHED:
            return f"tests that existed before are missing: {tests(seen.vanished)}"
        case Fault.NEWLY_SKIPPED:
            return f"tests that ran before are skipped: {tests(seen.newly_skipped)}"
        case Fault.ALTERED:
            return f"the code of proven tests changed: {tests(seen.altered)}"
        case Fault.NOTHING_PASSES:
            return "not one test passes"
        case Fault.PARTIAL:
            return PARTIAL_RUN
