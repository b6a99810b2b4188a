"""Event, LoopState -> Metrics: one row for each turn, with what it took, what it cost and what came of it."""

from dataclasses import dataclass
from datetime import datetime

from dualgate.core.values.events import CallEnded, CallStarted, Event, SuiteEnded, TurnEnded
from dualgate.core.values.phase_status import CaseCounts
from dualgate.core.values.replacing import replace
from dualgate.core.values.spending import Used
from dualgate.core.values.vocabulary import Decision, Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One turn. What the agent does not tell, its tokens and their cost, is None and not guessed."""

    at: datetime
    call: int
    phase: Phase
    iteration: int
    decision: Decision
    agent_seconds: float
    test_seconds: float
    test_runs: int
    calls: int
    """All that were made since the turn before: one that was cut off, one about a test."""
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cost_usd: float | None
    tests: CaseCounts
    files_changed: int
    progress: int
    overall: int
    agent: str = ""
    """Who was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What the turn under way has taken so far."""

    call: int = 0
    agent_seconds: float = 0.0
    test_seconds: float = 0.0
    test_runs: int = 0


def spent_after(spent: Spent, event: Event, phase: Phase) -> Spent:
    """`phase` is that of the run: a call for another one is made in the middle of the turn, about a test."""
    match event:
        case CallStarted() if event.phase is phase:
            return Spent(call=event.number)
        case CallEnded():
            return replace(spent, agent_seconds=round(spent.agent_seconds + event.seconds, 3))
        case SuiteEnded(known=False):
            seconds = round(spent.test_seconds + event.report.seconds, 3)
            return replace(spent, test_seconds=seconds, test_runs=spent.test_runs + 1)
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
