"""Prp, LoopState, templates -> prompt text. The only arrow back: this turn's state into the next turn's words."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dualgate.core.blocks import RalphStatus, WorkStatus, WorkType, emit_ralph_status, fitting_tests_status
from dualgate.core.prp import Prp
from dualgate.core.state import LoopState
from dualgate.core.vocabulary import ROLES, AgentCall

if TYPE_CHECKING:
    from jinja2 import Environment

FAILING_SHOWN = 20
EXCERPT_LINES = 12


def prepare(sources: Mapping[str, str]) -> "Environment":
    """The templates, ready to be filled. A word that is missing is an error, not a blank."""
    from jinja2 import DictLoader, Environment, StrictUndefined

    return Environment(
        loader=DictLoader(dict(sources)), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )


def plan_call(prp: Prp, state: LoopState, templates: "Environment") -> AgentCall:
    visit = state.visit(state.phase)
    return AgentCall(
        number=state.total_agent_calls + 1,
        ordinal=visit.calls + 1 if visit else 1,
        phase=state.phase,
        iteration=state.iteration + 1,
        session_id=state.session_id,
        prompt=write_prompt(prp, state, templates),
    )


def write_prompt(prp: Prp, state: LoopState, templates: "Environment") -> str:
    return templates.get_template("turn.md").render(
        prp=prp,
        phase=state.phase,
        role=ROLES[state.phase],
        iteration=state.iteration + 1,
        max_iterations=state.max_iterations,
        memory=state.memory,
        failing=[(result.id, _excerpt(result.message)) for result in state.memory.failing[:FAILING_SHOWN]],
        failing_left_out=max(0, len(state.memory.failing) - FAILING_SHOWN),
        frozen=sorted({result.file for result in state.proof.proven or () if result.file}),
        failing_before=sorted(result.id for result in state.proof.baseline if result.failed),
        removed=state.proof.removed,
        rejections=[rejection.reason for rejection in state.rejections],
        example=_example(state),
    )


def _excerpt(message: str) -> str:
    lines = message.splitlines()
    return "\n".join(f"    {line}" for line in lines[-EXCERPT_LINES:])


def _example(state: LoopState) -> str:
    """The answer that would end this phase. Indented, so that an agent who quotes it has not given it."""
    block = emit_ralph_status(
        RalphStatus(
            status=WorkStatus.COMPLETE,
            tasks_completed=1,
            files_modified=2,
            tests_status=fitting_tests_status(state.phase),
            work_type=WorkType.IMPLEMENTATION,
            exit_signal=True,
            recommendation="one line: what is done, or what comes next",
        )
    )
    return "\n".join(f"    {line}" for line in block.splitlines())
