"""LoopState, the time -> which agent is asked next, and when. If an agent cannot continue, the next takes over.

The preferred agent of a phase is the first one named for it. It is asked again as soon as possible. An agent reviews
its own code only if no other agent can.
"""

from datetime import datetime

from dualgate.core.team.failures import REST, failures_of
from dualgate.core.team.pace import limit_end_text, wait_of
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState
from dualgate.core.values.team import AgentSwitched
from dualgate.core.values.vocabulary import Phase

PATIENCE = 300.0
"""Seconds to wait for an agent although another could be asked at once."""
REVIEW_PATIENCE = 6 * 3600.0
"""Seconds to wait for another reviewer that met a limit (a plan's window). After it, authors review."""


def candidates(state: LoopState) -> tuple[str, ...]:
    """Agents that may be asked in the current phase, the preferred first."""
    named = state.lineup.of(state.phase)
    if stronger := in_charge(state):
        named = (stronger, *(name for name in named if name != stronger))
    if state.phase is not Phase.QA:
        return named
    wrote = authors(state)
    if all(name in wrote for name in named):
        named = tuple(dict.fromkeys((*named, *state.lineup.of(Phase.GREEN))))
    return tuple(sorted(named, key=lambda name: wrote.index(name) if name in wrote else -1))


def in_charge(state: LoopState) -> str:
    """The agent that took over in this phase for lack of progress; empty if none did or it is not configured now."""
    last = next((each.agent for each in reversed(state.escalations) if each.phase is state.phase), "")
    return last if last in state.lineup.escalation.get(state.phase, ()) else ""


def authors(state: LoopState) -> tuple[str, ...]:
    """Agents that wrote the code, the latest last; before that, the agent expected to write it."""
    return state.writers or state.lineup.of(Phase.GREEN)[:1]


def asked_agent(state: LoopState) -> str:
    """Return the agent of the current phase; empty for old sessions without agent names."""
    able = candidates(state)
    chosen = state.chosen.get(state.phase, "")
    return chosen if chosen in able else able[0] if able else ""


def other_reviewer(state: LoopState, now: datetime) -> str | None:
    """Return another agent that can review now; None if there is none."""
    review = replace(state, phase=Phase.QA)
    agent = _best(review, now)
    return agent if agent and agent != asked_agent(state) and agent not in state.outs else None


def has_other_reviewer(state: LoopState) -> bool:
    """Whether another agent can review; one that met a limit counts, since the limit ends by itself."""
    asked = asked_agent(state)
    return any(name != asked and name not in state.outs for name in candidates(replace(state, phase=Phase.QA)))


def has_next(state: LoopState) -> bool:
    """Whether another agent may be asked; one that met a limit counts, since the limit ends by itself."""
    asked = asked_agent(state)
    return any(name != asked and name not in state.outs for name in candidates(state))


def next_switch(state: LoopState, now: datetime) -> AgentSwitched | None:
    """Return the switch of agents that is due; None if the agent stays."""
    before, agent = asked_agent(state), _best(state, now)
    if agent == before:
        return None
    reason = _why_not(state, before, now) or _why_again(state, agent)
    return AgentSwitched(at=now, phase=state.phase, agent=agent, before=before, reason=reason)


def delay_of(state: LoopState, now: datetime, agent: str = "") -> float:
    """Seconds until an agent may be asked again; by default the agent of the current phase."""
    return _wait(state, agent or asked_agent(state), now)


def _best(state: LoopState, now: datetime) -> str:
    asked = asked_agent(state)
    able = [name for name in candidates(state) if name not in state.outs or state.outs[name].until]
    waits = {name: _wait(state, name, now) for name in able}
    if state.phase is Phase.QA and state.limits.wait:
        others = (name for name in able if name not in authors(state))
        # an agent that failed too often will likely fail again, so it is not worth waiting an hour for
        able = [name for name in others if waits[name] <= (PATIENCE if name in state.outs else REVIEW_PATIENCE)] or able
    ready = [name for name in able if waits[name] <= (_patience(state, name) if name == asked else 0.0)]
    return (ready or sorted(able, key=lambda name: waits[name]) or [asked])[0]


def _patience(state: LoopState, agent: str) -> float:
    if agent in state.outs:
        return 0.0
    return PATIENCE if state.limits.wait or not failures_of(state, agent).limited_calls else 0.0


def _wait(state: LoopState, agent: str, now: datetime) -> float:
    out = state.outs.get(agent)
    if out and out.until:
        return min(REST.total_seconds(), max(0.0, (out.until - now).total_seconds()))
    return 0.0 if out else wait_of(failures_of(state, agent), state.limits, state.session_id, now)


def _why_not(state: LoopState, agent: str, now: datetime) -> str:
    if out := state.outs.get(agent):
        return out.reason
    failures = failures_of(state, agent)
    if not failures.trouble or not _wait(state, agent, now):
        return ""
    return f"{failures.trouble}{limit_end_text(failures, state.limits, state.session_id)}"


def _why_again(state: LoopState, agent: str) -> str:
    return "it can be asked again" if agent == candidates(state)[0] else "it is the next"
