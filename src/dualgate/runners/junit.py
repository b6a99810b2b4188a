"""Run any test command that writes JUnit XML, read its report, and compare it with its exit code."""

import glob
import os
import stat
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dualgate.core.values.control import Control
from dualgate.core.values.suite import FAILURES, CaseOutcome, CaseResult, FailureKind, Suite, SuiteReport
from dualgate.errors import SuiteUnusable
from dualgate.processes.job import output_tail
from dualgate.processes.scratch import scratch_folder
from dualgate.runners.cases import MESSAGE_KEPT, CaseFiles, failure_kind, make_unique, tells_file, without_number
from dualgate.runners.junit_report import Case, read_document_at
from dualgate.runners.launch import (
    REPORT,
    CommandRunner,
    Launched,
    can_select,
    ending_problems,
    fill_words,
    narrow,
    result_problems,
)
from dualgate.runners.mocha import NO_FILES, is_mocha, waiting_file, without_files
from dualgate.runners.unbuilt import tests_of, with_waiting_files

CLOCK_SLACK = 2.0
OUTPUT_READ = 1 << 16
MOST_WAITING = 20
# node writes `test` as the class of every test, and jest-junit `undefined` if there is none
NO_CLASSES = frozenset({"", "test", "undefined"})

Stamp = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class JunitRunner(CommandRunner):
    def __post_init__(self) -> None:
        if not _is_outside(self.suite) and not self.suite.report:
            raise SuiteUnusable(
                f"The suite '{self.suite.name}' does not say where its JUnit XML is.",
                "Put {report} into its command where the path of the report belongs, or name the files in `report`.",
            )

    def run(self, control: Control, only: Sequence[str] = ()) -> SuiteReport:
        names = tuple(map(name_of, only)) if can_select(self.command) else ()
        with scratch_folder("suite", measures=True) as scratch:
            report = self._run(names, scratch, control)
        return narrow(report, only) if names else report

    def _run(self, names: Sequence[str], scratch: Path, control: Control, waiting: Sequence[str] = ()) -> SuiteReport:
        """Run the command. Where mocha cannot load a file that waits for work, the others are run without it."""
        folder = self.project / self.suite.folder
        reports = Reports(place=scratch / "report.xml", folder=folder, suite=self.suite)
        before, started = reports.stamps(), time.time()
        words = without_files(self.command, (os.path.relpath(self.project / file, folder) for file in waiting))
        launched = self.launch(fill_words(words, names, reports.place), scratch, control)
        written = reports.written_since(before)
        report = self._read(launched, written, reports.doubts(written, before, started))
        if written or not launched.ended.code or not is_mocha(" ".join(self.command)):
            return report
        output = output_tail(launched.job, OUTPUT_READ)
        if NO_FILES in output:
            return replace(report, problems=(), complete=True)
        file = waiting_file(output, self.project)
        tests = tests_of(file, output.strip(), self.project, self._waiting_id) if file and file not in waiting else ()
        if not tests or len(waiting) >= MOST_WAITING:
            return report
        others = self._run(names, scratch, control, (*waiting, file))
        # the command as it is ends with this exit code
        return replace(others, results=(*tests, *others.results), exit_code=report.exit_code)

    def _waiting_id(self, file: str, names: Sequence[str], first: Sequence[str]) -> str:
        return waiting_id(" ".join(self.command), file, names, first)

    def _read(self, launched: Launched, written: Sequence[Path], doubts: list[str]) -> SuiteReport:
        documents = [(path, read_document_at(path)) for path in written]
        files = CaseFiles(project=self.project, folder=self.suite.folder)
        found = (read_case(case, files) for _, document in documents for case in document.cases)
        results = make_unique(with_waiting_files(found, self.project, self._waiting_id))
        problems = ending_problems(launched.ended)
        complete = not problems and all(document.complete for _, document in documents) and bool(written)
        problems += doubts if not problems else []
        problems += [f"{path.name}: {problem}" for path, document in documents for problem in document.problems]
        if not problems:
            problems = result_problems(launched, results)
        elif not written:
            problems[-1] += f" (exit code {launched.ended.code}): {launched.last_words}"
        place = "outside the project" if _is_outside(self.suite) else self.suite.report
        return replace(self.report(launched, ("report", place), results, problems), complete=complete)


