"""Settings -> the suites of the project: the given test command, else the configured suites, else the detected ones."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from dualgate.core.values.suite import Suite
from dualgate.core.values.vocabulary import Workflow
from dualgate.errors import SettingError
from dualgate.runners.detect import (
    Find,
    SuitePlan,
    assumed_suite,
    detect,
    given_suite,
    guessed_runner,
    limited,
    require_suites,
)
from dualgate.runners.exit_code import by_exit_code
from dualgate.runners.registry import RUNNERS
from dualgate.settings import Settings


def plan_of(
    settings: Settings,
    project: Path,
    environment: Mapping[str, str],
    runner: str | None = None,
    find: Find = detect,
) -> SuitePlan:
    """The suites of a project and how to run them."""
    if settings.test_command:
        plan = SuitePlan(suites=(given_suite(settings.test_command, runner or settings.runner),))
    elif settings.suites:
        plan = SuitePlan(suites=tuple(_checked(suite) for suite in settings.suites.values()))
    else:
        plan = find(project, environment)
    set_up = tuple(replace(suite, setup=suite.setup or settings.setup) for suite in plan.suites)
    return limited(replace(plan, suites=set_up, services=settings.env), settings.test_timeout)


def plan_or_assume(settings: Settings, project: Path, environment: Mapping[str, str], find: Find = detect) -> SuitePlan:
    """As `plan_of`; if the project has no tests yet, assume the suite that will be written."""
    plan = plan_of(settings, project, environment, find=find)
    if not plan.suites and not plan.notes:
        plan = limited(replace(plan, suites=(assumed_suite(project, environment),)), settings.test_timeout)
    return require_suites(plan)


def later_suites(
    settings: Settings, project: Path, environment: Mapping[str, str]
) -> Callable[[], tuple[Suite, ...]] | None:
    """A function that finds the first tests of a task list's run; None in a workflow that assumes its suite."""
    if settings.workflow is not Workflow.RALPH:
        return None
    return lambda: tuple(map(by_exit_code, plan_of(settings, project, environment).suites))


def _checked(suite: Suite) -> Suite:
    if not suite.command:
        raise SettingError(f"suites.{suite.name} has no command.", f"Set suites.{suite.name}.command.")
    named = suite.runner or guessed_runner(" ".join(suite.command))
    if named not in RUNNERS:
        known = ", ".join(sorted(RUNNERS))
        raise SettingError(
            f"suites.{suite.name}.runner is '{named}', which is not a runner.", f"Set it to one of: {known}."
        )
    return replace(suite, runner=named)
