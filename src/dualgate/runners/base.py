"""A test runner as the loop sees it: a command to run and a report to read."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from dualgate.core.values.control import Control
from dualgate.core.values.probes import ProbePlan, ProbeReport
from dualgate.core.values.suite import Suite, SuiteReport
from dualgate.processes.supervisor import Supervisor


class Runner(Protocol):
    @property
    def command(self) -> tuple[str, ...]: ...

    def run(self, control: Control, only: Sequence[str] = ()) -> SuiteReport:
        """Run all tests, or those with these ids; progress goes to `control.on_activity`."""
        ...


class Prober(Protocol):
    def probe(self, plan: ProbePlan, control: Control) -> ProbeReport:
        """Break code while its tests run, never in the work tree, and report which tests noticed."""
        ...


@dataclass(frozen=True, slots=True)
class SuiteRunner:
    """The fields of every runner of one suite."""

    suite: Suite
    project: Path
    supervisor: Supervisor

    @property
    def command(self) -> tuple[str, ...]:
        return self.suite.command
