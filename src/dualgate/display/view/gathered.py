"""Gathered, Event, LoopState -> Gathered: what the live view needs of the events so far."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from dualgate.core.record.records import View, records_after
from dualgate.core.record.run_facts import SinceBaseline, since_baseline
from dualgate.core.values.checks import CheckEnded, CheckStarted
from dualgate.core.values.events import (
    CallEnded,
    CallInterrupted,
    CallStarted,
    Event,
    SuiteEnded,
    SuiteStarted,
    TurnEnded,
)
from dualgate.core.values.probes import ProbesEnded, ProbesStarted
from dualgate.core.values.state import LoopState
from dualgate.display.lines import shown
from dualgate.display.live import violation_text


class Work(StrEnum):
    """The current step of a run."""

    NOTHING = ""
    CALL = "agent"
    TESTS = "tests"
    CHECK = "check"
    PROBES = "probes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """The present step of a run, since when, and of whom."""

    work: Work = Work.NOTHING
    since: datetime
    who: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    state: LoopState
    view: View
    present: Present
    tests: SinceBaseline = field(default_factory=SinceBaseline)
    violations: tuple[str, ...] = ()
    """Those of the last iteration that had any, in the present phase."""


def first_gathered(state: LoopState, view: View | None = None) -> Gathered:
    """The beginning of a view: of a new session, or of one that is resumed with the view of its journal."""
    return Gathered(state=state, view=view or View(phase=state.phase), present=Present(since=state.last_activity))


def gathered_after(gathered: Gathered, event: Event, after: LoopState) -> Gathered:
    view, _ = records_after(gathered.view, event, gathered.state, after)
    moved = after.phase is not gathered.state.phase
    violations = () if moved else gathered.violations
    tests = gathered.tests
    match event:
        case TurnEnded() if event.facts.observed.changes.violations:
            violations = tuple(map(violation_text, event.facts.observed.changes.violations))
        case SuiteEnded() if after.proof.start_tree and not (event.trial or event.report.only):
            tests = since_baseline(after.proof.baseline, event.report.results)
        case _:
            pass
    present = _present(gathered.present, event)
    return replace(gathered, state=after, view=view, present=present, tests=tests, violations=violations)


def _present(before: Present, event: Event) -> Present:
    match event:
        case CallStarted():
            # a command is long, and its program says little
            return Present(work=Work.CALL, since=event.at, who="" if " " in event.agent else shown(event.agent))
        case SuiteStarted():
            return Present(work=Work.TESTS, since=event.at)
        case CheckStarted():
            return Present(work=Work.CHECK, since=event.at)
        case ProbesStarted():
            return Present(work=Work.PROBES, since=event.at)
        case CallEnded() | CallInterrupted() | SuiteEnded() | CheckEnded() | ProbesEnded() | TurnEnded():
            return Present(since=event.at)
        case _:
            return before
