"""Run `go test -json`, read its events, and compare them with its exit code."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dualgate.core.values.control import Control
from dualgate.core.values.suite import FAILURES, CaseOutcome, CaseResult, SuiteReport
from dualgate.languages.parts import read_text
from dualgate.processes.scratch import scratch_folder
from dualgate.runners.cases import MESSAGE_KEPT, failure_kind
from dualgate.runners.launch import CommandRunner, Launched, ending_problems, exit_problems, fill_words
from dualgate.runners.unbuilt import is_missing_in_go, waiting_results

_CALL = re.compile(r"\bgo\s+test\b")
_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
# lines about progress, which do not say why a test fails
_FRAME = re.compile(r"\s*(=== (RUN|PAUSE|CONT|NAME)|--- (FAIL|PASS|SKIP):)")
_UNBUILT = re.compile(r"FAIL\t(\S+) \[(?:build|setup) failed\]")
_LINES_KEPT = 500
_OUTCOMES = {"pass": CaseOutcome.PASSED, "fail": CaseOutcome.FAILED, "skip": CaseOutcome.SKIPPED}


class GoRunner(CommandRunner):
    def run(self, control: Control, only: Sequence[str] = ()) -> SuiteReport:
        """Run all tests: go would select a name in every package."""
        del only
        with scratch_folder("suite", measures=True) as scratch:
            launched = self.launch(fill_words(with_json(self.command)), scratch, control)
            with launched.job.stdout.open(encoding="utf-8", errors="replace") as lines:
                packages = read_events(lines)
            add_build_errors(packages, read_text(launched.job.stderr).splitlines(keepends=True))
            return self._read(launched, packages)

    def _read(self, launched: Launched, packages: "dict[str, GoPackage]") -> SuiteReport:
        results = tuple(read_results(packages, GoSources(folder=self.project / self.suite.folder, root=self.project)))
        problems = ending_problems(launched.ended)
        complete = not problems and bool(packages)
        if not problems and not packages:
            problems = [f"go test wrote no events (exit code {launched.ended.code}): {launched.last_words}"]
        elif not problems:
            problems = [*unfinished(packages), *exit_problems(launched, results)]
        return replace(self.report(launched, ("report", "go test -json"), results, problems), complete=complete)


def with_json(command: Sequence[str]) -> tuple[str, ...]:
    """Add -json, and -count=1 so that go does not reuse cached results."""
    text = " ".join(command)
    flags = [flag for flag, sign in (("-json", "-json"), ("-count=1", "-count")) if sign not in text]
    if tuple(command[:2]) == ("go", "test"):
        return ("go", "test", *flags, *command[2:])
    return tuple(_CALL.sub(lambda call: " ".join([call[0], *flags]), word) for word in command)


@dataclass(slots=True, kw_only=True)
class GoCase:
    """A test or a whole package: its last action and its output."""

    ended: str = ""
    seconds: float = 0.0
    output: list[str] = field(default_factory=list)

    @property
    def message(self) -> str:
        return "".join(line for line in self.output if not _FRAME.match(line)).strip()


@dataclass(slots=True, kw_only=True)
class GoPackage(GoCase):
    tests: dict[str, GoCase] = field(default_factory=dict)


def read_events(lines: Iterable[str]) -> dict[str, GoPackage]:
    """The packages by name. Other lines are ignored: a build may write to the same output."""
    packages: dict[str, GoPackage] = {}
    built: dict[str, list[str]] = {}
    for event in _events(lines):
        action, output = str(event.get("Action")), str(event.get("Output", ""))
        if not event.get("Package"):
            built.setdefault(str(event.get("ImportPath")), []).append(output)
            continue
        package = packages.setdefault(str(event["Package"]), GoPackage())
        case = package.tests.setdefault(str(event["Test"]), GoCase()) if event.get("Test") else package
        if len(case.output) < _LINES_KEPT:
            case.output.append(output)
        case.output += built.pop(str(event.get("FailedBuild")), [])
        if action in _OUTCOMES:
            case.ended, case.seconds = action, _seconds(event.get("Elapsed"))
    return packages


def add_build_errors(packages: dict[str, GoPackage], lines: Iterable[str]) -> None:
    """Before Go 1.24 the build errors are on standard error, below a line that names the package."""
    package = None
    for line in lines:
        if line.startswith("# "):
            package = packages.get("".join(line.split()[1:2]))
        elif package is not None and package.ended == "fail":
            package.output.append(line)


def _events(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        if unbuilt := _UNBUILT.match(line):  # before Go 1.20 this is no event
            yield {"Action": "fail", "Package": unbuilt[1], "Output": line}
            continue
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict):
            yield event


def _seconds(elapsed: object) -> float:
    return float(elapsed) if isinstance(elapsed, int | float) and 0 <= elapsed < 1e9 else 0.0


def read_results(packages: "dict[str, GoPackage]", sources: "GoSources") -> Iterator[CaseResult]:
    for name, package in packages.items():
        failed = [case for case in package.tests.values() if case.ended in ("fail", "")]
        for test, case in package.tests.items():
            if case.ended or package.ended == "fail":
                yield _result(f"{name}::{test}", case, sources.file_of(name, test))
        if package.ended == "fail" and not failed:
            yield from sources.waiting(name, package.message) or (_result(name, package, ""),)


def _result(identifier: str, case: GoCase, file: str) -> CaseResult:
    """A test without a result, or a failing package without a failed test, is an error: it crashed or was not built."""
    is_test = "::" in identifier and bool(case.ended)
    outcome = _OUTCOMES[case.ended] if is_test else CaseOutcome.ERROR
    message = case.message
    return CaseResult(
        id=identifier,
        outcome=outcome,
        file=file,
        kind=failure_kind(outcome, "", message) if outcome in FAILURES else None,
        message=message[:MESSAGE_KEPT],
        seconds=case.seconds,
    )


def unfinished(packages: "dict[str, GoPackage]") -> list[str]:
    """Packages without a result, and tests without one in a package that passed."""
    found = [name for name, package in packages.items() if not package.ended]
    for name, package in packages.items():
        if package.ended not in ("", "fail"):
            found += [f"{name}::{test}" for test, case in package.tests.items() if not case.ended]
    return [f"{name} did not end" for name in found]


@dataclass(frozen=True, slots=True, kw_only=True)
class GoSources:
    """Finds the file of a test, since events name only packages and tests."""

    folder: Path
    root: Path
    texts: dict[str, dict[str, str]] = field(default_factory=dict)

    def file_of(self, package: str, test: str) -> str:
        if package not in self.texts:
            self.texts[package] = dict(self._read(package))
        function = re.compile(rf"^func {re.escape(test.partition('/')[0])}\(", re.MULTILINE)
        return next((file for file, text in self.texts[package].items() if function.search(text)), "")

    def waiting(self, package: str, message: str) -> tuple[CaseResult, ...]:
        """The tests of a package that does not compile since work is missing; empty if it is broken."""
        if not is_missing_in_go(message, self._module, lambda file: read_text(self.folder / file)):
            return ()
        name = f"{package.partition(' ')[0]}::"
        return tuple(
            result
            for file, text in self._read(package)
            for result in waiting_results(file, text.encode(), lambda case: name + case.names[0], message)
        )

    @property
    def _module(self) -> str:
        found = _MODULE.search(read_text(self.folder / "go.mod"))
        return found[1] if found else ""

    def _read(self, package: str) -> Iterator[tuple[str, str]]:
        module = self._module
        if not module or not f"{package}/".startswith(f"{module}/"):
            return
        for path in sorted((self.folder / package.removeprefix(module).strip("/")).glob("*_test.go")):
            yield path.relative_to(self.root).as_posix(), read_text(path, limit=1 << 22)
