"""A call whose status block is missing -> the short call that asks for it."""

from typing import TYPE_CHECKING

from dualgate.core.said.blocks import status_form
from dualgate.core.values.answer import AgentCall, call_token
from dualgate.core.values.claim import Claim
from dualgate.core.values.state import LoopState

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATE = "FOLLOW_UP.md"
_ANSWER_SHOWN = 2000


def plan_follow_up(state: LoopState, first: AgentCall, said: str, claim: Claim, templates: "Environment") -> AgentCall:
    """`said` is the first answer: its end is shown to agents that cannot continue their session."""
    number = state.total_agent_calls + 1
    return AgentCall(
        number=number,
        ordinal=first.ordinal,
        phase=first.phase,
        iteration=first.iteration,
        session_id=first.session_id,
        prompt=templates.get_template(TEMPLATE).render(
            phase=first.phase,
            problems=claim.problems,
            answer="\n".join(f"    {line}" for line in said.strip()[-_ANSWER_SHOWN:].splitlines()),
            form=status_form(first.phase, call_token(first.session_id, number)),
        ),
        follows=first.number,
    )
