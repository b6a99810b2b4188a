"""pytest, run in the project's own interpreter, with a report per test that our plug-in writes outside the project."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.values.control import Control
from dualgate.core.values.suite import Suite, SuiteReport
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.report_folder import ReportFolder
from dualgate.runners.reporter_run import run_with_reporter

REPORTER = "pytest_reporter"


@dataclass(frozen=True, slots=True, kw_only=True)
class PytestRunner:
    suite: Suite
    project: Path
    supervisor: Supervisor

    @property
    def command(self) -> tuple[str, ...]:
        return self.suite.command

    def run(self, control: Control, only: Sequence[str] = ()) -> SuiteReport:
        return run_with_reporter(self.suite, self.project, self.supervisor, control, only, self._prepare)

    def _prepare(self, folder: ReportFolder, environment: dict[str, str]) -> tuple[str, ...]:
        plugins = [f"{folder.package}.{REPORTER}", *filter(None, [environment.get("PYTEST_PLUGINS")])]
        environment["PYTEST_PLUGINS"] = ",".join(plugins)
        return self.suite.command
