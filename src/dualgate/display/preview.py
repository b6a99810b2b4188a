"""Preview -> what a run would do, as text and as JSON. No agent is asked, no test is run, nothing is written."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from dualgate.core.gates.needs import gate_1
from dualgate.core.money.allowances import SHOWN, Allowance, allowances
from dualgate.core.money.estimate import Estimate, estimate_document, estimate_text
from dualgate.core.values.notation import show_duration
from dualgate.core.values.specification import Specification
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import Suite
from dualgate.core.values.vocabulary import PHASES, ROLES, Phase, Workflow
from dualgate.display.lines import Line
from dualgate.display.records import tasks_record
from dualgate.display.specification import remark_lines, separated, specification_lines, specification_record
from dualgate.settings.limits import BUDGETS, SAME

NO_TESTS = "none are configured, and none were found; tests that the agent writes are found and run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    prp: Specification
    spec: Specification
    """All that was read from the document, whatever the workflow uses of it."""
    unapproved: tuple[str, ...]
    """Commands of the specification that a person has to approve."""
    state: LoopState
    """The state at the start of the session."""
    agents: Mapping[Phase, str]
    suites: tuple[Suite, ...]
    notes: tuple[str, ...]
    prompt: str
    session: str
    validation: Mapping[str, str] = field(default_factory=dict)
    """Each validation command with what a run does with it."""
    unused: tuple[str, ...] = ()
    """Other prompts and task lists that were found."""
    estimate: Estimate = field(default_factory=lambda: Estimate(ground=""))
    """The usage that earlier sessions let expect."""
    escalation: Mapping[Phase, tuple[str, ...]] = field(default_factory=dict)
    """The agents that take over in each phase if there is no progress."""
    in_the_way: str = ""
    """Why the run would be refused, by another run or an unfinished session; otherwise empty."""


def preview_text(preview: Preview, columns: int = 80) -> str:
    limits = preview.state.limits
    phases = PHASES[preview.state.workflow]
    rows = [
        *_work_rows(preview),
        *_under("Phases", [_phase_line(preview, phase) for phase in phases]),
        *_under("Ends", [f"{phase:<8}  when {gate_1(phase, limits)}" for phase in phases]),
        *_under("Tests", [_suite_line(suite) for suite in preview.suites] or [NO_TESTS]),
        *_under("", [f"not run: {note}" for note in preview.notes]),
        *_under("Checks", [f"{check.command}  ({check.name})" for check in preview.state.checks]),
        *_under("Limits", _limit_lines(preview)),
        ("Estimate", estimate_text(preview.estimate)),
        ("Session", preview.session),
        *_under("But", [preview.in_the_way] if preview.in_the_way else []),
    ]
    told = "\n".join(f"{name:<8} {text}" for name, text in rows)
    head = f"The first prompt, {len(preview.prompt)} characters:"
    read = "\n".join(line.text for line in _read_lines(preview, columns))
    intro = "Dry run: no agent is asked, no test is run, nothing is written."
    return f"{intro}\n\n{read}\n\n{told}\n\n{head}\n\n{preview.prompt}"


def preview_record(preview: Preview) -> dict[str, Any]:
    state = preview.state
    return {
        "dry_run": True,
        "spec": state.prp_file,
        "title": preview.prp.title,
        "criteria": [{"id": criterion.id, "text": criterion.text} for criterion in preview.prp.criteria],
        "specification": specification_record(preview.spec, state.workflow, preview.validation),
        "unapproved": list(preview.unapproved),
        "workflow": state.workflow.value,
        "phases": [
            {
                "phase": phase.value,
                "role": ROLES[phase].value,
                "agent": preview.agents[phase],
                "escalation": list(preview.escalation.get(phase, ())),
                "gate_1": gate_1(phase, state.limits),
                "no_progress": state.limits.of(phase).no_progress,
                "same_error": state.limits.of(phase).same_error,
            }
            for phase in PHASES[state.workflow]
        ],
        "suites": [
            {"name": suite.name, "command": list(suite.command), "folder": suite.folder, "reason": suite.reason}
            for suite in preview.suites
        ],
        "notes": list(preview.notes),
        "checks": [asdict(check) for check in state.checks],
        "tasks": tasks_record(state.plan),
        "unused": list(preview.unused),
        "limits": {
            "max_iterations": state.limits.max_iterations,
            "wait": state.limits.wait,
            **{name: getattr(state.limits, name) for name in BUDGETS if name in SAME},
            "budgets": [{"setting": each.setting, "most": each.most} for each in _budgets(preview)],
            "qa_returns": state.limits.qa_returns,
            "halt_on_question": state.limits.halt_on_question,
        },
        "estimate": estimate_document(preview.estimate),
        "prompt": preview.prompt,
        "session": preview.session,
        "in_the_way": preview.in_the_way or None,
    }


def _read_lines(preview: Preview, columns: int) -> list[Line]:
    """The table of `check`, with what is still open."""
    spec, state = preview.spec, preview.state
    table = specification_lines(spec, state.prp_file, state.workflow, columns, preview.validation)
    return separated((table, remark_lines(spec, state.prp_file, preview.unapproved, columns)))


def _work_rows(preview: Preview) -> list[tuple[str, str]]:
    state, prp = preview.state, preview.prp
    if state.workflow is Workflow.TDD:
        count = f"{len(prp.criteria)} {'criterion' if len(prp.criteria) == 1 else 'criteria'}"
        return [("Spec", f"{state.prp_file}: {prp.title}, {count}")]
    return [
        ("Prompt", f"{state.prp_file}: {prp.title}"),
        ("Tasks", state.plan.summary if state.plan else "none yet"),
        *_under("Not used", list(preview.unused)),
    ]


def _phase_line(preview: Preview, phase: Phase) -> str:
    thresholds = preview.state.limits.of(phase)
    halts = f"halts after {thresholds.no_progress} without progress, {thresholds.same_error} with the same error"
    steps = "".join(f"; before that {name} takes over" for name in preview.escalation.get(phase, ()))
    return f"{phase:<8}  {ROLES[phase]:<11}  {preview.agents[phase]}; {halts}{steps}"


def _suite_line(suite: Suite) -> str:
    where = "" if suite.folder == "." else f" in {suite.folder}"
    return f"{' '.join(suite.command)}{where}  ({suite.name}; {suite.reason or 'given'})"


def _limit_lines(preview: Preview) -> list[str]:
    limits = preview.state.limits
    by_hour = [name for name in BUDGETS if name.endswith("_per_hour") and getattr(limits, name) is not None]
    longest = show_duration(limits.max_duration) if limits.max_duration else "no limit of time"
    return [
        f"{limits.max_iterations} iterations in a phase, {longest}",
        *(f"at most {SHOWN[each.measure](each.most)} ({each.setting})" for each in _budgets(preview)),
        *(f"at most {getattr(limits, name):,} in an hour ({name})" for name in by_hour),
        "a limit of the provider is waited for" if limits.wait else "a limit of the provider ends the run",
        "a question of the agent ends the run"
        if limits.halt_on_question
        else "an agent that asks must decide by itself",
    ]


def _budgets(preview: Preview) -> list[Allowance]:
    """The budgets of the run and of every phase, each once."""
    phases = [replace(preview.state, phase=phase) for phase in PHASES[preview.state.workflow]]
    return list({each.setting: each for state in phases for each in allowances(state)}.values())


def _under(name: str, texts: list[str]) -> list[tuple[str, str]]:
    return [("" if number else name, text) for number, text in enumerate(texts)]
