"""Event, LoopState -> Metrics: the source of the records, the rows per iteration and the breaker's history.

Metrics depend on events alone, so that lost files can be written again.
"""

from dataclasses import dataclass, field
from datetime import datetime

from dualgate.core.gates.progress import overall_progress
from dualgate.core.machine.reviewing import is_self_reviewed
from dualgate.core.record.breaker_changes import BreakerChange, breaker_changes
from dualgate.core.record.records import View, first_record, records_after
from dualgate.core.team.fallover import asked_agent
from dualgate.core.values.checks import CheckEnded
from dualgate.core.values.events import CallEnded, CallStarted, Event, SessionStarted, SuiteEnded, TurnEnded
from dualgate.core.values.phase_status import CaseCounts, PhaseStatus
from dualgate.core.values.probes import ProbesEnded
from dualgate.core.values.replacing import replace
from dualgate.core.values.spending import Used
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import BreakerState, Decision, HaltCause, Phase, Status, Workflow


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One iteration. Tokens and cost are None if the agent does not report them; they are not guessed."""

    at: datetime
    call: int
    phase: Phase
    iteration: int
    decision: Decision
    agent_seconds: float
    test_seconds: float
    test_runs: int
    calls: int
    """All calls since the previous iteration, including a call that was cut off or one about a test."""
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cost_usd: float | None
    tests: CaseCounts
    files_changed: int
    progress: int
    overall: int
    agent: str = ""
    """The agent that was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Time and test runs of the current iteration so far."""

    call: int = 0
    agent_seconds: float = 0.0
    test_seconds: float = 0.0
    test_runs: int = 0
    follow_up: int = 0
    """The number of the call that asks for the status block of the first one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    view: View
    rows: tuple[Row, ...] = ()
    breaker_changes: tuple[BreakerChange, ...] = ()
    spent: Spent = field(default_factory=Spent)
    booked: Used = field(default_factory=Used)
    """Usage that the rows already include."""
    agent_seconds: float = 0.0
    test_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One session in a row of a list. Tokens and cost are None if no call reported them."""

    status: Status
    phase: Phase
    iteration: int
    percent: int
    workflow: Workflow
    proven: bool
    self_reviewed: bool
    halted_by: HaltCause | None
    tests: CaseCounts
    breaker: BreakerState
    agent: str
    calls: int
    iterations: int
    tokens: int | None
    cost_usd: float | None
    calls_without_cost: int
    agent_seconds: float
    test_seconds: float
    last_activity: datetime


def figures_of(state: LoopState, metrics: Metrics) -> Figures:
    used = state.spending.total
    return Figures(
        status=state.status,
        phase=state.phase,
        iteration=state.iteration,
        percent=overall_progress(state),
        workflow=state.workflow,
        proven=state.proven,
        self_reviewed=is_self_reviewed(state),
        halted_by=state.halted_by,
        tests=metrics.view.tests,
        breaker=state.breaker.state,
        agent=asked_agent(state),
        calls=state.total_agent_calls,
        iterations=sum(visit.iterations for visit in state.visits),
        tokens=used.tokens if used.tells_tokens else None,
        cost_usd=used.cost_usd if used.tells_cost else None,
        calls_without_cost=used.without_cost,
        agent_seconds=round(metrics.agent_seconds, 3),
        test_seconds=round(metrics.test_seconds, 3),
        last_activity=state.last_activity,
    )


Entered = tuple[Metrics, tuple[PhaseStatus, ...]]


def first_metrics(event: SessionStarted, state: LoopState) -> Entered:
    view, said = first_record(event, state)
    return Metrics(view=view), said


def metrics_after(metrics: Metrics, event: Event, before: LoopState, after: LoopState) -> Entered:
    """The metrics after an event, and the event's records."""
    view, said = records_after(metrics.view, event, before, after)
    spent = spent_after(metrics.spent, event, before.phase)
    if view is not metrics.view or spent is not metrics.spent:
        metrics = replace(metrics, view=view, spent=spent)
    if changes := tuple(breaker_changes(event, before, after)):
        metrics = replace(metrics, breaker_changes=(*metrics.breaker_changes, *changes))
    return (_with_row(metrics, event, after, said[0]) if isinstance(event, TurnEnded) else metrics), said


def _with_row(metrics: Metrics, turn: TurnEnded, after: LoopState, said: PhaseStatus) -> Metrics:
    """Add the row of an iteration from its record `said`; the view may already show the next phase."""
    spent, total = metrics.spent, after.spending.total
    row = row_of(turn, spent, total - metrics.booked, said.tests, said.progress_percent, overall_progress(after))
    return replace(
        metrics,
        rows=(*metrics.rows, row),
        spent=Spent(call=spent.follow_up),  # a follow-up that changed files is the next iteration
        booked=total,
        agent_seconds=metrics.agent_seconds + row.agent_seconds,
        test_seconds=metrics.test_seconds + row.test_seconds,
    )


def spent_after(spent: Spent, event: Event, phase: Phase) -> Spent:
    """`phase` is the run's phase: a call for another phase happens within the iteration, about a test."""
    match event:
        case CallStarted() if event.follows:
            return replace(spent, follow_up=event.number)
        case CallStarted() if event.phase is phase:
            return Spent(call=event.number)
        case CallEnded():
            return replace(spent, agent_seconds=round(spent.agent_seconds + event.seconds, 3))
        case SuiteEnded(known=False):
            seconds = round(spent.test_seconds + event.report.seconds, 3)
            return replace(spent, test_seconds=seconds, test_runs=spent.test_runs + 1)
        case ProbesEnded(known=False):
            return replace(spent, test_seconds=round(spent.test_seconds + event.report.seconds, 3))
        case CheckEnded(known=False):
            return replace(spent, test_seconds=round(spent.test_seconds + event.check.seconds, 3))
        case _:
            return spent


def row_of(turn: TurnEnded, spent: Spent, used: Used, tests: CaseCounts, progress: int, overall: int) -> Row:
    return Row(
        at=turn.at,
        call=spent.call,
        phase=turn.facts.phase,
        iteration=turn.facts.iteration,
        decision=turn.move.decision,
        agent_seconds=spent.agent_seconds,
        test_seconds=spent.test_seconds,
        test_runs=spent.test_runs,
        calls=used.calls,
        input_tokens=used.input if used.tells_tokens else None,
        output_tokens=used.output if used.tells_tokens else None,
        cached_tokens=used.cached if used.tells_tokens else None,
        cost_usd=used.cost_usd if used.tells_cost else None,
        tests=tests,
        files_changed=len(turn.facts.observed.changes.paths),
        progress=progress,
        overall=overall,
        agent=turn.agent,
    )
