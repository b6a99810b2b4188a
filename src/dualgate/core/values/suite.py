"""Test runs: one result per test, and whether the run is trusted."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from operator import attrgetter
from typing import ClassVar

from dualgate.core.values.vocabulary import CaseOutcome as CaseOutcome
from dualgate.core.values.vocabulary import Counts as Counts

COVERAGE_TOO_LOW = "the tests cover less than the test command asks for"
"""A problem of the whole suite: a run of some tests, or of old ones, is not expected to cover as much."""


class FailureKind(StrEnum):
    ASSERTION = "assertion"
    MISSING = "missing_behaviour"
    BROKEN_FILE = "broken_file"
    BROKEN_TEST = "broken_test"
    """A mistake of the test itself: an unknown fixture or name, or a package that is not installed."""
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """One test suite of a project and how to run it. Its test ids are `name::id`."""

    name: str
    command: tuple[str, ...]
    runner: str = "pytest"
    """The name of the runner that reads its report."""
    folder: str = "."
    """The folder in which the command runs, relative to the project's root."""
    report: str = ""
    """For runners that read a file: pattern of the report files, relative to `folder`."""
    timeout: float | None = None
    required: bool = True
    """Whether the run cannot be trusted without it."""
    setup: tuple[str, ...] = ()
    """Run before the first test run, and again when a lock file of its folder changes."""
    reason: str = ""
    """Why this command was chosen, for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """Defaults for one kind of project; `sign` is the file by which it is detected."""

    name: str
    sign: str
    install: str
    test: str
    check: str
    layout: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Services the tests need: started once, checked for health, stopped at the end."""

    up: str = ""
    health: str = ""
    down: str = ""
    patience: float = 60.0
    """Seconds within which the services must be healthy."""


