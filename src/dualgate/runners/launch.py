"""Run a suite's own command for the runners that read its report or output: arguments, environment, exit."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dualgate.core.values.answer import Ending
from dualgate.core.values.control import Control
from dualgate.core.values.suite import CaseOutcome, CaseResult, Suite, SuiteReport
from dualgate.languages.registry import languages_of
from dualgate.processes.job import Exit, Job, output_hash, output_tail
from dualgate.runners.base import SuiteRunner
from dualgate.runners.cases import outside_problems, silent_file_problems
from dualgate.runners.fingerprints import describe_program, program_fingerprint
from dualgate.runners.versions import tools_of

REPORT, ONLY = "{report}", "{only}"
_OUTPUT_KEPT = 4000
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh"})
_OPTION_BEFORE_ONLY = re.compile(r"(?P<option>(?<!\S)-\S+\s+)?\{only\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Launched:
    """An ended run, and its job with the output."""

    ended: Exit
    job: Job

    @property
    def last_words(self) -> str:
        return last_words(output_tail(self.job, _OUTPUT_KEPT))


class CommandRunner(SuiteRunner):
    """A runner that starts the suite's command as it is, and reads its report or its output afterwards."""

    def launch(self, words: Sequence[str], scratch: Path, control: Control) -> Launched:
        job = Job(
            argv=words,
            cwd=self.project / self.suite.folder,
            environment=suite_environment(self.supervisor.environment, self.suite, self.project),
            stdout=scratch / "stdout",
            stderr=scratch / "stderr",
            confined=True,
            writable=(scratch,),
        )
        return Launched(ended=self.supervisor.supervise(job, control.within(self.suite.timeout)), job=job)

    def report(
        self, launched: Launched, form: tuple[str, str], results: Sequence[CaseResult], problems: Sequence[str]
    ) -> SuiteReport:
        """The report of a run; `form` is the fact about its form that belongs to the configuration."""
        environment = suite_environment(self.supervisor.environment, self.suite, self.project)
        program = describe_program(self.command, self.project / self.suite.folder, environment)
        return SuiteReport(
            command=self.command,
            exit_code=launched.ended.code,
            runner=self.suite.runner,
            results=tuple(results),
            problems=tuple(problems),
            environment=program_fingerprint(program, environment),
            configuration=(*sorted(program.items()), ("folder", self.suite.folder), form),
            seconds=launched.ended.seconds,
            output_hash=output_hash(launched.job),
            tools=tools_of([program["program"]]),
        )


def last_words(output: str) -> str:
    return " / ".join(line.strip() for line in output.strip().splitlines()[-3:])[:500] or "no output"


def base_environment(given: Mapping[str, str]) -> dict[str, str]:
    """The environment without our session, and with `CI`, so that tools write no snapshots and do not watch files."""
    return {name: value for name, value in given.items() if name != "PRP_SESSION_DIR"} | {"CI": "1"}


def suite_environment(given: Mapping[str, str], suite: Suite, project: Path) -> dict[str, str]:
    """The environment of a suite, with the variables of its languages."""
    environment = base_environment(given)
    for language in languages_of(suite.command, project / suite.folder):
        environment |= language.environment
    return environment


def can_select(command: Sequence[str]) -> bool:
    """Whether the command has a placeholder for the names of single tests."""
    return any(ONLY in word for word in command)


def fill_words(command: Sequence[str], names: Sequence[str] = (), report: Path | None = None) -> tuple[str, ...]:
    """The command with its placeholders filled.

    A word with `{only}` is repeated for each test. If all tests are run, the word is dropped, and an option right
    before a word that is only `{only}` too.
    """
    words = [word.replace(REPORT, str(report)) for word in command]
    if len(words) > 2 and Path(words[0]).name in _SHELLS and words[1].endswith("c"):
        return (*words[:2], _fill_script(words[2], names), *words[3:])
    filled: list[str] = []
    for word in words:
        if ONLY not in word:
            filled.append(word)
        elif names:
            filled += [word.replace(ONLY, name) for name in names]
        elif word == ONLY and filled[1:] and filled[-1].startswith("-"):
            filled.pop()
    return tuple(filled)


def _fill_script(script: str, names: Sequence[str]) -> str:
    quoted = shlex.join(names)
    return _OPTION_BEFORE_ONLY.sub(lambda found: f"{found['option'] or ''}{quoted}" if quoted else "", script)


def narrow(report: SuiteReport, only: Sequence[str]) -> SuiteReport:
    """The report of a run of single tests, without tests that the tool skipped because they were not selected."""
    asked = frozenset(only)
    results = tuple(r for r in report.results if r.id in asked or r.outcome is not CaseOutcome.SKIPPED)
    return replace(report, results=results, only=tuple(only))


def ending_problems(ended: Exit) -> list[str]:
    """Why a run did not end by itself; empty if it did."""
    if ended.ending is not Ending.EXITED:
        return [f"the test run did not end by itself: {ended.ending}"]
    if ended.code is not None and ended.code < 0:
        return [f"the test run was ended by signal {-ended.code}"]
    return []


def result_problems(launched: Launched, results: Sequence[CaseResult]) -> list[str]:
    return exit_problems(launched, results) + outside_problems(results) + silent_file_problems(results)


def exit_problems(launched: Launched, results: Sequence[CaseResult]) -> list[str]:
    """Contradictions between the exit code and the results."""
    code, failed = launched.ended.code, sum(result.failed for result in results)
    if code == 0 and failed:
        return [f"exit code 0 contradicts the report, in which {failed} of {len(results)} tests failed"]
    if code and not failed:
        return [f"exit code {code} contradicts the report, in which no tests failed: {launched.last_words}"]
    return []
