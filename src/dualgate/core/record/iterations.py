"""Events of a session -> its iterations, numbered over the whole session, each with its calls, runs and results."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from dualgate.core.money.spending import answer_used
from dualgate.core.values.checks import CheckEnded
from dualgate.core.values.events import (
    BaselineTaken,
    CallEnded,
    CallStarted,
    Event,
    ProvenAgain,
    SuiteEnded,
    TurnEnded,
)
from dualgate.core.values.limits import Price
from dualgate.core.values.replacing import replace
from dualgate.core.values.spending import Used
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import CaseResult
from dualgate.core.values.vocabulary import Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The place of an event: the phase, the iteration in it, and the iteration counted over the whole session."""

    phase: Phase
    iteration: int
    number: int


def place_of(event: Event, before: LoopState, number: int) -> Place:
    """`before` is the state before the event, `number` the iteration that is under way."""
    turn = event.turn if isinstance(event, ProvenAgain) else event
    if isinstance(turn, TurnEnded):
        return Place(phase=turn.facts.phase, iteration=turn.facts.iteration, number=number)
    return Place(phase=before.phase, iteration=before.iteration + 1, number=number)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultChanges:
    """The results of an iteration compared with the whole run before it; ids only."""

    new: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    failing: tuple[CaseResult, ...] = ()
    gone: tuple[str, ...] = ()


def changes_in(before: Sequence[CaseResult], after: Sequence[CaseResult], is_whole: bool) -> ResultChanges:
    """A run of selected tests says nothing about the others, so none of them is gone."""
    failed_before = {result.id: result.failed for result in before}
    failed_now = {result.id: result.failed for result in after}
    return ResultChanges(
        new=tuple(name for name in failed_now if name not in failed_before),
        fixed=tuple(name for name, failed in failed_now.items() if failed_before.get(name) and not failed),
        broken=tuple(name for name, failed in failed_now.items() if failed_before.get(name) is False and failed),
        failing=tuple(result for result in after if result.failed),
        gone=tuple(name for name in failed_before if name not in failed_now) if is_whole else (),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Iteration:
    """One iteration of a session, or one call that was retried."""

    number: int
    started: datetime
    turn: TurnEnded
    calls: tuple[CallStarted, ...] = ()
    ended: tuple[CallEnded, ...] = ()
    runs: tuple[SuiteEnded, ...] = ()
    checks: tuple[CheckEnded, ...] = ()
    tests: ResultChanges = field(default_factory=ResultChanges)

    @property
    def seconds(self) -> float:
        return max(0.0, (self.turn.at - self.started).total_seconds())

    @property
    def trees(self) -> tuple[str, str]:
        """The work tree before the call and the judged one; empty if they were not recorded."""
        return next((call.tree for call in self.calls if call.tree), ""), self.turn.facts.observed.changes.tree


@dataclass(frozen=True, slots=True, kw_only=True)
class _UnderWay:
    calls: tuple[CallStarted, ...] = ()
    ended: tuple[CallEnded, ...] = ()
    runs: tuple[SuiteEnded, ...] = ()
    checks: tuple[CheckEnded, ...] = ()


def iterations(events: Iterable[Event]) -> Iterator[Iteration]:
    """The iterations of a session in their order."""
    now, number, whole = _UnderWay(), 0, tuple[CaseResult, ...]()
    for event in events:
        match event:
            case BaselineTaken():
                now, whole = _UnderWay(), event.results
            case CallStarted():
                now = replace(now, calls=(*now.calls, event))
            case CallEnded():
                now = replace(now, ended=(*now.ended, event))
            case SuiteEnded() if not event.trial:
                now = replace(now, runs=(*now.runs, event))
            case CheckEnded():
                now = replace(now, checks=(*now.checks, event))
            case TurnEnded():
                number += 1
                yield _finished(number, event, now, whole)
                whole = next((run.report.results for run in reversed(now.runs) if _is_whole(run)), whole)
                now = _UnderWay()
            case _:
                pass


def _is_whole(run: SuiteEnded) -> bool:
    return not run.report.only and run.report.trusted


def _finished(number: int, turn: TurnEnded, now: _UnderWay, whole: Sequence[CaseResult]) -> Iteration:
    last = next((run for run in reversed(now.runs) if run.report.trusted), None)
    tests = changes_in(whole, last.report.results, _is_whole(last)) if last else ResultChanges()
    started = now.calls[0].at if now.calls else turn.at
    return Iteration(
        number=number,
        started=started,
        turn=turn,
        calls=now.calls,
        ended=now.ended,
        runs=now.runs,
        checks=now.checks,
        tests=tests,
    )


def used_in(found: Iteration, prices: Mapping[str, Price]) -> Used:
    """The usage that the calls of an iteration reported."""
    return sum((answer_used(each.answer, prices) for each in found.ended), Used())
