"""Which suites a project has, and why: found by looking, or made from a command that was given."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from dualgate.core.values.notation import split_command
from dualgate.core.values.suite import Services, Suite
from dualgate.errors import SuiteUnusable
from dualgate.runners.detect_others import LANGUAGES, make_target, other_suites
from dualgate.runners.detect_python import SIGNS, python_suites
from dualgate.runners.folders import parts, walk
from dualgate.runners.interpreter import choose_python

# what in a command tells how its report is read; the first that fits. {report} is where a runner wants the report.
SPEAKS = (
    ("pytest", r"(?<![\w-])(pytest|py\.test)(?![\w-])"),
    ("unittest", r"(?<![\w-])unittest(?![\w-])|manage\.py test"),
    ("junit", r"\{report\}|junit|surefire|gradlew?\b|\bmvnw?\b"),
    ("tap", r"(?<!\w)tap(?![\w-])|\bnode\b.*--test|\b(prove|bats)\b"),
)
UNKNOWN = "pytest"
WRITES = re.compile(r"--(?:junit-?xml|log-junit|junitfile|outputFile)[= ]([^\s{}]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitePlan:
    """How the tests of a project are run. `notes` say what was found and is not run, and what would change that."""

    suites: tuple[Suite, ...]
    services: Services = field(default_factory=Services)
    notes: tuple[str, ...] = ()


def require_suites(plan: SuitePlan) -> SuitePlan:
    if not plan.suites:
        found = f" What was found: {'; '.join(plan.notes)}." if plan.notes else ""
        raise SuiteUnusable(
            f"No tests were found that can be run.{found}",
            "Give --test-command CMD, with --runner NAME where the command does not tell how it reports.",
        )
    return plan


def limited(plan: SuitePlan, seconds: float) -> SuitePlan:
    """The plan with a time limit for each suite that has none of its own."""
    suites = (replace(s, timeout=seconds) if s.timeout is None else s for s in plan.suites)
    return replace(plan, suites=tuple(suites))


def given_suite(command: str, runner: str | None = None) -> Suite:
    """One suite out of a command; how it reports is guessed where it is not said."""
    told = told_runner(command)
    guess = f"{told} by its words" if told else f"nothing tells how it reports: taken for {UNKNOWN}"
    name = runner or told or UNKNOWN
    written = WRITES.search(command) if name == "junit" else None
    return Suite(
        name=name,
        runner=name,
        command=split_command(command),
        report=written[1] if written else "",
        reason="given" if runner else f"given; {guess}",
    )


def guessed_runner(command: str) -> str:
    return told_runner(command) or UNKNOWN


def told_runner(command: str) -> str | None:
    """The runner that the words of a command tell of."""
    return next((name for name, pattern in SPEAKS if re.search(pattern, command)), None)


def assumed_suite(project: Path, environment: Mapping[str, str]) -> Suite:
    """For a project without any test: the first ones are going to be pytest's."""
    python = choose_python(project, project, environment)
    return Suite(
        name="pytest",
        command=(*python.command, "-m", "pytest"),
        reason=f"there are no tests yet, and pytest is assumed; {python.reason}",
    )


def detect(project: Path, environment: Mapping[str, str]) -> SuitePlan:
    """What is there, by looking: nothing of the project is run, but its Python where unittest has to be told."""
    folders = walk(project)
    found = list(python_suites(parts(project, folders, SIGNS, environment)))
    for part in parts(project, folders, LANGUAGES, environment):
        found += other_suites(part)
    if not found:
        found += make_target(parts(project, folders[:1], (), environment)[0])
    suites = tuple(suite for suite in found if isinstance(suite, Suite))
    return SuitePlan(suites=_distinct(suites), notes=tuple(note for note in found if isinstance(note, str)))


def _distinct(suites: tuple[Suite, ...]) -> tuple[Suite, ...]:
    """Short names where they are enough: the last folder's, else its path; a number where two share even that."""
    last = Counter(PurePosixPath(suite.name).name for suite in suites)
    given: Counter[str] = Counter()
    named = []
    for suite in suites:
        short = PurePosixPath(suite.name).name
        name = short if last[short] == 1 else suite.name
        given[name] += 1
        named.append(replace(suite, name=name if given[name] == 1 else f"{name}-{given[name]}"))
    return tuple(named)
