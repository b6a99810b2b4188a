"""What a test run says: one result per test, and whether the run can be believed."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from operator import attrgetter


class CaseOutcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"


class FailureKind(StrEnum):
    ASSERTION = "assertion"
    MISSING = "missing_behaviour"
    BROKEN_FILE = "broken_file"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """One body of tests of a project, and how it is run. The ids of its tests are `name::id`."""

    name: str
    command: tuple[str, ...]
    runner: str = "pytest"
    """How its report is read: a name in the registry of runners."""
    folder: str = "."
    """Where the command is run, seen from the project's root."""
    report: str = ""
    """Where the command leaves its report, for runners that read a file; a pattern seen from `folder`."""
    timeout: float | None = None
    required: bool = True
    """Whether the run cannot be trusted without it."""
    setup: tuple[str, ...] = ()
    """Run before the first test run, and again when a lock file of its folder changes."""
    reason: str = ""
    """Why this command, for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """What differs from one kind of project to the next; `sign` is the file that gives it away."""

    name: str
    sign: str
    install: str
    test: str
    check: str
    layout: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What the tests need running beside them: started once, asked for its health, taken down at the end."""

    up: str = ""
    health: str = ""
    down: str = ""
    patience: float = 60.0
    """Seconds within which it must be healthy."""


# SIGKILL and SIGTERM, and how a shell tells of them
ENDED_BY_OTHERS = frozenset({-9, -15, 128 + 9, 128 + 15})
FAILURES = frozenset({CaseOutcome.FAILED, CaseOutcome.ERROR})
IDLE = frozenset({CaseOutcome.SKIPPED, CaseOutcome.XFAILED})


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """One test in one run. `digest` is that of its source, so that a changed test is known; `doc` is its docstring."""

    id: str
    outcome: CaseOutcome
    file: str = ""
    """Seen from the project's root."""
    line: int | None = None
    digest: str = ""
    doc: str = ""
    kind: FailureKind | None = None
    message: str = ""
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        return self.outcome in FAILURES

    @property
    def is_broken_file(self) -> bool:
        return self.kind is FailureKind.BROKEN_FILE


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    passed: int = 0
    failed: int = 0
    error: int = 0
    skipped: int = 0
    xfailed: int = 0
    xpassed: int = 0

    @property
    def total(self) -> int:
        return self.passed + self.failed + self.error + self.skipped + self.xfailed + self.xpassed


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteReport:
    """One run of the tests. Only a report without `problems` is evidence; no other pass is worth anything."""

    command: tuple[str, ...]
    exit_code: int | None
    runner: str = "pytest"
    results: tuple[CaseResult, ...] = ()
    problems: tuple[str, ...] = ()
    complete: bool = True
    """Whether the run came to its own end; what was reported before it was cut off is in `results` all the same."""
    only: tuple[str, ...] = ()
    """The tests that were asked for, where not all were: such a run never proves a phase."""
    tree: str = ""
    written: tuple[str, ...] = ()
    """What it wrote into the work tree beside the known outputs of test runs; it is void then."""
    suites: tuple[str, ...] = ()
    """The suites whose results these are; their ids begin with the suite's name. Empty: the run of one by itself."""
    notes: tuple[str, ...] = ()
    """What went wrong and does not keep the report from being evidence."""
    environment: str = ""
    """A fingerprint of what ran the tests: interpreter, runner, installed packages, variables that steer them."""
    configuration: tuple[tuple[str, str], ...] = ()
    """The effective configuration as the runner itself told it: files, options, plug-ins, fixtures, paths."""
    seconds: float = 0.0

    @property
    def trusted(self) -> bool:
        return not self.problems

    @property
    def was_killed(self) -> bool:
        """Whether it was ended from outside, as by a system that is short of memory: then it tells of no test."""
        return not self.complete and self.exit_code in ENDED_BY_OTHERS

    @property
    def counts(self) -> Counts:
        return Counts(**Counter(map(_OUTCOME, self.results)))


def void(report: SuiteReport, written: tuple[str, ...]) -> SuiteReport:
    """Report a run during which the work tree changed: it is unclear which state it tested."""
    where = "tests must write to a temporary folder, or to one that was ignored when the run began"
    back = "what was there before is put back ('dualgate snapshot list' names how it stood)"
    problem = f"the work tree changed while the tests ran: {', '.join(written[:5])}; {back}; {where}"
    return replace(report, written=written, problems=(*report.problems, problem))


_OUTCOME = attrgetter("outcome")
SEPARATOR = "::"


def short_id(name: str, suites: Sequence[str]) -> str:
    """An id as its runner knows it, where only one suite can be meant."""
    return name.removeprefix(f"{suites[0]}{SEPARATOR}") if len(suites) == 1 else name


def merged(reports: Sequence[tuple[Suite, SuiteReport]]) -> SuiteReport:
    """The runs of several suites as one. What is wrong with a suite that is not required is noted and no more."""
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
    )


def _named(suite: Suite, result: CaseResult) -> CaseResult:
    return replace(result, id=f"{suite.name}{SEPARATOR}{result.id}")


def _prefixed(suite: Suite, texts: Iterable[str], several: bool) -> list[str]:
    return [f"{suite.name}: {text}" if several else text for text in texts]


def _joined(reports: Sequence[tuple[Suite, SuiteReport]]) -> tuple[str, ...]:
    """The commands one after another, as a shell would take them."""
    words = [word for _, report in reports for word in ("&&", *report.command)]
    return tuple(words[1:])


def _exit_code(codes: Iterable[int | None]) -> int | None:
    """That of the first that did not end well; None, of one that was ended, does not hide behind another's zero."""
    return next((code for code in codes if code != 0), 0)
