"""Specification, LoopState, templates -> prompt text. Only here does one iteration reach the agent of the next."""

from collections.abc import Mapping, Sequence
from shlex import join
from typing import TYPE_CHECKING, Any

from dualgate.core.gates.document import counted_documents, wanted_documents
from dualgate.core.gates.reactions import prompt_tokens
from dualgate.core.machine.reproving import files_of_tests
from dualgate.core.prompt.detail import (
    DETAILS,
    Cutter,
    criteria_list,
    criteria_within,
    situation,
    unproven_criteria,
)
from dualgate.core.prompt.document import Document, document_for
from dualgate.core.prompt.notes import notes_for
from dualgate.core.prompt.parts import PARTS, Part, Prompt
from dualgate.core.prompt.review import DOCUMENT, Material, material_for, review_words
from dualgate.core.prompt.size import tokens_of
from dualgate.core.said.amendment_requests import amendments_left
from dualgate.core.said.blocks import emit_ralph_status, status_form
from dualgate.core.said.findings import open_fixes
from dualgate.core.said.whole_function import SUFFIXES
from dualgate.core.said.work_report import PACKETS
from dualgate.core.team.fallover import has_other_reviewer
from dualgate.core.values.answer import AgentCall, call_token
from dualgate.core.values.brief import Brief
from dualgate.core.values.checks import CheckResult
from dualgate.core.values.notation import harmless, in_line
from dualgate.core.values.ralph_status import RalphStatus
from dualgate.core.values.reviews import Route
from dualgate.core.values.specification import Kind, Specification
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import Stack
from dualgate.core.values.vocabulary import (
    ROLES,
    Amend,
    Phase,
    Role,
    SuiteStatus,
    Workflow,
    WorkStatus,
    WorkType,
)
from dualgate.errors import SettingError

if TYPE_CHECKING:
    from jinja2 import Environment

REJECTIONS_SHOWN = 3
OUTLINE_SHOWN = 200
TITLE_LENGTH = 200
NOTHING_TO_ADD = Brief()
SPECIFICATION_SHARE, CRITERIA_SHARE = 0.55, 0.2
"""Shares of the budget of a prompt: the most that these parts may take."""
LEAST_OF_CRITERIA, MOST_OF_REST = 400, 8_000
"""Tokens: a small budget leaves so much to the criteria; no budget gives more to the parts about the situation."""

# when EXIT_SIGNAL may be true, besides what holds in every phase
DONE: Mapping[Phase, str] = {
    Phase.RED: "every criterion has its test, tests of missing behaviour fail, and all others pass",
    Phase.GREEN: "every criterion is implemented, and all tests pass in your own run",
    Phase.REFACTOR: "the code of this run needs no more improving, and all tests pass in your own run",
    Phase.DOCUMENT: "the documents are written and true",
    Phase.QA: "every criterion was looked at, and your verdict is given",
    Phase.BUILD: "no task is open, and all tests pass in your own run",
}


def prepare(sources: Mapping[str, str]) -> "Environment":
    """The templates, ready to render. A missing variable is an error, not a blank; a template reaches no Python."""
    from jinja2 import DictLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    from dualgate.core.prompt.compiled import COMPILED

    made = SandboxedEnvironment(
        loader=DictLoader(dict(sources)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        bytecode_cache=COMPILED,
    )
    made.filters |= {"name": in_line, "shell": join}
    return made


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
        prompt=harmless(write_prompt(prp, state, templates, brief).text),
        recalled=brief.recalled,
    )


