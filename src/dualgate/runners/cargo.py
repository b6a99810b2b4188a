"""Run `cargo test`, read its output, and compare it with its own counts and its exit code."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import PurePosixPath

from dualgate.core.values.control import Control
from dualgate.core.values.suite import FAILURES, CaseOutcome, CaseResult, SuiteReport
from dualgate.languages.parts import read_text
from dualgate.languages.written import WrittenCase
from dualgate.processes.scratch import scratch_folder
from dualgate.runners.cases import MESSAGE_KEPT, CaseFiles, failure_kind, make_unique
from dualgate.runners.launch import CommandRunner, Launched, ending_problems, exit_problems, fill_words
from dualgate.runners.unbuilt import files_missing_work, read_bytes, waiting_results

CALL = re.compile(r"\bcargo(\s+\+\S+)?\s+test\b")
# cargo names each test program on standard error, and the program prints its tests on standard output
MERGE_OUTPUT = ("/bin/sh", "-c", 'exec "$@" 2>&1', "sh")
# follows on the line of a test that ended the process, if one did
PROGRAM = re.compile(
    r"(?:test .* \.\.\.)?\s+Running (?P<unit>unittests )?(?P<file>\S+) \(.*?(?P<name>[^/\\]+)-[0-9a-f]{16}(\.exe)?\)"
)
EXAMPLES = re.compile(r"\s+Doc-tests (?P<name>\S+)")
BEGIN = re.compile(r"running (\d+) tests?")
TEST = re.compile(
    r"test (?P<name>.+?)(?: - (?:should panic|compile(?: fail)?))? \.\.\. (?P<end>ok|FAILED|ignored|bench:)"
)
DETAILS = re.compile(r"---- (?P<name>.+) stdout ----")
END = re.compile(r"test result: \S+ (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured;")
ERROR = re.compile(r"error(?:\[\w+\])?: (?!test failed|\d+ target|doctest failed)")
# the name of an example holds its line number, which changes with the lines above it
LINE = re.compile(r" \(line (\d+)\)")
PACKAGE = re.compile(r'^\s*name\s*=\s*"([\w-]+)"', re.MULTILINE)
OUTPUT_READ = 1 << 20
LINES_KEPT = 500
ENDED_EARLY = "it ended before its tests did"
COUNTED = (CaseOutcome.PASSED, CaseOutcome.FAILED, CaseOutcome.SKIPPED)
OUTCOMES = {
    "ok": CaseOutcome.PASSED,
    "FAILED": CaseOutcome.FAILED,
    "ignored": CaseOutcome.SKIPPED,
    "bench:": CaseOutcome.PASSED,
}


class CargoRunner(CommandRunner):
    def run(self, control: Control, only: Sequence[str] = ()) -> SuiteReport:
        """Run all tests: cargo would select a name in every program."""
        del only
        with scratch_folder("suite", measures=True) as scratch:
            words = (*MERGE_OUTPUT, *fill_words(to_the_end(self.command)))
            launched = self.launch(words, scratch, control)
            with launched.job.stdout.open(encoding="utf-8", errors="replace") as lines:
                output = read_output(lines)
            waiting = () if output.programs else self._waiting(read_text(launched.job.stdout, limit=OUTPUT_READ))
            return self._read(launched, output, waiting)

    def _waiting(self, text: str) -> tuple[CaseResult, ...]:
        """The tests of files that do not compile since work is missing. Nothing is run then, not even other files."""
        folder = self.project / self.suite.folder
        name = PACKAGE.search(read_text(folder / "Cargo.toml"))
        files = CaseFiles(project=self.project, folder=self.suite.folder)
        crate = name[1].replace("-", "_") if name else ""
        found = files_missing_work(text, crate, lambda file: read_text(folder / file)) if crate else ()
        has_library = (folder / "src" / "lib.rs").exists()
        message = "\n".join(line for line in text.splitlines() if ERROR.match(line))
        return tuple(
            result
            for file in found
            for result in waiting_results(
                files.of_file(file), read_bytes(folder / file), partial(_waiting_id, file, crate, has_library), message
            )
        )

    def _read(self, launched: Launched, output: "CargoOutput", waiting: Sequence[CaseResult]) -> SuiteReport:
        files = CaseFiles(project=self.project, folder=self.suite.folder)
        results = make_unique((*waiting, *(read_result(case, files) for case in output.cases)))
        problems = ending_problems(launched.ended)
        complete = not problems and not output.problems
        if not problems and launched.ended.code and output.errors and not any(result.failed for result in results):
            problems = [f"cargo test could not run the tests: {' / '.join(output.errors[:3])}"]
        elif not problems and not output.programs and not waiting:
            problems = [f"cargo test reported no tests (exit code {launched.ended.code}): {launched.last_words}"]
        elif not problems:
            problems = [*output.problems] or exit_problems(launched, results)
        return replace(self.report(launched, ("report", "cargo test"), results, problems), complete=complete)


def _waiting_id(file: str, crate: str, has_library: bool, case: WrittenCase) -> str:
    """The id of a test as its program reports it: one for each file in `tests`, one for the sources."""
    folder, *modules = PurePosixPath(file).with_suffix("").parts
    if folder == "tests":
        return "::".join((modules[-1], *case.names))
    is_binary = modules == ["main"] or not has_library
    modules = modules[:-1] if modules[-1] in ("lib", "main", "mod") else modules
    return "::".join((f"{crate} (bin)" if is_binary else crate, *modules, *case.names))


def to_the_end(command: Sequence[str]) -> tuple[str, ...]:
    """Add --no-fail-fast, so that a failed test does not keep the other programs from running."""
    if "--no-fail-fast" in " ".join(command):
        return tuple(command)
    if command[0].rpartition("/")[2] == "cargo" and "test" in command:
        place = list(command).index("test") + 1
        return (*command[:place], "--no-fail-fast", *command[place:])
    return tuple(CALL.sub(r"\g<0> --no-fail-fast", word) for word in command)


@dataclass(slots=True, kw_only=True)
class CargoCase:
    program: str
    name: str
    outcome: CaseOutcome
    file: str = ""
    details: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class CargoOutput:
    """The tests of all programs, contradictions in the output, and build errors."""

    cases: tuple[CargoCase, ...] = ()
    problems: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    programs: int = 0


def read_output(lines: Iterable[str]) -> CargoOutput:
    rest: Iterator[str] = (line.rstrip("\r\n") for line in lines)
    program, file, count = "", "", 0
    cases, problems, errors = [], [], []
    while (line := next(rest, None)) is not None:
        if found := PROGRAM.match(line):
            name = f"{found['name']} (bin)" if found["unit"] and found["file"].endswith("main.rs") else found["name"]
            program, file = name, "" if found["unit"] else found["file"]
        elif found := EXAMPLES.match(line):
            program, file = f"{found['name']} (doc)", ""
        elif found := BEGIN.fullmatch(line):
            count += 1
            tests, problem, last = _read_tests(rest, int(found[1]))
            cases += [replace(case, program=program, file=file) for case in sorted(tests, key=_place)]
            problems += [f"{program}: {problem}"] if problem else []
            rest = chain(last, rest)
        elif ERROR.match(line):
            errors.append(f"{line} {next(rest, '').strip()}".strip())
    return CargoOutput(cases=tuple(cases), problems=tuple(problems), errors=tuple(errors), programs=count)


def _read_tests(lines: Iterator[str], planned: int) -> tuple[list[CargoCase], str, list[str]]:
    """The tests of one program, contradictions in them, and a line that already belongs to the next program."""
    tests: list[CargoCase] = []
    failed: dict[str, CargoCase] = {}
    detailed: CargoCase | None = None
    is_over = False
    for line in lines:
        if found := END.match(line):
            passed, failures, ignored, measured = map(int, found.groups())
            counted = [sum(case.outcome is each for case in tests) for each in COUNTED]
            fits = counted == [passed + measured, failures, ignored] and sum(counted) == planned
            return tests, "" if fits else f"{planned} tests begin, {counted} are reported, and it says '{line}'", []
        if PROGRAM.match(line) or EXAMPLES.match(line):
            return tests, ENDED_EARLY, [line]
        if found := DETAILS.fullmatch(line):
            detailed = failed.get(found["name"])
        elif line in ("failures:", "successes:"):
            detailed, is_over = None, True
        elif detailed is not None:
            detailed.details += [line] if len(detailed.details) < LINES_KEPT else []
        elif not is_over and (found := TEST.match(line)):
            tests.append(CargoCase(program="", name=found["name"], outcome=OUTCOMES[found["end"]]))
            failed |= {found["name"]: tests[-1]} if found["end"] == "FAILED" else {}
    return tests, ENDED_EARLY, []


def _place(case: CargoCase) -> tuple[str, int]:
    """Sort key: cargo reports tests in the order in which they ended, which differs between runs."""
    line = LINE.search(case.name)
    return LINE.sub("", case.name), int(line[1]) if line else 0


def read_result(case: CargoCase, files: CaseFiles) -> CaseResult:
    message = "\n".join(case.details).partition("\nstack backtrace:")[0].strip()
    return CaseResult(
        id=f"{case.program}::{LINE.sub('', case.name)}",
        outcome=case.outcome,
        file=files.of_file(case.file),
        kind=failure_kind(case.outcome, "", message) if case.outcome in FAILURES else None,
        message=message[:MESSAGE_KEPT],
    )
