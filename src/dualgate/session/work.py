"""Settings and the user's file -> the work to do: a specification with criteria, or a prompt and a task list."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from dualgate.core.spec.readiness import require_ready
from dualgate.core.spec.reading import read_prompt, read_specification
from dualgate.core.values.specification import Specification
from dualgate.core.values.suite import Suite
from dualgate.core.values.vocabulary import Workflow
from dualgate.errors import SettingError, SpecError
from dualgate.runners.detect import SuitePlan
from dualgate.runners.exit_code import by_exit_code
from dualgate.session.suites import plan_of, plan_or_assume
from dualgate.settings import Settings
from dualgate.workspace.task_list import TaskList

PROMPTS = ("PROMPT.md", ".ralph/PROMPT.md")


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The work of a run. `tasks` is set in the ralph workflow only."""

    prp: Specification
    file: Path
    suites: SuitePlan
    tasks: TaskList | None = None
    unused: tuple[str, ...] = ()
    """Other prompts and task lists that were found, and why they are not read."""
    approved: tuple[str, ...] = ()
    """Commands of checks that a person approved."""


def read_work(spec: Path | None, project: Path, settings: Settings, environment: Mapping[str, str]) -> Work:
    return WORKFLOWS[settings.workflow](spec, project, settings, environment)


def read_spec(spec: Path | None, project: Path, settings: Settings) -> tuple[Specification, Path]:
    """The specification or prompt, and its file."""
    if settings.workflow is Workflow.RALPH:
        file = spec or _prompt(project)[0]
        return read_prompt(_text(project, file), str(file)), file
    if spec is None:
        raise SpecError("No specification is given.", "Name one. Only --workflow ralph does without.")
    if settings.plan:
        raise SettingError("A task list is given, which only the ralph workflow reads.", "Give --workflow ralph too.")
    return require_ready(read_specification(_text(project, spec), str(spec)), str(spec)), spec


def _tdd(spec: Path | None, project: Path, settings: Settings, environment: Mapping[str, str]) -> Work:
    prp, file = read_spec(spec, project, settings)
    return Work(prp=prp, file=file, suites=plan_or_assume(settings, project, environment))


def _ralph(spec: Path | None, project: Path, settings: Settings, environment: Mapping[str, str]) -> Work:
    """Tests that are missing or cannot be run do not stop the work, but it cannot be proven then."""
    prp, file = read_spec(spec, project, settings)
    beside = () if spec else _prompt(project)[1]
    tasks = TaskList(project=project, given=settings.plan)
    lists = tuple(tasks.found())
    if settings.plan and not lists:
        raise SpecError(f"The task list {settings.plan} is not there.", "Give the path of a file with tick boxes.")
    suites = plan_of(settings, project, environment)
    unused = (
        *(f"the prompt {name}: {file} is there too, and comes first" for name in beside),
        *(f"the task list {name}: {lists[0]} is there too, and comes first" for name in lists[1:]),
    )
    suites = replace(suites, suites=tuple(map(by_exit_code, suites.suites)))
    return Work(prp=prp, file=file, suites=suites, tasks=tasks, unused=unused)


def work_of(text: str, file: Path, project: Path, settings: Settings, suites: tuple[Suite, ...]) -> Work:
    """The work of a resumed session, from a specification text and the suites that it started with."""
    read = read_prompt if settings.workflow is Workflow.RALPH else read_specification
    tasks = TaskList(project=project, given=settings.plan) if settings.workflow is Workflow.RALPH else None
    return Work(
        prp=read(text, str(file)), file=file, suites=SuitePlan(suites=suites, services=settings.env), tasks=tasks
    )


WORKFLOWS: dict[Workflow, Callable[[Path | None, Path, Settings, Mapping[str, str]], Work]] = {
    Workflow.TDD: _tdd,
    Workflow.RALPH: _ralph,
}


def _prompt(project: Path) -> tuple[Path, tuple[str, ...]]:
    first, *beside = [name for name in PROMPTS if (project / name).is_file()] or (None,)
    if first is None:
        raise SpecError(
            f"There is no {' or '.join(PROMPTS)} here.",
            "Give the path of a prompt, or begin with: dualgate prompts show ralph > PROMPT.md",
        )
    return Path(first), tuple(beside)


def _text(project: Path, file: Path) -> str:
    try:
        return (project / file).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SpecError(f"{file} cannot be read: {error.strerror}.", "Give the path of a Markdown file.") from error
    except UnicodeDecodeError as error:
        raise SpecError(f"{file} is not UTF-8 text: byte {error.start}.", "Save it as UTF-8.") from error
