"""Test results in the journal: each is written in full once, and later lines refer to it.

A list of results is stored as the number of the `suite.ended` line that holds the same list, or as a list. Its items
are results, or references [line, place, seconds]: the result in that place of that line, with this time.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import attrgetter
from typing import Any

from dualgate.core.values.amendments import AmendmentDecided
from dualgate.core.values.events import BaselineTaken, Event, ProvenAgain, SuiteEnded, TurnEnded
from dualgate.core.values.replacing import replace
from dualgate.core.values.suite import CaseResult
from dualgate.errors import JournalDamaged

Reference = tuple[int, int, float]
Stored = int | list[CaseResult | Reference]
"""A list of results as stored in a line."""
RUN = "report.results"
PLACES: Mapping[type[Event], tuple[str, ...]] = {
    SuiteEnded: (RUN,),
    BaselineTaken: ("results",),
    AmendmentDecided: ("results",),
    TurnEnded: ("proven", "facts.observed.failing", "facts.observed.trial.results"),
    ProvenAgain: ("turn.proven", "turn.facts.observed.failing", "turn.facts.observed.trial.results"),
}
"""Event type -> the fields that hold test results."""
RUNS_KEPT = 8
LINES_KEPT = 32
_ALL_BUT_TIME = attrgetter("outcome", "file", "line", "digest", "doc", "kind", "message")


class ResultWriter:
    """Takes the results out of events and replaces them by references to lines that the same owner wrote."""

    def __init__(self) -> None:
        self._full: dict[str, tuple[CaseResult, int, int]] = {}
        self._runs: deque[tuple[int, tuple[CaseResult, ...]]] = deque(maxlen=RUNS_KEPT)

    def taken_out(self, event: Event) -> tuple[Event, dict[str, Stored]]:
        """The event without its results, and the results by their place in it."""
        taken: dict[str, Stored] = {}
        for place in PLACES.get(type(event), ()):
            if results := _at(event, place):
                taken[place] = self._stored(results)
                event = with_results(event, place, ())
        return event, taken

    def written(self, seq: int, event: Event, taken: Mapping[str, Stored]) -> None:
        """Call this once the line is written: later lines then refer to it."""
        stored = taken.get(RUN)
        if not isinstance(event, SuiteEnded) or not isinstance(stored, list):
            return
        report = event.report
        full = {each.id: (each, seq, n) for n, each in enumerate(stored) if isinstance(each, CaseResult)}
        known = self._full if report.only else {r.id: self._full[r.id] for r in report.results if r.id in self._full}
        self._full = known | full
        self._runs.append((seq, report.results))

    def _stored(self, results: tuple[CaseResult, ...]) -> Stored:
        same = next((seq for seq, known in self._runs if known == results), None)
        return [self._item(result) for result in results] if same is None else same

    def _item(self, result: CaseResult) -> CaseResult | Reference:
        known = self._full.get(result.id)
        if known is None or _ALL_BUT_TIME(known[0]) != _ALL_BUT_TIME(result):
            return result
        return known[1], known[2], result.seconds


class ResultReader:
    """Completes events with their results; `read` returns the stored results of an earlier line."""

    def __init__(self, read: Callable[[int], Mapping[str, Stored]]) -> None:
        self._read = read
        self._lines: dict[int, list[CaseResult | Reference]] = {}

    def completed(self, seq: int, event: Event, stored: Mapping[str, Stored]) -> Event:
        for place, value in stored.items():
            if place not in PLACES.get(type(event), ()):
                raise JournalDamaged(f"holds test results for '{place}', which this event does not have")
            event = with_results(event, place, self._results(seq, value))
        if isinstance(known := stored.get(RUN), list):
            self._keep(seq, known)
        return event

    def _results(self, seq: int, value: Stored) -> tuple[CaseResult, ...]:
        items = self._run(seq, value) if isinstance(value, int) else value
        return tuple([each if isinstance(each, CaseResult) else self._referred(seq, each) for each in items])

    def _referred(self, seq: int, reference: Reference) -> CaseResult:
        line, place, seconds = reference
        items: Sequence[object] = self._lines.get(line) or self._run(seq, line)
        found = items[place] if 0 <= place < len(items) else None
        if line >= seq or not isinstance(found, CaseResult):
            raise JournalDamaged(f"refers to test result {place} of line {line}, which is missing")
        return replace(found, seconds=seconds)

    def _run(self, seq: int, line: int) -> list[CaseResult | Reference]:
        if line not in self._lines:
            found = self._read(line).get(RUN) if 0 < line < seq else None
            if not isinstance(found, list):
                raise JournalDamaged(f"refers to the test results of line {line}, which has no results")
            self._keep(line, found)
        return self._lines[line]

    def _keep(self, line: int, items: list[CaseResult | Reference]) -> None:
        """Keep the last few: all runs of a long session with many tests would not fit into memory."""
        if len(self._lines) >= LINES_KEPT:
            del self._lines[next(iter(self._lines))]
        self._lines[line] = items


def with_results(event: Any, place: str, results: tuple[CaseResult, ...]) -> Any:
    name, _, rest = place.partition(".")
    return replace(event, **{name: with_results(getattr(event, name), rest, results) if rest else results})


def _at(event: Event, place: str) -> tuple[CaseResult, ...]:
    """The results in a place; none where the event has no trial."""
    found: tuple[CaseResult, ...] = reduce(lambda value, name: getattr(value, name, ()), place.split("."), event)  # type: ignore[arg-type]
    return found
