"""LoopState, a person's decision -> LoopState: amendments, finished work and questions that wait for a person."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from textwrap import shorten
from typing import Any

from dualgate.core.gates.halts import decision_of
from dualgate.core.machine.phases import RETURNS, send_back
from dualgate.core.said.amendment_requests import obstacles, person_needed, waiting, waiting_functions
from dualgate.core.values.amendments import Amendment, AmendmentOutcome
from dualgate.core.values.approvals import AmendmentAnswered, QuestionAnswered, WorkApproved, WorkRejected
from dualgate.core.values.case_names import function_of
from dualgate.core.values.events import SessionHalted
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState, Memory, Rejection
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import Amend, HaltCause, Status, WayOn

PersonsDecision = AmendmentAnswered | WorkApproved | WorkRejected | QuestionAnswered

APPROVE_COMMAND = "dualgate approve"
REJECT_COMMAND = "dualgate reject 'REASON'"
FINISHED = f"The work is finished and waits for approval. Use: {APPROVE_COMMAND}, or: {REJECT_COMMAND}"
WAITS_FOR_APPROVAL = f"waits for approval: {APPROVE_COMMAND} | {REJECT_COMMAND}"
_QUESTION_SHOWN = 300


class DecidableKind(StrEnum):
    AMENDMENT = "amendment"
    WORK = "work"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decidable:
    """A thing that a person can approve or reject."""

    id: str
    """The number of an amendment, or `work`."""
    kind: DecidableKind
    title: str
    target: str = ""
    """The test whose change is asked for; empty for finished work."""
    notes: tuple[str, ...] = ()
    diff: str = ""
    tree: str = ""
    """The work tree of finished work."""


def decidable(state: LoopState) -> tuple[Decidable, ...]:
    """The things that wait for a person to approve or reject them."""
    if waits_for_approval(state):
        standing = tuple(f"not proven: {reason}" for reason in state.unproven) or ("every criterion is proven",)
        title = f"the finished work of {state.prp_file}"
        return (Decidable(id="work", kind=DecidableKind.WORK, title=title, notes=standing, tree=state.finished_tree),)
    return tuple(
        Decidable(
            id=str(number),
            kind=DecidableKind.AMENDMENT,
            title=f"the change of {each.request.test_id}",
            target=each.request.test_id,
            notes=(each.request.reason, *each.reasons),
            diff=each.request.change,
        )
        for number, each in enumerate(waiting(state), 1)
    )


def waits_for_approval(state: LoopState) -> bool:
    """Whether the work is finished, and a person has to approve it."""
    return bool(state.finished_tree) and state.status is Status.PAUSED


def why_paused(state: LoopState) -> str:
    """The reason of a pause in words, with the commands that decide about finished work."""
    if waits_for_approval(state):
        return WAITS_FOR_APPROVAL
    return (state.pause_reason or "").replace("_", " ")


def open_questions(state: LoopState) -> tuple[str, ...]:
    """The questions of the agent that nobody answered."""
    return () if state.status is Status.COMPLETED else state.memory.questions


def decisions_open(state: LoopState) -> tuple[WayOn, ...]:
    """The decisions that a person can make now."""
    found = decidable(state)
    may_approve = waits_for_approval(state) or not any(obstacles(state))
    ways = {
        WayOn.APPROVE: bool(found) and may_approve,
        WayOn.REJECT: bool(found),
        WayOn.ANSWER: bool(open_questions(state)),
    }
    return tuple(way for way, is_open in ways.items() if is_open)


def why_undecidable(state: LoopState, event: PersonsDecision) -> str | None:
    """Why there is nothing to decide; None if the decision fits the session."""
    match event:
        case AmendmentAnswered():
            return _why_not_amended(state, event)
        case WorkApproved() | WorkRejected():
            return None if waits_for_approval(state) else "No finished work waits for approval."
        case QuestionAnswered():
            return None if open_questions(state) else "No question of the agent is open."


def _why_not_amended(state: LoopState, event: AmendmentAnswered) -> str | None:
    if not any(each.request.test_id == event.test_id for each in waiting(state)):
        return f"No amendment of {event.test_id} waits for a person."
    against = "; ".join(obstacles(state)) if event.approved else ""
    return f"It cannot be approved now: {against}." if against else None


def with_answer(state: LoopState, event: AmendmentAnswered) -> LoopState:
    """The amendment, approved and not proven yet, or refused. The next prompt reports a refusal to the agent."""
    if event.approved:
        values: Mapping[str, Any] = {"outcome": AmendmentOutcome.APPROVED, "approved_by": event.by, "reasons": ()}
    else:
        values = {"outcome": AmendmentOutcome.REFUSED, "reasons": (f"{event.by} rejects it: {event.reason}",)}
    asked = [each for each in waiting(state) if each.request.test_id == event.test_id]
    amendments = tuple(replace(each, **values) if each in asked else each for each in state.amendments)
    closed = next(now for now, was in zip(amendments, state.amendments, strict=True) if was in asked)
    return replace(state, amendments=amendments, memory=replace(state.memory, amendment=closed))


def with_decided(state: LoopState, decided: Amendment) -> LoopState:
    """Add a decision of the run. It replaces the approval of a person, and is then reported to the agent."""
    same = (each for each in state.amendments if each.request.test_id == decided.request.test_id)
    approved = [each for each in same if is_approved(each)]
    if not approved:
        return replace(state, amendments=(*state.amendments, decided))
    amendments = tuple(decided if each in approved else each for each in state.amendments)
    return replace(state, amendments=amendments, memory=replace(state.memory, amendment=decided))


def is_approved(amendment: Amendment) -> bool:
    """Whether a person approved an amendment that is not proven yet."""
    return amendment.outcome is AmendmentOutcome.APPROVED


def latest(amendment: Amendment | None, state: LoopState) -> Amendment | None:
    """An amendment as it stands now: a person may have answered while its turn was cut off."""
    if amendment is None or amendment.outcome is not AmendmentOutcome.WAITING:
        return amendment
    same = (each for each in reversed(state.amendments) if each.request == amendment.request)
    return next(same, amendment)


def answer_text(state: LoopState, event: QuestionAnswered) -> str:
    """The guidance that an answer becomes."""
    asked = shorten(" / ".join(open_questions(state)), _QUESTION_SHOWN, placeholder=" …")
    return f"Answer to the question '{asked}': {event.text}"


def unfinished(state: LoopState) -> LoopState:
    """The state without the end of its last phase: the work is judged again."""
    if not state.finished_tree:
        return state
    visits = tuple(
        replace(visit, completed_at=None, exit_reason=None) if visit.phase is state.phase else visit
        for visit in state.visits
    )
    completed = tuple(phase for phase in state.phases_completed if phase is not state.phase)
    return replace(state, finished_tree="", visits=visits, phases_completed=completed, unproven=())


def sent_back(state: LoopState, event: WorkRejected) -> LoopState:
    """Back to the phase that fixes the work; in BUILD, another iteration. The session waits to be resumed."""
    phase = RETURNS.get((state.phase, Outcome.REJECT), state.phase)
    marks = replace(state.breaker.best, error="", place="")
    back = send_back(unfinished(state), phase, event.at, marks)
    reason = f"{event.by} rejects the finished work: {event.reason}"
    rejections = (*state.rejections, Rejection(at=event.at, reason=reason))
    memory = Memory(reasons=(reason,), rejected=reason)
    return replace(back, rejections=rejections, memory=memory)


def halt_for_person(state: LoopState, now: datetime) -> SessionHalted | None:
    """Halt the run if a person must approve the change of a frozen test, and nothing else is left to do."""
    asked = person_needed(state)
    if not asked or not (state.limits.amend is Amend.HUMAN or _only_waiting_fail(state)):
        return None
    reason = f"{state.phase}: {asked}"
    return SessionHalted(at=now, decision=decision_of(HaltCause.AMENDMENT), cause=HaltCause.AMENDMENT, reason=reason)


def _only_waiting_fail(state: LoopState) -> bool:
    """Whether every test that fails waits for a person: with others, the run goes on."""
    failing = {function_of(result.id) for result in state.memory.failing}
    return bool(failing) and failing <= waiting_functions(state)
