"""Event, LoopState before and after it -> notices of the moments that a person or a command waits for."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dualgate.core.gates.halts import HALTS
from dualgate.core.machine.approving import waits_for_approval, why_paused
from dualgate.core.machine.controls import ways_on
from dualgate.core.team.pace import limit_end_text
from dualgate.core.values.approvals import WorkApproved, WorkRejected
from dualgate.core.values.events import BaselineTaken, Event, PhaseSkipped, ProvenAgain, TurnEnded
from dualgate.core.values.shapes import (
    ANY_TEXT,
    MOMENT,
    NUMBER,
    SOME_TEXT,
    Schema,
    closed,
    integer,
    list_of,
    or_null,
    words,
)
from dualgate.core.values.state import LoopState
from dualgate.core.values.team import AgentSwitched
from dualgate.core.values.vocabulary import QUEUE_MOMENTS, Decision, Moment, Phase, Status

FORMAT = 1
_ENDS: Mapping[Decision, str] = {
    Decision.NEXT_PHASE: "passed: both gates are open",
    Decision.PROJECT_COMPLETE: "passed: both gates are open",
    Decision.REJECTED: "ended: the review rejects the work",
    Decision.REWRITE_TESTS: "ended: tests must be rewritten",
    Decision.KEEP_TESTS: "ended: the tests stay as they were",
}
_YES_OR_NO: Schema = {"type": "boolean"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    moment: Moment
    at: datetime
    phase: Phase
    text: str
    """One sentence."""


def notices_after(event: Event, before: LoopState | None, after: LoopState) -> tuple[Notice, ...]:
    """The notices of an event, in order. `before` is None for the first event of a run."""
    if before is None:
        return ()
    if isinstance(event, BaselineTaken):  # the first phase starts once the state before any work is known
        return (_started(event, after),)
    return (*_limits(event, before, after), *_phases(event, before, after), *_ends(event, before, after))


def notice_document(notice: Notice, state: LoopState, project: str, folder: str) -> dict[str, Any]:
    """The JSON object that webhooks and commands receive."""
    used = state.spending.total
    return {
        "format": FORMAT,
        "moment": notice.moment.value,
        "text": f"dualgate: {notice.text}",
        "at": notice.at.isoformat(),
        "project": project,
        "specification": state.prp_file,
        "session_id": state.session_id,
        "session": folder,
        "phase": notice.phase.value,
        "iteration": state.iteration,
        "status": state.status.value,
        "proven": state.proven,
        "reason": _reason(state),
        "calls": state.total_agent_calls,
        "tokens": used.tokens if used.tells_tokens else None,
        "cost": used.cost_usd if used.tells_cost else None,
        "next": [command for _, command in ways_on(state)],
    }


def notice_schema() -> Schema:
    return closed(
        {
            "format": {"const": FORMAT},
            "moment": words(each for each in Moment if each not in QUEUE_MOMENTS),
            "text": SOME_TEXT,
            "at": MOMENT,
            "project": SOME_TEXT,
            "specification": ANY_TEXT,
            "session_id": SOME_TEXT,
            "session": SOME_TEXT,
            "phase": words(Phase),
            "iteration": integer(),
            "status": words(Status),
            "proven": _YES_OR_NO,
            "reason": or_null(ANY_TEXT),
            "calls": integer(),
            "tokens": or_null(integer()),
            "cost": or_null(NUMBER),
            "next": list_of(SOME_TEXT),
        }
    )


def _started(event: Event, state: LoopState) -> Notice:
    return Notice(moment=Moment.PHASE_STARTED, at=event.at, phase=state.phase, text=f"{state.phase} started")


def _phases(event: Event, before: LoopState, after: LoopState) -> tuple[Notice, ...]:
    is_left = after.phase is not before.phase
    if not is_left and (after.status is not Status.COMPLETED or before.status is Status.COMPLETED):
        return ()
    ended = Notice(moment=Moment.PHASE_ENDED, at=event.at, phase=before.phase, text=_how_ended(event, before.phase))
    return (ended, _started(event, after)) if is_left else (ended,)


def _how_ended(event: Event, phase: Phase) -> str:
    if isinstance(event, PhaseSkipped):
        return f"{phase} skipped by {event.by}, not proven"
    if isinstance(event, WorkApproved | WorkRejected):
        return f"{phase} {'passed: approved' if isinstance(event, WorkApproved) else 'ended: rejected'} by {event.by}"
    turn = event.turn if isinstance(event, ProvenAgain) else event
    return f"{phase} {_ENDS[turn.move.decision] if isinstance(turn, TurnEnded) else 'ended'}"


def _limits(event: Event, before: LoopState, after: LoopState) -> tuple[Notice, ...]:
    was, now = _limit(before), _limit(after)
    if bool(was) is bool(now) or after.status is not Status.RUNNING or isinstance(event, AgentSwitched):
        return ()
    moment, text = (Moment.LIMIT_REACHED, now) if now else (Moment.LIMIT_LIFTED, "limit lifted; the run continues")
    return (Notice(moment=moment, at=event.at, phase=after.phase, text=text),)


def _limit(state: LoopState) -> str:
    """The limit that the next call waits for, in words; empty if there is none."""
    if state.waiting:
        return f"waiting until {state.waiting.until:%H:%M}: {state.waiting.reason}"
    if not state.failures.limited_calls:
        return ""
    end = limit_end_text(state.failures, state.limits, state.session_id)
    return f"{state.agent or 'the agent'} reached a limit; waiting{end or ' for it to end'}"


def _ends(event: Event, before: LoopState, after: LoopState) -> tuple[Notice, ...]:
    if after.status is before.status or after.status is Status.RUNNING:
        return ()
    moment, text = _end(after)
    return (Notice(moment=moment, at=event.at, phase=after.phase, text=text),)


def _end(state: LoopState) -> tuple[Moment, str]:
    if state.status is Status.PAUSED:
        if waits_for_approval(state):
            return Moment.APPROVAL, f"finished; {why_paused(state)}"
        return Moment.PAUSED, f"paused in {state.phase}"
    if state.status is Status.COMPLETED:
        return Moment.COMPLETED, "completed and proven" if state.proven else f"completed, not proven: {_reason(state)}"
    is_blocked = state.halted_by is not None and HALTS[state.halted_by].decision is Decision.BLOCKED
    return Moment.BLOCKED if is_blocked else Moment.HALTED, f"halted in {state.phase}: {state.halt_reason}"


def _reason(state: LoopState) -> str | None:
    """Why the run halted or paused, or is not proven."""
    skipped = tuple(f"{phase} was skipped" for phase in state.phases_forced)
    return state.halt_reason or state.pause_reason or "; ".join((*skipped, *state.unproven)) or None
