"""Checks: approved commands that prove a criterion or are run before each review, their runs and their events."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from dualgate.core.values.verdict import Move, Verdict

_LINES_TOLD = 3
_LENGTH_TOLD = 300


class Purpose(StrEnum):
    """The purpose of a check; also the name under which it is proposed."""

    LINT = "lint"
    TYPES = "types"
    FORMAT = "format"
    BUILD = "build"
    COVERAGE = "coverage"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A command that is run before any work and before each review: a person configured or approved it."""

    name: str
    command: str
    purpose: Purpose | None = None
    by_file: bool = False
    """Whether it looks at each file alone, so that what it reports is wrong in the file that it names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRun:
    """One run of the command of a check."""

    command: str
    exit_code: int | None
    """None if the command did not end by itself."""
    printed: tuple[str, ...] = ()
    """Texts that the command must print for some criterion, and did print."""
    output: str = ""
    """The end of its output."""
    problem: str = ""
    """Why the run proves nothing: it ran into its time limit, or changed the work tree."""
    tree: str = ""
    written: tuple[str, ...] = ()
    """Paths the run wrote into the work tree besides known test outputs."""
    outputs: tuple[str, ...] = ()
    """Patterns of new files that the run wrote a second time, begun without them: outputs from now on."""
    seconds: float = 0.0
    named: tuple[str, ...] = ()
    """Files of the project that a failed run names; empty if not all are known."""
    is_second: bool = False
    """Whether the same tree was checked a second time, since a check that had passed before any work failed."""
    programs: tuple[str, ...] = ()
    """Installed programs that the command starts, each with a digest of its content; empty in old journals."""
    output_hash: str = ""
    """SHA-256 of what the command printed, standard output first; empty in old journals."""
    tools: tuple[str, ...] = ()
    """These programs and their interpreter with their versions, as far as they are known without running them."""
    commit: str = ""
    """The git commit that was checked out; the tree may differ from it. Empty without a repository."""

    @property
    def last_line(self) -> str:
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        return lines[-1] if lines else "no output"

    @property
    def last_lines(self) -> str:
        """The last lines of the output as one, without lines that only draw."""
        lines = [line.strip() for line in self.output.splitlines() if any(map(str.isalnum, line))]
        return " / ".join(lines[-_LINES_TOLD:])[-_LENGTH_TOLD:] or "no output"


class CheckState(StrEnum):
    """The result of a check, compared with its run before any work."""

    PASSES = "passes"
    BROKEN = "broken"
    """It passed before any work. The agents have to fix it."""
    FAILED_BEFORE = "failed before"
    """It failed before any work too, so the work did not break it."""
    FROZEN = "frozen"
    """It fails in frozen tests only, which nobody may change."""
    NOT_COMPARED = "not compared"
    """It fails, and was not run before any work."""
    UNUSABLE = "unusable"
    """It could not be run before any work, so it is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """The last run of a check; `reason` says after the command why it does not pass, or that it is flaky."""

    name: str
    command: str
    state: CheckState
    reason: str = ""
    output: str = ""
    """The end of the output of a run that did not pass."""
    files: tuple[str, ...] = ()
    """Files that the run names."""
    purpose: Purpose | None = None
    tree: str = ""

    @property
    def is_broken(self) -> bool:
        return self.state is CheckState.BROKEN

    @property
    def sentence(self) -> str:
        """The result in words: for gates, findings, prompts and people."""
        return _SENTENCES[self.state].format(name=self.name, command=self.command, reason=self.reason)


_SENTENCES = {
    CheckState.PASSES: "{name}: `{command}` passes{reason}",
    CheckState.BROKEN: "{name}: `{command}` passed before any work, and now {reason}",
    CheckState.FAILED_BEFORE: "{name}: `{command}` {reason}; it failed before any work too",
    CheckState.FROZEN: "{name}: `{command}` {reason}; it names frozen tests only",
    CheckState.NOT_COMPARED: "{name}: `{command}` {reason}; it was not run before any work",
    CheckState.UNUSABLE: "{name}: `{command}` is left out: before any work it {reason}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckStarted:
    """An approved command of a check starts."""

    kind: ClassVar[str] = "check.started"
    at: datetime
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckEnded:
    """An approved command of a check ended: its exit code, and the tree that was checked."""

    kind: ClassVar[str] = "check.ended"
    at: datetime
    check: CheckRun
    known: bool = False
    """Whether the result was reused because the tree is unchanged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecksFailed:
    """Checks that passed before any work fail on the tree to be reviewed: the reviewer is not asked."""

    kind: ClassVar[str] = "checks.failed"
    at: datetime
    results: tuple[CheckResult, ...]
    verdict: Verdict
    move: Move