def _is_outside(suite: Suite) -> bool:
    return any(REPORT in word for word in suite.command)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reports:
    """The files that may be reports, and which of them this run wrote. Files are never moved or removed."""

    place: Path
    """The path for `{report}`: a file, or a folder if the command creates one."""
    folder: Path
    suite: Suite

    def stamps(self) -> dict[Path, Stamp]:
        return {path: stamp for path in self._candidates() if (stamp := _stamp(path))}

    def written_since(self, before: dict[Path, Stamp]) -> list[Path]:
        return sorted(path for path, stamp in self.stamps().items() if before.get(path) != stamp)

    def doubts(self, written: Sequence[Path], before: dict[Path, Stamp], started: float) -> list[str]:
        """Why there is no report, or why it may be from an earlier run."""
        if not written and before:
            return [f"the run wrote no report; {min(before).name} is of an earlier one, perhaps taken for up to date"]
        if not written:
            return ["the test command left no JUnit report"]
        old = [path.name for path in written if path.stat().st_mtime < started - CLOCK_SLACK]
        return [f"{old[0]} is older than the run that should have written it"] if old else []

    def _candidates(self) -> list[Path]:
        if _is_outside(self.suite):
            return [*self.place.glob("**/*.xml")] if self.place.is_dir() else [self.place]
        pattern = os.path.join(glob.escape(str(self.folder)), self.suite.report)  # noqa: PTH118 - a pattern, no path
        # Path.glob does not support absolute patterns
        return [Path(name) for name in glob.iglob(pattern, recursive=True, include_hidden=True)]  # noqa: PTH207


def _stamp(path: Path) -> Stamp | None:
    """Changes when a file is written, even if a tool sets its time back; None if there is no such file."""
    try:
        state = path.stat()
    except OSError:
        return None
    if not stat.S_ISREG(state.st_mode):
        return None
    return state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns


def read_case(case: Case, files: CaseFiles) -> CaseResult:
    # a failed test with the name of a file: that file could not be loaded
    named_file = files.of_file(case.name)
    file = named_file or files.of_file(case.file) or files.of_class(case.classname or case.name)
    file = file or files.of_title(case.classname, case.name)
    kind = None
    if case.outcome in FAILURES:
        kind = failure_kind(case.outcome, case.exception, case.message, case.text)
        kind = FailureKind.BROKEN_FILE if named_file else kind
    broken = kind is FailureKind.BROKEN_FILE
    return CaseResult(
        id=(named_file or (file if broken else "")) or case_id(case, file),
        outcome=CaseOutcome.ERROR if broken else case.outcome,
        file=file,
        line=case.line,
        kind=kind,
        message=(case.text if broken and case.text else case.message)[:MESSAGE_KEPT],
        seconds=case.seconds,
    )


def case_id(case: Case, file: str) -> str:
    """`class::name`, with suites if there is no class, and with the file if the class does not name it."""
    has_class = case.classname not in NO_CLASSES and case.classname != case.name
    groups = (
        [case.classname] if has_class else [name for name in case.suites[1:] if name not in NO_CLASSES | {case.name}]
    )
    needs_file = bool(case.file and file) and not any(tells_file(group, file) for group in groups)
    return "::".join([*([file] if needs_file else []), *groups, case.name or "unnamed"])


def waiting_id(command: str, file: str, names: Sequence[str], first: Sequence[str]) -> str:
    """The id of a test in a file that could not be loaded, as its tool reports it when it can be."""
    if "jest-junit" in command:
        # a suite is named after the group of the first test of its file, a test after its groups and a space
        name = f"{' '.join(names[:-1])} {names[-1]}"
        return "::".join((file, *(group for group in first[:-1][:1] if group != name), name))
    if is_mocha(command):
        return "::".join((file, *filter(None, (" ".join(names[:-1]),)), names[-1]))
    return f"{file}::{' > '.join(names)}"


def name_of(identifier: str) -> str:
    """The tool's name of the test with this id."""
    return without_number(identifier).rpartition("::")[2]