# SIGKILL and SIGTERM, and the exit codes a shell gives for them
ENDED_BY_OTHERS = frozenset({-9, -15, 128 + 9, 128 + 15})
CHECKS_FILE = "checks a file"
"""The digest of a test by which a plug-in checks a source file: it goes with the file."""
COMMAND_CASE = "the test command"
"""The only test of a command that is read by its exit code."""
FAILURES = frozenset({CaseOutcome.FAILED, CaseOutcome.ERROR})
IDLE = frozenset({CaseOutcome.SKIPPED, CaseOutcome.XFAILED})


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """One test in one run. `digest` hashes its source to detect a changed test; `doc` is its docstring."""

    id: str
    outcome: CaseOutcome
    file: str = ""
    """Path relative to the project's root."""
    line: int | None = None
    digest: str = ""
    body: str = ""
    """A digest of what it does, without its name, docstring and marks: tests with equal ones are one test."""
    doc: str = ""
    kind: FailureKind | None = None
    message: str = ""
    seconds: float = 0.0
    uncollected: bool = False
    """Whether its file could not be collected, since work is missing: any case of its function is this test."""

    @property
    def failed(self) -> bool:
        return self.outcome in FAILURES

    @property
    def is_broken_file(self) -> bool:
        return self.kind is FailureKind.BROKEN_FILE

    @property
    def checks_file(self) -> bool:
        return self.digest == CHECKS_FILE

    @property
    def is_broken_test(self) -> bool:
        return self.kind is FailureKind.BROKEN_TEST


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitePart:
    """The run of one suite in a report of several."""

    suite: str
    command: tuple[str, ...]
    exit_code: int | None
    output_hash: str = ""
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteReport:
    """One test run. Only a report without `problems` is evidence."""

    command: tuple[str, ...]
    exit_code: int | None
    runner: str = "pytest"
    results: tuple[CaseResult, ...] = ()
    problems: tuple[str, ...] = ()
    complete: bool = True
    """Whether the run ended by itself; `results` also holds what an interrupted run reported."""
    only: tuple[str, ...] = ()
    """The selected tests, if not all were run; such a run never proves a phase."""
    tree: str = ""
    written: tuple[str, ...] = ()
    """Paths the run wrote into the work tree besides known test outputs; the run is then not trusted."""
    outputs: tuple[str, ...] = ()
    """Patterns of new files that the run wrote a second time, begun without them: outputs from now on."""
    disturbed: tuple[str, ...] = ()
    """Unchanged tests that fail beside red ones and pass without them: `results` holds how they pass."""
    suites: tuple[str, ...] = ()
    """The suites in this report; test ids begin with the suite's name. Empty for the run of a single suite."""
    notes: tuple[str, ...] = ()
    """Problems that do not make the report untrusted."""
    environment: str = ""
    """A fingerprint of the test environment: interpreter, runner, installed packages, environment variables."""
    configuration: tuple[tuple[str, str], ...] = ()
    """The effective configuration reported by the runner: files, options, plug-ins, fixtures, paths."""
    seconds: float = 0.0
    output_hash: str = ""
    """SHA-256 of what the command printed, standard output first; empty for several suites, and in old journals."""
    tools: tuple[str, ...] = ()
    """Interpreter and runner with their versions, as far as they are known without running them."""
    commit: str = ""
    """The git commit that was checked out; the tree may differ from it. Empty without a repository."""
    parts: tuple[SuitePart, ...] = ()
    """The run of each suite, if there are several."""

    @property
    def trusted(self) -> bool:
        return not self.problems

    @property
    def was_killed(self) -> bool:
        """Whether the run was killed from outside, as by lack of memory; it then says nothing about the tests."""
        return not self.complete and self.exit_code in ENDED_BY_OTHERS

    @property
    def counts(self) -> Counts:
        return Counts(**Counter(map(_OUTCOME, self.results)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A run of some tests on another tree than the present one."""

    tree: str
    results: tuple[CaseResult, ...] = ()
    problems: tuple[str, ...] = ()


NAME_OUTPUTS = "a person can name files that test runs may change in guard.outputs"


def repeated_without(report: SuiteReport, written: tuple[str, ...]) -> SuiteReport:
    """Report a run that wrote new files which may be outputs: another one, begun without them, decides."""
    problem = (
        f"the tests wrote {', '.join(written[:5])}; they run again without these files, to see whether the files are "
        "test output"
    )
    return replace(report, written=written, problems=(*report.problems, problem))


def not_trusted(report: SuiteReport, written: tuple[str, ...]) -> SuiteReport:
    """Report a run during which the work tree changed: it is unclear which state it tested."""
    where = f"tests must write to a temporary folder, or to one that was ignored when the run began; {NAME_OUTPUTS}"
    back = "the files from before are restored ('dualgate snapshot list' has the changed ones)"
    problem = f"the work tree changed while the tests ran: {', '.join(written[:5])}; {back}; {where}"
    return replace(report, written=written, problems=(*report.problems, problem))


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialStarted:
    """The work tree is about to be switched to another tree for a test run; `tree` is restored after it."""

    kind: ClassVar[str] = "trial.started"
    at: datetime
    label: str
    """The tree that is tried, in words."""
    tree: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialEnded:
    """The work tree is restored."""

    kind: ClassVar[str] = "trial.ended"
    at: datetime
    label: str
    tree: str
    """The work tree after the trial."""


_OUTCOME = attrgetter("outcome")
SEPARATOR = "::"


def short_id(name: str, suites: Sequence[str]) -> str:
    """Return the runner's own test id if there is only one suite."""
    return name.removeprefix(f"{suites[0]}{SEPARATOR}") if len(suites) == 1 else name


def merged(reports: Sequence[tuple[Suite, SuiteReport]]) -> SuiteReport:
    """Merge the runs of several suites. Problems of a suite that is not required become notes."""
    several = len(reports) > 1
    problems: list[str] = []
    notes: list[str] = []
    for suite, report in reports:
        where = problems if suite.required else notes
        where += _prefixed(suite, report.problems, several)
        notes += _prefixed(suite, report.notes, several)
    return SuiteReport(
        command=_joined(reports),
        exit_code=_exit_code(report.exit_code for _, report in reports),
        runner="+".join(dict.fromkeys(report.runner for _, report in reports)),
        results=tuple(_named(suite, result) for suite, report in reports for result in report.results),
        problems=tuple(problems),
        notes=tuple(notes),
        complete=all(report.complete for _, report in reports),
        only=tuple(f"{suite.name}{SEPARATOR}{name}" for suite, report in reports for name in report.only),
        suites=tuple(suite.name for suite, _ in reports),
        tree=next((report.tree for _, report in reports), ""),
        environment=" ".join(text for s, r in reports for text in _prefixed(s, filter(None, [r.environment]), several)),
        configuration=tuple(
            (text, value) for s, r in reports for key, value in r.configuration for text in _prefixed(s, [key], several)
        ),
        seconds=max((report.seconds for _, report in reports), default=0.0),
        output_hash="" if several else "".join(report.output_hash for _, report in reports),
        tools=tuple(dict.fromkeys(tool for _, report in reports for tool in report.tools)),
        parts=tuple(_part(suite, report) for suite, report in reports) if several else (),
    )


def _part(suite: Suite, report: SuiteReport) -> SuitePart:
    return SuitePart(
        suite=suite.name,
        command=report.command,
        exit_code=report.exit_code,
        output_hash=report.output_hash,
        tools=report.tools,
    )


def _named(suite: Suite, result: CaseResult) -> CaseResult:
    return replace(result, id=f"{suite.name}{SEPARATOR}{result.id}")


def own_key(key: str) -> str:
    """The key of a fact of the configuration without the suite that it belongs to."""
    return key.rpartition(": ")[2]


def _prefixed(suite: Suite, texts: Iterable[str], several: bool) -> list[str]:
    return [f"{suite.name}: {text}" if several else text for text in texts]


def _joined(reports: Sequence[tuple[Suite, SuiteReport]]) -> tuple[str, ...]:
    """Join the commands with `&&`."""
    words = [word for _, report in reports for word in ("&&", *report.command)]
    return tuple(words[1:])


def _exit_code(codes: Iterable[int | None]) -> int | None:
    """Return the first exit code that is not 0; None, for a killed run, counts as one."""
    return next((code for code in codes if code != 0), 0)