def write_prompt(
    prp: Specification, state: LoopState, templates: "Environment", brief: Brief = NOTHING_TO_ADD
) -> Prompt:
    """The most detailed prompt that fits its budget, else the shortest one."""
    budget = prompt_tokens(state.limits, state.failures.full_contexts)
    document = document_for(prp, int(SPECIFICATION_SHARE * budget))
    unproven = unproven_criteria(prp, state)
    left = int((1 - CRITERIA_SHARE) * budget) - tokens_of(document.text) - MOST_OF_REST
    material = material_for(prp, state, brief, left)
    prompt = Prompt(parts=())
    for detail in DETAILS:
        cutter = Cutter(detail)
        words = _words(prp, state, document, brief, unproven, material, cutter, budget)
        prompt = _rendered(state.workflow, templates, words, cutter)
        if prompt.rest <= min(MOST_OF_REST, budget // 2) and prompt.tokens <= budget:
            break
    return prompt


def _rendered(workflow: Workflow, templates: "Environment", words: Mapping[str, Any], cutter: Cutter) -> Prompt:
    cut = cutter.left_out
    texts = ((name, _text(f"{name}.md", templates, {**words, "cut": cut})) for name in PARTS[workflow])
    return Prompt(parts=tuple(Part(name=name, text=text) for name, text in texts if text), cut=cut)


def _text(name: str, templates: "Environment", words: Mapping[str, Any]) -> str:
    """One part. Raises SettingError if a template of the project asks for what there is not."""
    try:
        return templates.get_template(name).render(words).strip("\n")
    except Exception as error:  # a template is a person's code: whatever it raises is its own error
        raise SettingError(
            f"The prompt {name} cannot be made: {error or type(error).__name__}.",
            "Compare the project's texts with those of dualgate: dualgate prompts diff",
        ) from error


def _words(
    prp: Specification,
    state: LoopState,
    document: Document,
    brief: Brief,
    unproven: Sequence[str],
    material: Material,
    cutter: Cutter,
    budget: int,
) -> dict[str, Any]:
    criteria = criteria_list(prp, state)
    is_review = ROLES[state.phase] is Role.REVIEWER
    frozen = () if is_review else sorted({result.file for result in state.proof.proven or () if result.file})
    shows_probes = state.phase in (Phase.REFACTOR, Phase.QA)
    rejections = state.rejections[-REJECTIONS_SHOWN:] if state.phase is Phase.GREEN else ()
    return {
        "prp": prp,
        "title": cutter.text("titles", prp.title, TITLE_LENGTH),
        "file": state.prp_file,
        "document": document,
        "outline": cutter.items("parts of the specification's outline", document.outline, OUTLINE_SHOWN),
        "plan": state.plan,
        "loop_ticks": brief.ticks,
        "tasks": cutter.items("open tasks", state.plan.open if state.plan else (), 20),
        "phase": state.phase,
        "role": ROLES[state.phase],
        "may_edit": not is_review,
        "iteration": state.iteration + 1,
        "max_iterations": state.max_iterations,
        "done": DONE[state.phase],
        "suites": brief.suites,
        "checks": brief.checks,
        "instructions": brief.instructions,
        "scope": cutter.items("files of this run", _scope(state)),
        "forbidden": sorted({path for criterion in prp.criteria for path in criterion.forbids}),
        "wanted": wanted_documents(state.limits),
        "documents": _counted(state),
        "uncounted": cutter.items("documents that do not count", state.documents.others),
        "broken_checks": [(each.sentence, _output(each, cutter)) for each in state.check_results if each.is_broken],
        "frozen": cutter.items("frozen files", frozen),
        "kept": state.proof.kept_criteria,
        "rewriting": state.proof.rewriting,
        "weak": state.proof.weak if shows_probes else (),
        "surviving": cutter.items("surviving probes", state.proof.surviving if shows_probes else ()),
        "criteria": criteria_within(criteria, max(LEAST_OF_CRITERIA, int(CRITERIA_SHARE * budget)), cutter),
        "reviewed": [row for row in criteria if row.kind is Kind.REVIEW],
        "recalled": cutter.items("entries of earlier runs", brief.recalled),
        "rejections": [rejection.reason for rejection in rejections],
        "amendments_left": amendments_left(state),
        "shows_amendment": _shows_amendment(state),
        "by_person": state.limits.amend is Amend.HUMAN or not has_other_reviewer(state),
        "by_function": all(result.file.endswith(SUFFIXES) for result in state.proof.proven or ()),
        "form": status_form(state.phase, call_token(state.session_id, state.total_agent_calls + 1)),
        "packets": PACKETS[state.phase],
        "passed_on": cutter.items("notes of earlier phases", notes_for(state)),
        **situation(state, unproven, cutter),
        **review_words(state, material, cutter),
    }


def _scope(state: LoopState) -> list[str]:
    """The files that this run added or changed, without documents; for REFACTOR without frozen tests."""
    context, count = state.review_context, state.documents
    documents = {*count.counting, *(each.path for each in count.others)}
    frozen = {result.file for result in state.proof.proven or ()} if state.phase is Phase.REFACTOR else set()
    found = {*context.added, *context.rewritten} - documents - frozen
    return sorted(path for path in found if not DOCUMENT.search(path))


def _counted(state: LoopState) -> str:
    """Which documents count so far; empty before any was written."""
    found = state.documents
    return counted_documents(found, state.limits) if found.counting or found.others else ""


def _output(result: CheckResult, cutter: Cutter) -> str:
    return cutter.excerpt("outputs of checks", result.output.splitlines(), cutter.detail.excerpt_lines, from_end=True)


def _shows_amendment(state: LoopState) -> bool:
    """Whether the form of an amendment is shown: once tests stay red, or where a review asks for another test."""
    if state.phase not in (Phase.GREEN, Phase.REFACTOR) or not amendments_left(state):
        return False
    asked = open_fixes(state.reviews, Route.AMENDMENT, tests=files_of_tests(state))
    return bool(asked or (state.iteration and state.memory.failing))


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
