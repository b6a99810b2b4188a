"""Gathered, Activity, the time -> RunView: every text and number that the live view of a run shows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import TypeVar

from dualgate.core.money.allowances import show_cost
from dualgate.core.record.run_facts import Mark, SinceBaseline, phase_marks, still_needed, waits_for
from dualgate.core.record.session_state import current_iteration
from dualgate.core.values.control import Activity
from dualgate.core.values.notation import show_duration
from dualgate.core.values.phase_status import CaseCounts
from dualgate.core.values.reviews import FindingState
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import BreakerState, Phase, Status
from dualgate.display.findings import place_of
from dualgate.display.lines import shown_count, shown_time
from dualgate.display.view.gathered import Gathered, Work

BREAKERS = {BreakerState.CLOSED: "closed", BreakerState.HALF_OPEN: "half open", BreakerState.OPEN: "open"}
IDLE = {Work.CALL: "at work", Work.TESTS: "starting", Work.PROBES: "starting", Work.CHECK: "starting"}
OURSELVES = "dualgate"
MOST_LINES = 3
Amount = TypeVar("Amount", int, float)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLimits:
    """Seconds that one call and one test run may take."""

    call: float | None = None
    tests: float | None = None

    def of(self, work: Work) -> float | None:
        return {Work.CALL: self.call, Work.TESTS: self.tests}.get(work)


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """The panel that a person opened: help, the log of activities, or the line in which they write guidance."""

    helps: bool = False
    log: tuple[str, ...] = ()
    guidance: str | None = None
    notice: str = ""
    """The answer to the last key."""
    has_keys: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    title: str
    session: str
    status: Status
    phases: tuple[tuple[Phase, Mark], ...]
    iteration: str
    tests: CaseCounts
    since_baseline: SinceBaseline
    failing: tuple[str, ...]
    who: str
    doing: str
    elapsed: str
    """Of the present step, as are its limit and its tokens; empty without these."""
    limit: str
    tokens: str
    done: int
    steps: int
    waits: str
    needs: tuple[str, ...]
    caught: tuple[str, ...]
    findings: tuple[str, ...]
    totals: tuple[str, ...]
    breaker: str
    """Its state, and the iterations without progress; empty while it is closed and there is progress."""
    is_breaker_closed: bool
    panel: Panel


def run_view(gathered: Gathered, activity: Activity | None, now: datetime, limits: TimeLimits, panel: Panel) -> RunView:
    state, view = gathered.state, gathered.view
    return RunView(
        title=state.prp_file,
        session=state.session_id[:8],
        status=state.status,
        phases=phase_marks(state),
        iteration=f"{current_iteration(state)}/{state.max_iterations}",
        tests=view.tests,
        since_baseline=gathered.tests,
        failing=view.failing,
        who=gathered.present.who or (activity.source if activity else gathered.present.work.value) or OURSELVES,
        doing=_doing(gathered, activity),
        elapsed=shown_time(max(0.0, (now - gathered.present.since).total_seconds())),
        limit=show_duration(limit) if (limit := limits.of(gathered.present.work)) else "",
        tokens=f"{shown_count(activity.tokens)} tokens" if activity and activity.tokens else "",
        done=activity.done if activity else 0,
        steps=activity.total if activity else 0,
        waits=_waits(state, now),
        needs=still_needed(state, view)[:MOST_LINES],
        caught=gathered.violations[-MOST_LINES:],
        findings=_findings(state)[:MOST_LINES],
        totals=tuple(_totals(state, now)),
        breaker=_breaker(state),
        is_breaker_closed=state.breaker.state is BreakerState.CLOSED,
        panel=panel,
    )


def _breaker(state: LoopState) -> str:
    breaker, most = state.breaker, state.limits.of(state.phase).no_progress
    if breaker.state is BreakerState.CLOSED and not breaker.no_progress:
        return ""
    return f"{BREAKERS[breaker.state]}, {breaker.no_progress} of {most} iterations without progress"


def _doing(gathered: Gathered, activity: Activity | None) -> str:
    if activity and (activity.text or activity.total):
        return activity.text
    return IDLE.get(gathered.present.work, "at work")


def _waits(state: LoopState, now: datetime) -> str:
    wait = waits_for(state, now)
    if wait is None:
        return ""
    return f"for {wait.reason}, {countdown((wait.until - now).total_seconds())} left"


def countdown(seconds: float) -> str:
    """0:07, 12:34, 3:59:20."""
    minutes, rest = divmod(max(0, ceil(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _findings(state: LoopState) -> tuple[str, ...]:
    """Open findings of reviews: severity, place and description."""
    requests = (each.request for each in state.reviews.findings if each.state is FindingState.OPEN)
    return tuple(" ".join(filter(None, (each.severity, place_of(each), each.description))) for each in requests)


def _totals(state: LoopState, now: datetime) -> Iterator[str]:
    """Time, tokens and cost of the run, each with its budget if there is one; and the calls."""
    limits, used = state.limits, state.spending.total
    since = max(0.0, (now - state.last_activity).total_seconds()) if state.status is Status.RUNNING else 0.0
    yield _of(shown_time(state.seconds_worked + since), limits.max_duration and show_duration(limits.max_duration))
    if used.tells_cost or not used.calls:
        yield from _of_budget(used.cost_usd, limits.max_cost, show_cost)
    elif limits.max_cost:
        yield f"cost unknown, budget {show_cost(limits.max_cost)}"
    if used.tells_tokens or not used.calls:
        yield from (f"{text} tokens" for text in _of_budget(used.tokens, limits.max_tokens, shown_count))
    elif limits.max_tokens:
        yield f"tokens unknown, budget {shown_count(limits.max_tokens)}"
    if used.calls:
        yield f"{used.calls} {'call' if used.calls == 1 else 'calls'}"


def _of_budget(amount: Amount, most: Amount | None, show: Callable[[Amount], str]) -> Iterator[str]:
    """An amount with its budget; nothing if there is neither."""
    if amount or most:
        yield _of(show(amount), most and show(most))


def _of(amount: str, most: str | float | None) -> str:
    return f"{amount} of {most}" if most else amount
