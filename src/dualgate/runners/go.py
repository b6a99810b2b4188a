"""`go test -json`: run, and its events read and compared with how it ended."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dualgate.core.values.control import Control
from dualgate.core.values.suite import FAILURES, CaseOutcome, CaseResult, Suite, SuiteReport
from dualgate.languages.parts import read_text
from dualgate.processes.scratch import scratch_folder
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.cases import MESSAGE_KEPT, failure_kind
from dualgate.runners.launch import Launched, ending_problems, exit_problems, fill_words, launch, tell

CALL = re.compile(r"\bgo\s+test\b")
MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
# output that says how the run goes on and not why a test fails
FRAME = re.compile(r"\s*(=== (RUN|PAUSE|CONT|NAME)|--- (FAIL|PASS|SKIP):)")
LINES_KEPT = 500
OUTCOMES = {"pass": CaseOutcome.PASSED, "fail": CaseOutcome.FAILED, "skip": CaseOutcome.SKIPPED}


@dataclass(frozen=True, slots=True, kw_only=True)
class GoRunner:
    suite: Suite
    project: Path
    supervisor: Supervisor

    @property
    def command(self) -> tuple[str, ...]:
        return self.suite.command

    def run(self, control: Control, only: Sequence[str] = ()) -> SuiteReport:
        """All tests: a name means the tests of that name in every package."""
        del only
        with scratch_folder("suite") as scratch:
            launched = launch(
                self.suite, fill_words(with_json(self.command)), self.project, scratch, self.supervisor, control
            )
            with launched.stdout.open(encoding="utf-8", errors="replace") as lines:
                packages = read_events(lines)
            add_build_errors(packages, read_text(launched.stderr).splitlines(keepends=True))
            return self._read(launched, packages)

    def _read(self, launched: Launched, packages: "dict[str, Package]") -> SuiteReport:
        results = tuple(read_results(packages, Sources(folder=self.project / self.suite.folder, root=self.project)))
        problems = ending_problems(launched.ended)
        complete = not problems and bool(packages)
        if not problems and not packages:
            problems = [f"go test wrote no events (exit code {launched.ended.code}): {launched.last_words}"]
        elif not problems:
            problems = [*unfinished(packages), *exit_problems(launched.ended, results, launched.last_words)]
        known = tell(self.suite, self.project, self.supervisor.environment, launched, ("report", "go test -json"))
        return replace(known, results=results, problems=tuple(problems), complete=complete)


def with_json(command: Sequence[str]) -> tuple[str, ...]:
    """Add -json, and -count=1 so that go does not reuse cached results."""
    text = " ".join(command)
    flags = [flag for flag, sign in (("-json", "-json"), ("-count=1", "-count")) if sign not in text]
    if tuple(command[:2]) == ("go", "test"):
        return ("go", "test", *flags, *command[2:])
    return tuple(CALL.sub(lambda call: " ".join([call[0], *flags]), word) for word in command)


@dataclass(slots=True, kw_only=True)
class Case:
    """A test or a whole package: its last action and its output."""

    ended: str = ""
    seconds: float = 0.0
    output: list[str] = field(default_factory=list)

    @property
    def message(self) -> str:
        return "".join(line for line in self.output if not FRAME.match(line)).strip()


@dataclass(slots=True, kw_only=True)
class Package(Case):
    tests: dict[str, Case] = field(default_factory=dict)


def read_events(lines: Iterable[str]) -> dict[str, Package]:
    """The packages by name. Lines that are no events are left out: a build may write to the same place."""
    packages: dict[str, Package] = {}
    built: dict[str, list[str]] = {}
    for event in _events(lines):
        action, output = str(event.get("Action")), str(event.get("Output", ""))
        if "Package" not in event:
            built.setdefault(str(event.get("ImportPath")), []).append(output)
            continue
        package = packages.setdefault(str(event["Package"]), Package())
        case = package.tests.setdefault(str(event["Test"]), Case()) if event.get("Test") else package
        if len(case.output) < LINES_KEPT:
            case.output.append(output)
        case.output += built.pop(str(event.get("FailedBuild")), [])
        if action in OUTCOMES:
            case.ended, case.seconds = action, _seconds(event.get("Elapsed"))
    return packages


def add_build_errors(packages: dict[str, Package], lines: Iterable[str]) -> None:
    """Before Go 1.24 the build errors are on standard error, below a line that names the package."""
    package = None
    for line in lines:
        if line.startswith("# "):
            package = packages.get("".join(line.split()[1:2]))
        elif package is not None and package.ended == "fail":
            package.output.append(line)


def _events(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict):
            yield event


def _seconds(elapsed: object) -> float:
    return float(elapsed) if isinstance(elapsed, int | float) and 0 <= elapsed < 1e9 else 0.0


def read_results(packages: "dict[str, Package]", sources: "Sources") -> Iterator[CaseResult]:
    for name, package in packages.items():
        failed = [case for case in package.tests.values() if case.ended in ("fail", "")]
        for test, case in package.tests.items():
            if case.ended or package.ended == "fail":
                yield _result(f"{name}::{test}", case, sources.file_of(name, test))
        if package.ended == "fail" and not failed:
            yield _result(name, package, "")


def _result(identifier: str, case: Case, file: str) -> CaseResult:
    """A test without a result, or a package that fails without a failed test, broke off or was not built."""
    is_test = "::" in identifier and bool(case.ended)
    outcome = OUTCOMES[case.ended] if is_test else CaseOutcome.ERROR
    message = case.message
    return CaseResult(
        id=identifier,
        outcome=outcome,
        file=file,
        kind=failure_kind(outcome, "", message) if outcome in FAILURES else None,
        message=message[:MESSAGE_KEPT],
        seconds=case.seconds,
    )


def unfinished(packages: "dict[str, Package]") -> list[str]:
    """Packages without a result, and tests without one in a package that passed."""
    found = [name for name, package in packages.items() if not package.ended]
    for name, package in packages.items():
        if package.ended not in ("", "fail"):
            found += [f"{name}::{test}" for test, case in package.tests.items() if not case.ended]
    return [f"{name} did not end" for name in found]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Finds the file of a test: events name packages and tests alone."""

    folder: Path
    root: Path
    texts: dict[str, dict[str, str]] = field(default_factory=dict)

    def file_of(self, package: str, test: str) -> str:
        if package not in self.texts:
            self.texts[package] = dict(self._read(package))
        function = re.compile(rf"^func {re.escape(test.partition('/')[0])}\(", re.MULTILINE)
        return next((file for file, text in self.texts[package].items() if function.search(text)), "")

    def _read(self, package: str) -> Iterator[tuple[str, str]]:
        module = MODULE.search(read_text(self.folder / "go.mod"))
        if module is None or not f"{package}/".startswith(f"{module[1]}/"):
            return
        for path in sorted((self.folder / package.removeprefix(module[1]).strip("/")).glob("*_test.go")):
            yield path.relative_to(self.root).as_posix(), read_text(path, limit=1 << 22)
