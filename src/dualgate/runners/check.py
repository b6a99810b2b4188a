"""Run the command of a check, in the same supervised and sandboxed way as the tests, and report how it ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from dualgate.core.values.answer import Ending
from dualgate.core.values.checks import CheckRun
from dualgate.core.values.control import Activity, Control
from dualgate.processes.job import Job, output_tail
from dualgate.processes.scratch import scratch_folder
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.launch import base_environment

SEARCHED = 1 << 20
"""Bytes at the end of the output in which expected texts are looked for."""
KEPT = 2000


class Checker(Protocol):
    def run(self, command: str, prints: Sequence[str], control: Control) -> CheckRun:
        """Run a command; `prints` are the texts whose printing counts."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellChecker:
    """Runs commands in the project's folder. A program that is missing is a failed check, as in a shell."""

    project: Path
    supervisor: Supervisor
    timeout: float | None = None

    def run(self, command: str, prints: Sequence[str], control: Control) -> CheckRun:
        control.on_activity(Activity(source="check", text=command))
        with scratch_folder("check") as scratch:
            job = Job(
                argv=("/bin/sh", "-c", command),
                cwd=self.project,
                environment=base_environment(self.supervisor.environment),
                stdout=scratch / "stdout",
                stderr=scratch / "stderr",
                confined=True,
                writable=(scratch,),
            )
            ended = self.supervisor.supervise(job, control.within(self.timeout))
            output = output_tail(job, SEARCHED)
        return CheckRun(
            command=command,
            exit_code=ended.code,
            printed=tuple(text for text in prints if text in output),
            output=output[-KEPT:],
            problem="" if ended.ending is Ending.EXITED else f"did not end by itself: {ended.ending}",
            seconds=round(ended.seconds, 3),
        )
