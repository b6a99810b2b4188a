"""Project or given test command -> its suites, with reasons."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from dualgate.core.values.notation import split_command
from dualgate.core.values.suite import Services, Suite
from dualgate.errors import SuiteUnusable
from dualgate.languages.base import advice
from dualgate.languages.folders import parts, walk
from dualgate.languages.interpreter import choose_python
from dualgate.languages.parts import Part
from dualgate.languages.registry import LANGUAGES

# runner -> pattern of commands in any language; the first match counts. {report} is replaced by the report's path
GENERAL = {
    "pytest": "",
    "unittest": "",
    "junit": r"\{report\}|junit",
    "tap": r"(?<!\w)tap(?![\w-])",
    "cargo": "",
    "go": "",
}
SPEAKS = {
    runner: re.compile("|".join(filter(None, (pattern, *(language.reports.get(runner) for language in LANGUAGES)))))
    for runner, pattern in GENERAL.items()
}
OFFERED = "pytest"
"""The runner whose reporter is loaded for an unknown command: `make test` may start it."""
WRITES = re.compile(r"--(?:junit-?xml|log-junit|junitfile|outputFile)[= ]([^\s{}]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitePlan:
    """How the tests of a project are run. `notes` list tests that were found but are not run, and how to run them."""

    suites: tuple[Suite, ...]
    services: Services = field(default_factory=Services)
    notes: tuple[str, ...] = ()


Find = Callable[[Path, Mapping[str, str]], SuitePlan]
"""Project and environment -> the suites that were found."""


def require_suites(plan: SuitePlan) -> SuitePlan:
    if not plan.suites:
        found = f" What was found: {'; '.join(plan.notes)}." if plan.notes else ""
        raise SuiteUnusable(
            f"No tests were found that can be run.{found}",
            "Give --test-command CMD, with --runner NAME if the command does not show how it reports.",
        )
    return plan


def limited(plan: SuitePlan, seconds: float) -> SuitePlan:
    """The plan with this time limit for each suite without one."""
    suites = (replace(s, timeout=seconds) if s.timeout is None else s for s in plan.suites)
    return replace(plan, suites=tuple(suites))


def given_suite(command: str, runner: str | None = None) -> Suite:
    """A suite from a command; its runner is guessed if it is not given."""
    told = told_runner(command)
    guess = f"{told}, from the words of the command" if told else f"unknown command, with the {OFFERED} reporter loaded"
    name = runner or told or OFFERED
    written = WRITES.search(command) if name == "junit" else None
    return Suite(
        name=name,
        runner=name,
        command=split_command(command),
        report=written[1] if written else "",
        reason="given" if runner else f"given; {guess}",
    )


def guessed_runner(command: str) -> str:
    return told_runner(command) or OFFERED


def told_runner(command: str) -> str | None:
    """The runner that the words of a command match, or None."""
    return next((name for name, pattern in SPEAKS.items() if pattern.search(command)), None)


def assumed_suite(project: Path, environment: Mapping[str, str]) -> Suite:
    """The suite of a project without tests: pytest is assumed."""
    python = choose_python(project, project, environment)
    return Suite(
        name="pytest",
        command=(*python.command, "-m", "pytest"),
        reason=f"there are no tests yet, and pytest is assumed; {python.reason}",
    )


def detect(project: Path, environment: Mapping[str, str], may_run: bool = True) -> SuitePlan:
    """Find suites by files. Runs nothing but the project's Python, to check for pytest where tests are unittest's."""
    folders = walk(project)
    found: list[Suite | str] = []
    for language in LANGUAGES:
        seen = parts(project, folders, language.signs, environment)
        found += language.find([replace(part, may_run=may_run) for part in seen])
    if not found:
        found += _make_target(parts(project, folders[:1], (), environment)[0])
    suites = tuple(suite for suite in found if isinstance(suite, Suite))
    return SuitePlan(suites=_distinct(suites), notes=tuple(note for note in found if isinstance(note, str)))


def detect_by_files(project: Path, environment: Mapping[str, str]) -> SuitePlan:
    """As `detect`, and runs nothing at all: pytest counts as installed if the files of the environment show it."""
    return detect(project, environment, may_run=False)


def _make_target(part: Part) -> Iterator[str]:
    """Notes on Makefiles: a target shows that there are tests, but not how they report."""
    for name in ("GNUmakefile", "makefile", "Makefile"):
        if re.search(r"^(test|check)\s*:(?!=)", part.text(name), re.MULTILINE):
            yield f"{part.where(name)}: how its tests report is not known; {advice('make test')}"


def _distinct(suites: tuple[Suite, ...]) -> tuple[Suite, ...]:
    """Give suites unique, short names: the last folder, else its path, else with a number."""
    last = Counter(PurePosixPath(suite.name).name for suite in suites)
    given: Counter[str] = Counter()
    named = []
    for suite in suites:
        short = PurePosixPath(suite.name).name
        name = short if last[short] == 1 else suite.name
        given[name] += 1
        named.append(replace(suite, name=name if given[name] == 1 else f"{name}-{given[name]}"))
    return tuple(named)
