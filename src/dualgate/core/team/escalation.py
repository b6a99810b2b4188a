"""LoopState -> which stronger model or other agent takes over in a phase without progress. Only those configured may.

Each takes over once in a phase and stays in it. An agent never takes over the review of code that it wrote.
"""

from dualgate.core.team.fallover import asked_agent, authors
from dualgate.core.values.events import TurnEnded
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState
from dualgate.core.values.team import Escalation
from dualgate.core.values.vocabulary import BreakerState, HaltCause, Phase

ESCALATED = frozenset({HaltCause.NO_PROGRESS, HaltCause.SAME_ERROR, HaltCause.SAME_ANSWER})
"""The halts before which another agent is tried."""


def next_step(state: LoopState) -> str:
    """The agent that takes over next; empty if none is left for this phase."""
    barred = {asked_agent(state), *state.outs, *tried(state)} | (
        {*authors(state)} if state.phase is Phase.QA else set()
    )
    return next((name for name in state.lineup.escalation.get(state.phase, ()) if name not in barred), "")


def tried(state: LoopState) -> tuple[str, ...]:
    """The agents that took over in this phase so far."""
    return tuple(each.agent for each in state.escalations if each.phase is state.phase)


def escalated(state: LoopState, turn: TurnEnded) -> LoopState:
    """The state after a move that lets another agent take over: the breaker is half open, its counts begin again."""
    move = turn.move
    step = Escalation(
        at=turn.at,
        phase=move.phase,
        iteration=turn.facts.iteration,
        agent=move.escalates_to,
        before=turn.agent or asked_agent(state),
        reason=move.why_escalated,
    )
    breaker = replace(
        state.breaker, state=BreakerState.HALF_OPEN, no_progress=0, same_error=0, last_error="", on_trial=False
    )
    chosen = {phase: name for phase, name in state.chosen.items() if phase is not move.phase}
    failures = replace(state.failures, errors=())
    return replace(state, escalations=(*state.escalations, step), breaker=breaker, chosen=chosen, failures=failures)
