"""ProbePlan -> ProbeReport, for all suites of a project."""

from dataclasses import dataclass, replace
from pathlib import Path

from dualgate.core.values.control import Control
from dualgate.core.values.probes import ProbePlan, ProbeReport
from dualgate.core.values.suite import SEPARATOR, Suite
from dualgate.errors import DualgateError, Interrupted
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.probes.launching import Launch
from dualgate.runners.probes.report import combined, read_probes

MEASURED = ("pytest", "unittest")
FOREIGN = (AttributeError, KeyError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class SuitesProber:
    suites: tuple[Suite, ...]
    project: Path
    supervisor: Supervisor

    def probe(self, plan: ProbePlan, control: Control) -> ProbeReport:
        """Break code while its tests run, never in the work tree, and report which tests noticed."""
        if not _has_python(plan) and not any(group.breaks_unchanged for group in plan.groups):
            return ProbeReport()
        began = control.clock()
        reports = []
        for number, suite in enumerate(self.suites):
            left = plan.seconds - (control.clock() - began)
            share = left / max(1, sum(each.runner in MEASURED for each in self.suites[number:]))
            reports.append(self._probe_suite(suite, replace(plan, seconds=max(1.0, share)), control))
        return replace(combined(reports or [ProbeReport()]), seconds=control.clock() - began)

    def _probe_suite(self, suite: Suite, plan: ProbePlan, control: Control) -> ProbeReport:
        if suite.runner not in MEASURED:
            return ProbeReport(problems=(f"suite '{suite.name}' is not measured: probes exist for Python only",))
        launch = Launch(suite=suite, project=self.project, supervisor=self.supervisor)
        try:
            run = launch.run(plan, control)
            reports = [read_probes(suite.name, events) for events in run.runs]
        except Interrupted:
            raise
        except DualgateError as error:
            return ProbeReport(problems=(f"suite '{suite.name}' is not measured: {error.message}",))
        except FOREIGN as error:
            why = f"the report was written by somebody else: {type(error).__name__} {error}"
            return ProbeReport(problems=(f"suite '{suite.name}' is not measured: {why}",))
        report = combined(reports or [ProbeReport()])
        return replace(report, problems=(*run.problems, *report.problems))


def _has_python(plan: ProbePlan) -> bool:
    return any(path.endswith(".py") for path in plan.before)


def of_suite(suite: Suite, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if name.startswith(f"{suite.name}{SEPARATOR}"))
