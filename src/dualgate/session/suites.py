"""Settings -> the suites of the project: the given test command, else the configured suites, else the detected ones."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path

from dualgate.core.spec.tools import names_other_language
from dualgate.core.values.suite import Suite
from dualgate.core.values.vocabulary import Workflow
from dualgate.errors import SettingError
from dualgate.languages.python import LANGUAGE as PYTHON
from dualgate.languages.registry import LANGUAGES
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


def plan_or_assume(
    settings: Settings, project: Path, environment: Mapping[str, str], find: Find = detect, text: str = ""
) -> SuitePlan:
    """As `plan_of`; if the project has no tests yet, assume the suite that will be written.

    If the text of the specification names another language than Python, none is assumed: tests are found when they
    are there.
    """
    plan = plan_of(settings, project, environment, find=find)
    if not plan.suites and not plan.notes:
        if names_other_language(text) or _is_of_other_language(project):
            return plan
        plan = limited(replace(plan, suites=(assumed_suite(project, environment),)), settings.test_timeout)
    return require_suites(plan)


def later_suites(
    settings: Settings, project: Path, environment: Mapping[str, str], proven: Collection[str] = ()
) -> Callable[[], SuitePlan]:
    """A function that finds the first tests that an agent writes; of a proof only its own suites, if there is one."""

    def find() -> SuitePlan:
        found = plan_of(settings, project, environment)
        if settings.workflow is Workflow.RALPH:  # work without tests ends there, not proven
            return replace(found, suites=tuple(map(by_exit_code, found.suites)), notes=())
        return replace(found, suites=tuple(suite for suite in found.suites if not proven or suite.name in proven))

    return find


def _is_of_other_language(project: Path) -> bool:
    """Whether the folder has a file by which a project of another language than Python is known."""
    signs = (sign for language in LANGUAGES if language is not PYTHON for sign in language.signs)
    return any((project / sign).is_file() for sign in signs)


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
