"""LoopState -> LoopState as agents take turns: what is counted for each by itself, and who is not asked for now."""

from datetime import datetime, timedelta
from typing import Any

from dualgate.core.gates.reactions import Response
from dualgate.core.values.events import AgentSwitched
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState
from dualgate.core.values.team import COUNTED, Out, Standing
from dualgate.core.values.vocabulary import Status

REST = timedelta(hours=1)
"""After so long an agent that failed too often in a row is tried again, where another did the work meanwhile."""


def switched(state: LoopState, event: AgentSwitched) -> LoopState:
    state = with_agent(state, event.agent, event.at)
    outs = {name: out for name, out in state.outs.items() if name != event.agent}
    return replace(state, chosen={**state.chosen, event.phase: event.agent}, outs=outs, last_switch=event)


def with_agent(state: LoopState, agent: str, now: datetime) -> LoopState:
    """The state of a run that asks this agent: what is counted in a row is counted for each by itself."""
    return replace(state, **counts_of(state, agent, now))


def counts_of(state: LoopState, agent: str, now: datetime) -> dict[str, Any]:
    """What changes in the state when this agent is asked; nothing where it was before."""
    if agent == state.agent:
        return {}
    benched = {**state.benched, state.agent: standing_of(state, state.agent)} if state.agent else dict(state.benched)
    standing = benched.pop(agent, Standing())
    if agent in state.outs:
        standing = Standing(full_contexts=standing.full_contexts)
    elif standing.limited_until and standing.limited_until <= now:
        standing = replace(standing, limited_calls=0, limited_until=None)
    return {"agent": agent, "benched": benched} | {name: getattr(standing, name) for name in COUNTED}


def standing_of(state: LoopState, agent: str) -> Standing:
    if agent in (state.agent, "") or not state.agent:
        return Standing(**{name: getattr(state, name) for name in COUNTED})
    return state.benched.get(agent, Standing())


def out_after(response: Response, reason: str, now: datetime) -> Out:
    """For how long an agent is not asked that was given up."""
    match response:
        case Response.GIVE_UP:
            return Out(reason=reason)
        case Response.NUDGE | Response.SHRINK:
            return Out(reason=reason, for_phase=True)
        case Response.RETRY | Response.WAIT:
            return Out(reason=reason, until=now + REST)


def looked_after(state: LoopState) -> LoopState:
    """After a pause or a halt nobody is out: who was begins anew, and after a halt everybody does."""
    is_halted = state.status is Status.HALTED
    benched = {
        name: _begun_anew(standing) if is_halted or name in state.outs else standing
        for name, standing in state.benched.items()
    }
    own = standing_of(state, state.agent)
    own = _begun_anew(own) if is_halted or state.agent in state.outs else own
    blocked = 0 if is_halted else state.blocked_in_a_row
    return replace(
        state, outs={}, benched=benched, blocked_in_a_row=blocked, **{name: getattr(own, name) for name in COUNTED}
    )


def _begun_anew(standing: Standing) -> Standing:
    """Of a limit whose end nobody told, the person who goes on knows more than we do."""
    limited = standing.limited_calls if standing.limited_until else 0
    return replace(standing, failed_calls=0, empty_calls=0, refused_calls=0, full_contexts=0, limited_calls=limited)


def in_new_phase(state: LoopState) -> LoopState:
    """What an agent refused, or could not hold, was the work of one phase."""
    outs = {name: out for name, out in state.outs.items() if not out.for_phase}
    benched = {name: replace(standing, full_contexts=0, refused_calls=0) for name, standing in state.benched.items()}
    return replace(state, outs=outs, benched=benched, full_contexts=0, refused_calls=0)
