"""Run any test command that writes TAP to standard output, read it, and compare it with the exit code."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from dualgate.core.values.control import Activity, Control
from dualgate.core.values.suite import FAILURES, CaseOutcome, CaseResult, FailureKind, SuiteReport
from dualgate.processes.scratch import scratch_folder
from dualgate.runners.cases import MESSAGE_KEPT, CaseFiles, failure_kind, make_unique, without_number
from dualgate.runners.launch import (
    CommandRunner,
    Launched,
    can_select,
    ending_problems,
    fill_words,
    narrow,
    result_problems,
)
from dualgate.runners.tap_report import Point, TapReport, read_tap, tap_lines
from dualgate.runners.unbuilt import with_waiting_files

PLACE = re.compile(r"(?P<file>(?:file://)?[^\s()'\"]+?):(?P<line>\d{1,9})(?::\d+)?\)?\s*$")
PLACE_IN_WORDS = re.compile(r"in test file (?P<file>[^,]+), line (?P<line>\d{1,9})")
READ_AT_ONCE = 1 << 20
# (ok, directive) -> outcome
OUTCOMES = {
    (True, ""): CaseOutcome.PASSED,
    (False, ""): CaseOutcome.FAILED,
    (True, "skip"): CaseOutcome.SKIPPED,
    (False, "skip"): CaseOutcome.SKIPPED,
    (True, "todo"): CaseOutcome.XPASSED,
    (False, "todo"): CaseOutcome.XFAILED,
}


class TapRunner(CommandRunner):
    def run(self, control: Control, only: Sequence[str] = ()) -> SuiteReport:
        names = tuple(map(name_of, only)) if can_select(self.command) else ()
        with scratch_folder("suite", measures=True) as scratch:
            watched = replace(control, on_activity=watch_tests(scratch / "stdout", control.on_activity))
            launched = self.launch(fill_words(self.command, names), scratch, watched)
            with launched.job.stdout.open("rb") as file:
                report = self._read(launched, read_tap(tap_lines(file)))
        return narrow(report, only) if names else report

    def _read(self, launched: Launched, tap: TapReport) -> SuiteReport:
        files = CaseFiles(project=self.project, folder=self.suite.folder)
        found = (read_result(point, files) for point in tap.points)
        results = make_unique(with_waiting_files(found, self.project, lambda _, names, __: " > ".join(names)))
        problems = ending_problems(launched.ended)
        complete = tap.complete and not problems
        problems += tap.problems
        if not problems and not results and launched.ended.code:
            problems = [f"the test command wrote no TAP (exit code {launched.ended.code}): {launched.last_words}"]
        elif not problems and not tap.has_plan:
            problems = [f"the test command wrote no TAP: {launched.last_words}"]
        elif not problems:
            problems = result_problems(launched, results)
        return replace(self.report(launched, ("tap", tap.version or "12"), results, problems), complete=complete)


def watch_tests(stdout: Path, tell: Callable[[Activity], None]) -> Callable[[Activity], None]:
    """Report the number of tests so far whenever there is new output."""
    place, counts = 0, {"": 0, "not ": 0}

    def watch(activity: Activity) -> None:
        nonlocal place
        with stdout.open("rb") as file:
            file.seek(place)
            piece = file.read(READ_AT_ONCE)
        # a line that is still being written is read next time
        end = piece.rfind(b"\n") + 1 or (len(piece) if len(piece) == READ_AT_ONCE else 0)
        place += end
        for found in re.finditer(rb"^\s*(not )?ok\b", piece[:end], re.MULTILINE):
            counts[(found[1] or b"").decode()] += 1
        tests = sum(counts.values())
        tell(Activity(source="tests", text=f"{tests} tests, {counts['not ']} not ok") if tests else activity)

    return watch


def read_result(point: Point, files: CaseFiles) -> CaseResult:
    line, details = point.line, point.details
    outcome = OUTCOMES[line.ok, line.directive]
    named_file = files.of_file(line.description)
    file, number = _place(point, files)
    message = _message(point)
    kind = None
    if outcome in FAILURES:
        text = "\n".join([*details.values(), *point.notes])
        kind = failure_kind(outcome, f"{details.get('name', '')} {details.get('code', '')}", message, text)
        if point.stands_for_file or (named_file and "exitCode" in details):
            outcome = CaseOutcome.ERROR
            kind = FailureKind.OTHER if point.ran_partly else FailureKind.BROKEN_FILE
            message = "\n".join(point.above) or message
    return CaseResult(
        id=_identifier(point, files),
        outcome=outcome,
        file=named_file or file or files.of_title(*point.groups, line.description),
        line=number,
        kind=kind,
        message=message[:MESSAGE_KEPT],
        seconds=line.seconds or _seconds(details.get("duration_ms", "")),
    )


def name_of(identifier: str) -> str:
    """The tool's name of the test with this id."""
    return without_number(identifier).rpartition("::")[2].rpartition(" > ")[2]


def _identifier(point: Point, files: CaseFiles) -> str:
    description = files.shorten(point.line.description)
    if not description and not point.stands_for_file:
        description = f"test {point.line.number}" if point.line.number else "unnamed"
    groups = [files.shorten(group) for group in point.groups]
    name = " > ".join([*groups, description] if description else groups)
    return "::".join(filter(None, [point.file, name]))


def _place(point: Point, files: CaseFiles) -> tuple[str, int | None]:
    """File and line of a test: from its diagnostics, else from a remark, else the file that prove ran."""
    details = point.details
    told = [PLACE.search(f"{details.get('file', '')}:{details.get('line', '')}")]
    told += [PLACE.search(details.get(key, "")) for key in ("location", "at")]
    told += [PLACE_IN_WORDS.search(note) for note in point.notes]
    for found in filter(None, told):
        file = files.of_file(found["file"])
        # a line of an assertion library is not the test's line
        if file and not file.startswith("..") and "node_modules/" not in file:
            return file, int(found["line"])
    return files.of_file(point.file), None


def _message(point: Point) -> str:
    details = point.details
    told = next((details[key] for key in ("message", "error") if details.get(key)), "")
    if not told and "expected" in details:
        told = (
            f"{details.get('operator', '')} expected: {details['expected']} actual: {details.get('actual', '')}".strip()
        )
    return told or "\n".join(point.notes) or point.line.reason


def _seconds(milliseconds: str) -> float:
    try:
        seconds = float(milliseconds) / 1000
    except ValueError:
        return 0.0
    return seconds if 0 <= seconds < 1e9 else 0.0
