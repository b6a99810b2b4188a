"""Settings and a person's document -> the work to do: a specification with criteria, or a prompt and a task list."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from dualgate.core.spec.plan import without_boxes
from dualgate.core.spec.readiness import decided_workflow, require_ready
from dualgate.core.spec.reading import read_prompt
from dualgate.core.values.checks import Check
from dualgate.core.values.specification import Criterion, Specification
from dualgate.core.values.suite import Suite
from dualgate.core.values.vocabulary import Workflow
from dualgate.errors import SettingError, SpecError
from dualgate.runners.detect import Find, SuitePlan, detect
from dualgate.runners.exit_code import by_exit_code
from dualgate.session.checks import checks_of
from dualgate.session.document import Document, find_prompt, read_document
from dualgate.session.suites import plan_of, plan_or_assume
from dualgate.settings import Settings
from dualgate.workspace.task_list import TaskList

Given = Path | Document | None
"""A file that a person named, or a document that was read; None if they named none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The work of a run. `tasks` is set in the ralph workflow only."""

    prp: Specification
    file: Path
    suites: SuitePlan
    workflow: Workflow = Workflow.TDD
    tasks: TaskList | None = None
    unused: tuple[str, ...] = ()
    """Other prompts and task lists that were found, and why they are not read."""
    answers: Mapping[str, int] = field(default_factory=dict)
    approved: tuple[str, ...] = ()
    """Commands of checks that a person approved."""
    guarded: tuple[Criterion, ...] = ()
    """Lines of the task list that forbid to change paths."""
    checks: tuple[Check, ...] = ()
    """Commands to run before any work and before each review."""

    @property
    def to_prove(self) -> tuple[Criterion, ...]:
        """The criteria that gates judge; of those of ralph only the guard knows."""
        return self.prp.criteria if self.workflow is Workflow.TDD else ()


def read_work(
    given: Given, project: Path, settings: Settings, environment: Mapping[str, str], find: Find = detect
) -> Work:
    """The work, with a definite workflow: the given one, else that of the document."""
    document = document_of(given, project, settings)
    read = document.read(settings)
    workflow = decided_workflow(read, settings.workflow)
    plan = partial(PLANS[workflow], settings, project, environment, find=find)
    work = WORKFLOWS[workflow](document, read, project, settings, plan)
    beside = (f"the prompt {name}: {work.file} is there too, and comes first" for name in document.beside)
    unused = (*beside, *work.unused)
    checks = checks_of(project, settings, document.approved_validation(read))
    return replace(work, workflow=workflow, unused=unused, answers=document.answers, checks=checks)


def document_of(given: Given, project: Path, settings: Settings) -> Document:
    match given:
        case Document():
            return given
        case Path():
            return read_document(project, given)
        case None:
            return find_prompt(project, settings)


def _tdd(
    document: Document, read: Specification, project: Path, settings: Settings, plan: Callable[..., SuitePlan]
) -> Work:
    del project
    if settings.plan.file:
        raise SettingError("A task list is given, which only the ralph workflow reads.", "Give --workflow ralph too.")
    return Work(
        prp=require_ready(read, document.name),
        file=Path(document.name),
        suites=plan(text=read.text),
        approved=document.approved_commands(read, settings),
    )


def _ralph(
    document: Document, read: Specification, project: Path, settings: Settings, plan: Callable[..., SuitePlan]
) -> Work:
    """Tests that are missing or cannot be run do not stop the work, but it cannot be proven then."""
    prp = read_prompt(document.text, document.name)
    require_ready(read, document.name)
    tasks, unused = _task_list(document, read, project, settings)
    suites = plan()
    suites = replace(suites, suites=tuple(map(by_exit_code, suites.suites)))
    guarded = _forbidding(tasks, document)
    return Work(prp=prp, file=Path(document.name), suites=suites, tasks=tasks, unused=unused, guarded=guarded)


def _forbidding(tasks: TaskList, document: Document) -> tuple[Criterion, ...]:
    """The lines of a task list beside the prompt that forbid to change paths, named by their place."""
    name, text = tasks.text()
    if name == document.name or not text.strip():
        return ()
    return tuple(replace(each, id=f"{name}:{each.line}") for each in read_prompt(text, name).criteria)


def _task_list(
    document: Document, read: Specification, project: Path, settings: Settings
) -> tuple[TaskList, tuple[str, ...]]:
    """The task list: the given one, else a file of a usual name, else the document itself if it holds tasks."""
    tasks = TaskList(project=project, given=settings.plan.file)
    lists = tuple(tasks.found())
    if settings.plan.file and not lists:
        raise SpecError(
            f"The task list {settings.plan.file} does not exist.", ("Give the path of a file with tick boxes.")
        )
    own = document.name if document.is_file and read.tasks and not settings.plan.file else ""
    if own and (not lists or own in lists):
        # a given workflow asks nothing, so a plain list of its prompt may be anything
        unmarked = without_boxes(read) if settings.workflow is None else ()
        tasks, lists = (
            TaskList(project=project, given=own, unmarked=unmarked),
            (own, *(name for name in lists if name != own)),
        )
    elif own and settings.workflow is None:  # its tasks are why this is a ralph run
        lists = (*lists, own)
    return tasks, tuple(f"the task list {name}: {lists[0]} is there too, and comes first" for name in lists[1:])


def work_of(document: Document, project: Path, settings: Settings, suites: tuple[Suite, ...]) -> Work:
    """The work of a resumed session, from its document and the suites that it started with."""
    is_ralph = settings.workflow is Workflow.RALPH
    read = document.read(settings)
    prp = read_prompt(document.text, document.name) if is_ralph else read
    return Work(
        prp=prp,
        file=Path(document.name),
        suites=SuitePlan(suites=suites, services=settings.env),
        workflow=Workflow.RALPH if is_ralph else Workflow.TDD,
        tasks=TaskList(project=project, given=settings.plan.file) if is_ralph else None,
        answers=document.answers,
        approved=() if is_ralph else document.approved_commands(prp, settings),
        checks=checks_of(project, settings, document.approved_validation(read)),
    )


WORKFLOWS: dict[Workflow, Callable[[Document, Specification, Path, Settings, Callable[..., SuitePlan]], Work]] = {
    Workflow.TDD: _tdd,
    Workflow.RALPH: _ralph,
}
PLANS: dict[Workflow, Callable[..., SuitePlan]] = {Workflow.TDD: plan_or_assume, Workflow.RALPH: plan_of}
