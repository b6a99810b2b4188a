"""Calls -> the agent's own session that the next call goes on with, live and from the journal alike."""

from dualgate.core.gates.reactions import REACTIONS
from dualgate.core.values.answer import AgentCall, Answer, Thread, Usage
from dualgate.core.values.events import CallEnded, Event
from dualgate.core.values.state import LoopState


def continued(thread: Thread | None, call: AgentCall) -> Thread | None:
    """The session that a call goes on with. A call in between, of another agent or one that was cut off, ends it."""
    if thread is None:
        return None
    place = (thread.owner, thread.phase, thread.number + 1)
    return thread if place == (call.session_id, call.phase, call.number) else None


def after_answer(answer: Answer, place: Thread, before: Thread | None) -> Thread | None:
    """The session in its new place; None where it is not to be gone on with."""
    survives = answer.failure is None or REACTIONS[answer.failure.kind].keeps_session
    session = answer.session_id or (before.session if before else "")
    if not survives or not session:
        return None
    used = before.usage if before and before.session == session else Usage()
    return Thread(
        owner=place.owner,
        phase=place.phase,
        number=place.number,
        agent=answer.agent or place.agent,
        session=session,
        usage=_more(used, answer.usage or Usage()),
    )


def after_event(thread: Thread | None, event: Event, state: LoopState) -> Thread | None:
    """As the journal tells it."""
    if not isinstance(event, CallEnded):
        return thread
    place = Thread(owner=state.session_id, phase=event.phase or state.phase, number=event.number)
    return after_answer(event.answer, place, thread)


def _more(usage: Usage, more: Usage) -> Usage:
    return Usage(input=usage.input + more.input, output=usage.output + more.output, cached=usage.cached + more.cached)
