"""LoopState, the time -> which agent is asked next, and when. One that cannot go on makes way for the next.

The preferred agent of a phase is the first that is named for it. It is asked again as soon as it can be. Who wrote the
code reviews it only where nobody else can.
"""

from datetime import datetime

from dualgate.core.team.failures import REST, failures_of
from dualgate.core.team.pace import limit_end_text, wait_of
from dualgate.core.values.events import AgentSwitched
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Phase

PATIENCE = 300.0
"""Seconds for which an agent is waited for although another could be asked at once."""
REVIEW_PATIENCE = 6 * 3600.0
"""Seconds for which another reviewer that met a limit is waited for: a plan's window. After it, authors review."""


def candidates(state: LoopState) -> tuple[str, ...]:
    """Who may be asked in the present phase, the preferred first."""
    named = state.lineup.of(state.phase)
    if state.phase is not Phase.QA:
        return named
    wrote = authors(state)
    if all(name in wrote for name in named):
        named = tuple(dict.fromkeys((*named, *state.lineup.of(Phase.GREEN))))
    return tuple(sorted(named, key=lambda name: wrote.index(name) if name in wrote else -1))


def authors(state: LoopState) -> tuple[str, ...]:
    """Who wrote the code, or will, as far as is known; the last of them last."""
    return state.writers or state.lineup.of(Phase.GREEN)[:1]


def asked_agent(state: LoopState) -> str:
    """Who is asked in the present phase; empty where the session is older than the names of agents."""
    able = candidates(state)
    chosen = state.chosen.get(state.phase, "")
    return chosen if chosen in able else able[0] if able else ""


def other_reviewer(state: LoopState, now: datetime) -> str | None:
    """Who else than the agent that is asked can review at present; None where nobody can."""
    review = replace(state, phase=Phase.QA)
    agent = _best(review, now)
    return agent if agent and agent != asked_agent(state) and agent not in state.outs else None


def has_next(state: LoopState) -> bool:
    """Whether somebody else may be asked; who met a limit may be, since that ends by itself."""
    asked = asked_agent(state)
    return any(name != asked and name not in state.outs for name in candidates(state))


def next_switch(state: LoopState, now: datetime) -> AgentSwitched | None:
    """The change of agents that is due; None where it stays as it is."""
    before, agent = asked_agent(state), _best(state, now)
    if agent == before:
        return None
    reason = _why_not(state, before, now) or _why_again(state, agent)
    return AgentSwitched(at=now, phase=state.phase, agent=agent, before=before, reason=reason)


def delay_of(state: LoopState, now: datetime, agent: str = "") -> float:
    """Seconds until an agent may be asked again; where none is named, the one that is asked."""
    return _wait(state, agent or asked_agent(state), now)


def _best(state: LoopState, now: datetime) -> str:
    asked = asked_agent(state)
    able = [name for name in candidates(state) if name not in state.outs or state.outs[name].until]
    waits = {name: _wait(state, name, now) for name in able}
    if state.phase is Phase.QA and state.limits.wait:
        others = (name for name in able if name not in authors(state))
        # one that failed too often is likely to fail again, and a rest of an hour is not worth the wait for that
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
