"""LoopState, View -> facts of a run under way: the state of each phase, what the gate still needs, the present wait."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from dualgate.core.machine.controls import rest_before_trial, wait_of_next_call
from dualgate.core.money.hours import full_hour
from dualgate.core.record.records import View
from dualgate.core.record.session_state import needed
from dualgate.core.team.fallover import delay_of
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import CaseResult
from dualgate.core.values.team import Wait
from dualgate.core.values.vocabulary import PHASES, Phase, Status, Workflow

NO_SIGNAL = "the agent has not said that it is done"
NOT_JUDGED = "the tests pass; the gates are judged at the end of this iteration"


class Mark(StrEnum):
    """The state of a phase in a run."""

    DONE = "done"
    NOW = "now"
    AHEAD = "ahead"
    SKIPPED = "skipped"


def phase_marks(state: LoopState) -> tuple[tuple[Phase, Mark], ...]:
    """Every phase of the workflow with its state, in order."""
    now = None if state.status is Status.COMPLETED else state.phase
    return marks_of(state.workflow, now, state.phases_completed, state.phases_forced)


def marks_of(
    workflow: Workflow, now: Phase | None, completed: Collection[Phase], forced: Collection[Phase]
) -> tuple[tuple[Phase, Mark], ...]:
    """`now` is the phase that is worked on; None if the session is completed."""

    def mark(phase: Phase) -> Mark:
        if phase in completed:
            return Mark.DONE
        if phase is now:
            return Mark.NOW
        return Mark.SKIPPED if phase in forced else Mark.AHEAD

    return tuple((phase, mark(phase)) for phase in PHASES[workflow])


def still_needed(state: LoopState, view: View) -> tuple[str, ...]:
    """The open conditions of the current phase, by the last measurement; before one, the rule of gate 1.

    Empty for a session that has ended.
    """
    known = needed(state)
    if not known:
        return ()
    if view.gate_1 and not view.gate_2:
        return (NO_SIGNAL,)
    if view.blockers:
        return view.blockers
    if state.phase is not Phase.RED and state.memory.failing and not view.failing:
        return (NOT_JUDGED,)  # the reasons of the last iteration are outdated
    return known


def waits_for(state: LoopState, now: datetime) -> Wait | None:
    """The wait before the next call, with its end and its reason; None if nothing is waited for."""
    if rest := rest_before_trial(state, now):
        return Wait(until=_in(rest, now), reason="the breaker cools down", setting="breaker.cooldown")
    if state.status is not Status.RUNNING:
        return None
    if hour := full_hour(state, now):
        return hour
    if not (delay := delay_of(state, now)):
        return None
    reason = "the limit" if wait_of_next_call(state) else "another try after a failed call"
    return Wait(until=_in(delay, now), reason=reason, setting="")


def _in(seconds: float, now: datetime) -> datetime:
    return now + timedelta(seconds=seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class SinceBaseline:
    """How a test run differs from the one before any work."""

    new: int = 0
    fixed: int = 0
    """Tests that failed before any work and pass now."""


def since_baseline(baseline: Sequence[CaseResult], results: Sequence[CaseResult]) -> SinceBaseline:
    before = {result.id: result.failed for result in baseline}
    new = sum(result.id not in before for result in results)
    fixed = sum(before.get(result.id, False) and not result.failed for result in results)
    return SinceBaseline(new=new, fixed=fixed)
