"""Specification, LoopState, templates -> prompt text. Only here does one iteration reach the agent of the next."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dualgate.core.gates.reactions import prompt_size
from dualgate.core.prompt.detail import DETAILS, Detail, criteria_list, situation
from dualgate.core.prompt.document import SHARE, Document, document_for
from dualgate.core.prompt.review import ShownDiffs, fitting_diffs, review_words
from dualgate.core.said.amendment_requests import amendments_left
from dualgate.core.said.blocks import emit_ralph_status, fitting_tests_status
from dualgate.core.said.work_report import PACKETS
from dualgate.core.values.answer import AgentCall
from dualgate.core.values.brief import Brief
from dualgate.core.values.ralph_status import RalphStatus
from dualgate.core.values.specification import Kind, Specification
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import Stack
from dualgate.core.values.vocabulary import ROLES, Amend, SuiteStatus, Workflow, WorkStatus, WorkType

if TYPE_CHECKING:
    from jinja2 import Environment

REJECTIONS_SHOWN = 3
NOTHING_TO_ADD = Brief()
TEMPLATES = {Workflow.TDD: "turn.md", Workflow.RALPH: "ralph_turn.md"}


def prepare(sources: Mapping[str, str]) -> "Environment":
    """The templates, ready to render. A missing variable is an error, not a blank."""
    from jinja2 import DictLoader, Environment, StrictUndefined

    return Environment(
        loader=DictLoader(dict(sources)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def plan_call(
    prp: Specification, state: LoopState, templates: "Environment", brief: Brief = NOTHING_TO_ADD
) -> AgentCall:
    visit = state.visit(state.phase)
    return AgentCall(
        number=state.total_agent_calls + 1,
        ordinal=visit.calls + 1 if visit else 1,
        phase=state.phase,
        iteration=state.iteration + 1,
        session_id=state.session_id,
        prompt=write_prompt(prp, state, templates, brief),
        recalled=brief.recalled,
    )


def write_prompt(prp: Specification, state: LoopState, templates: "Environment", brief: Brief = NOTHING_TO_ADD) -> str:
    """The most detailed prompt that fits, else the shortest one. Specification and diffs have sizes of their own."""
    size = prompt_size(state.limits, state.failures.full_contexts)
    document, diffs = document_for(prp, SHARE * size), fitting_diffs(brief.diffs, size)
    text = ""
    for detail in DETAILS:
        text = _rendered(prp, state, templates, detail, document, brief, diffs)
        if len(text) - len(document.text) - diffs.size <= size:
            break
    return text


def _rendered(
    prp: Specification,
    state: LoopState,
    templates: "Environment",
    detail: Detail,
    document: Document,
    brief: Brief,
    diffs: ShownDiffs,
) -> str:
    criteria = criteria_list(prp, state)
    frozen = sorted({result.file for result in state.proof.proven or () if result.file})
    return templates.get_template(TEMPLATES[state.workflow]).render(
        prp=prp,
        file=state.prp_file,
        document=document,
        plan=state.plan,
        phase=state.phase,
        role=ROLES[state.phase],
        iteration=state.iteration + 1,
        max_iterations=state.max_iterations,
        frozen=frozen[: detail.listed],
        frozen_left_out=max(0, len(frozen) - detail.listed),
        kept=state.proof.kept_criteria,
        criteria=criteria,
        reviewed=[row for row in criteria if row.kind is Kind.REVIEW],
        recalled=brief.recalled[: detail.listed],
        rejections=[rejection.reason for rejection in state.rejections[-REJECTIONS_SHOWN:]],
        amendments_left=amendments_left(state),
        by_person=state.limits.amend is Amend.HUMAN,
        example=_example(state),
        packets=PACKETS[state.phase],
        **situation(prp, state, detail),
        **review_words(prp, state, brief, detail, diffs),
    )


def _example(state: LoopState) -> str:
    """The answer that ends this phase. It is indented, so that quoting it does not count as giving it."""
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


TEMPLATE = "ralph.md"
GENERIC = Stack(
    name="generic",
    sign="",
    install="[command that installs what the project needs]",
    test="[command that runs all tests]",
    check="[command that checks format and types]",
    layout="[where code and tests are]",
)
EXAMPLE = RalphStatus(
    status=WorkStatus.IN_PROGRESS,
    tasks_completed=1,
    files_modified=3,
    tests_status=SuiteStatus.PASSING,
    work_type=WorkType.IMPLEMENTATION,
    exit_signal=False,
    recommendation="Next: check the input of the login form",
)


def render_ralph_prompt(stack: Stack, templates: "Environment") -> str:
    """The template for one stack. Its example has EXIT_SIGNAL false, so that quoting it ends nothing."""
    return templates.get_template(TEMPLATE).render(stack=stack, example=emit_ralph_status(EXAMPLE))
