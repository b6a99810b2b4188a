"""unittest, run in the project's own interpreter: our reporter takes the place of `-m unittest` in the command."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.values.control import Control
from dualgate.core.values.suite import Suite, SuiteReport
from dualgate.errors import SuiteUnusable
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.report_folder import ReportFolder
from dualgate.runners.reporter_run import run_with_reporter

REPORTER = "unittest_reporter"
CALL = re.compile(r"(?<=\s-m )\s*unittest(?=$|[\s;&|)])")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnittestRunner:
    suite: Suite
    project: Path
    supervisor: Supervisor

    @property
    def command(self) -> tuple[str, ...]:
        return self.suite.command

    def run(self, control: Control, only: Sequence[str] = ()) -> SuiteReport:
        return run_with_reporter(self.suite, self.project, self.supervisor, control, only, self._prepare)

    def _prepare(self, folder: ReportFolder, environment: dict[str, str]) -> tuple[str, ...]:
        del environment
        return with_reporter(self.suite.command, f"{folder.package}.{REPORTER}")


def with_reporter(command: Sequence[str], module: str) -> tuple[str, ...]:
    """The same command with another module in place of unittest, in its words or in what a shell is given."""
    found = [module if pair == ("-m", "unittest") else pair[1] for pair in zip(("", *command), command, strict=False)]
    told = tuple(CALL.sub(module, word) for word in found)
    if told == tuple(command):
        raise SuiteUnusable(
            f"'{' '.join(command)}' does not say where unittest is started.",
            "Give a test command with 'python -m unittest' in it.",
        )
    return told
