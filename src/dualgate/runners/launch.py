"""How a suite's own command is run by the runners that read what it leaves: its words, its surroundings, its end."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dualgate.core.values.answer import Ending
from dualgate.core.values.control import Control
from dualgate.core.values.suite import CaseOutcome, CaseResult, Suite, SuiteReport
from dualgate.languages.registry import languages_of
from dualgate.processes.job import Exit, Job, read_tail
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.fingerprints import describe_program, program_fingerprint

REPORT, ONLY = "{report}", "{only}"
_OUTPUT_KEPT = 4000
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh"})
_OPTION_BEFORE_ONLY = re.compile(r"(?P<option>(?<!\S)-\S+\s+)?\{only\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Launched:
    """A run that is over, and where its words are."""

    ended: Exit
    stdout: Path
    stderr: Path

    @property
    def last_words(self) -> str:
        return last_words(read_tail(self.stdout, _OUTPUT_KEPT) + read_tail(self.stderr, _OUTPUT_KEPT))


def last_words(output: str) -> str:
    return " / ".join(line.strip() for line in output.strip().splitlines()[-3:])[:500] or "no output"


def launch(
    suite: Suite, words: Sequence[str], project: Path, scratch: Path, supervisor: Supervisor, control: Control
) -> Launched:
    job = Job(
        argv=words,
        cwd=project / suite.folder,
        environment=suite_environment(supervisor.environment, suite, project),
        stdout=scratch / "stdout",
        stderr=scratch / "stderr",
        confined=True,
        writable=(scratch,),
    )
    ended = supervisor.supervise(job, control.within(suite.timeout))
    return Launched(ended=ended, stdout=job.stdout, stderr=job.stderr)


def suite_environment(given: Mapping[str, str], suite: Suite, project: Path) -> dict[str, str]:
    """With `CI`, so that tools write no snapshots and do not watch, and with the variables of the suite's languages."""
    environment = {name: value for name, value in given.items() if name != "PRP_SESSION_DIR"} | {"CI": "1"}
    for language in languages_of(suite.command, project / suite.folder):
        environment |= language.environment
    return environment


def can_select(command: Sequence[str]) -> bool:
    """Whether the command has a place for the names of single tests."""
    return any(ONLY in word for word in command)


def fill_words(command: Sequence[str], names: Sequence[str] = (), report: Path | None = None) -> tuple[str, ...]:
    """The command with its places filled.

    A word with `{only}` is there once for each test; where all tests are run it is left out, and with it an option
    that stands right before a `{only}` of its own.
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
    told = " ".join(shlex.quote(name) for name in names)
    return _OPTION_BEFORE_ONLY.sub(lambda found: f"{found['option'] or ''}{told}" if told else "", script)


def narrow(report: SuiteReport, only: Sequence[str]) -> SuiteReport:
    """A run of single tests; those that the tool calls skipped because they were not asked for are left out."""
    asked = frozenset(only)
    results = tuple(r for r in report.results if r.id in asked or r.outcome is not CaseOutcome.SKIPPED)
    return replace(report, results=results, only=tuple(only))


def tell(
    suite: Suite, project: Path, given: Mapping[str, str], launched: Launched, told: tuple[str, str]
) -> SuiteReport:
    """What is known of a run whatever its report says; `told` is what its configuration says of that report."""
    environment = suite_environment(given, suite, project)
    program = describe_program(suite.command, project / suite.folder, environment)
    return SuiteReport(
        command=suite.command,
        exit_code=launched.ended.code,
        runner=suite.runner,
        environment=program_fingerprint(program, environment),
        configuration=(*sorted(program.items()), ("folder", suite.folder), told),
        seconds=launched.ended.seconds,
    )


def ending_problems(ended: Exit) -> list[str]:
    """Why a run did not come to an end of its own, if it did not."""
    if ended.ending is not Ending.EXITED:
        return [f"the test run did not end by itself: {ended.ending}"]
    if ended.code is not None and ended.code < 0:
        return [f"the test run was ended by signal {-ended.code}"]
    return []


def exit_problems(ended: Exit, results: Sequence[CaseResult], last_words: str) -> list[str]:
    """Where the exit code and the results say different things."""
    failed = sum(result.failed for result in results)
    if ended.code == 0 and failed:
        return [f"exit code 0 contradicts the report, in which {failed} of {len(results)} tests failed"]
    if ended.code and not failed:
        return [f"exit code {ended.code} contradicts the report, in which no tests failed: {last_words}"]
    return []
