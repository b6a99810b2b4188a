"""ProbePlan -> ProbeReport, for all suites of a project."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dualgate.core.values.control import Control
from dualgate.core.values.probes import VALUE_PROBES, ApartResult, ProbeGroup, ProbePlan, ProbeReport
from dualgate.core.values.suite import SEPARATOR, Suite
from dualgate.errors import DualgateError, Interrupted
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.probes.broken import of_all, of_changes
from dualgate.runners.probes.copies import Apart
from dualgate.runners.probes.launching import Launch, ProbeRun
from dualgate.runners.probes.report import combined, read_probes
from dualgate.runners.report_folder import Event

LAUNCHES: dict[str, Callable[[Suite, Path, Supervisor], Launch]] = {"pytest": Launch, "unittest": Launch}
"""How the suites of a runner are run with probes, for the runners that can be measured."""
LEAST_FOR_COPIES = 30.0
"""Seconds that tests in a copy may take, even if the probes used all time."""
FOREIGN = (AttributeError, KeyError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class SuitesProber:
    suites: tuple[Suite, ...]
    project: Path
    supervisor: Supervisor

    def probe(self, plan: ProbePlan, control: Control) -> ProbeReport:
        """Break code while its tests run, never in the work tree, and report which tests noticed."""
        if not (_has_python(plan) or plan.data or any(group.breaks_unchanged for group in plan.groups)):
            return ProbeReport()
        began = control.clock()
        reports = []
        for number, suite in enumerate(self.suites):
            left = plan.seconds - (control.clock() - began)
            share = left / max(1, sum(each.runner in LAUNCHES for each in self.suites[number:]))
            reports.append(self._probe_suite(suite, replace(plan, seconds=max(1.0, share)), control))
        return replace(combined(reports or [ProbeReport()]), seconds=control.clock() - began)

    def _probe_suite(self, suite: Suite, plan: ProbePlan, control: Control) -> ProbeReport:
        if suite.runner not in LAUNCHES:
            return ProbeReport(problems=(f"suite '{suite.name}' is not measured: probes exist for Python only",))
        launch = LAUNCHES[suite.runner](suite, self.project, self.supervisor)
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
        report = replace(report, problems=(*run.problems, *report.problems), commands=(suite.command,))
        if not reports or not any(_of(events, "finished") for events in run.runs):
            return report
        left = max(LEAST_FOR_COPIES, plan.seconds - report.seconds)
        noticed = {name for probe in report.probes if probe.kind in VALUE_PROBES for name in probe.killed_by}
        groups = tuple(group for group in plan.groups if noticed.isdisjoint(group.tests))
        return replace(report, apart=self._apart(suite, replace(plan, groups=groups), run, control.within(left)))

    def _apart(self, suite: Suite, plan: ProbePlan, run: ProbeRun, control: Control) -> tuple[ApartResult, ...]:
        """Tests of the groups that run nothing in their own process that could be broken."""
        told = [event for events in run.runs for event in _of(events, "tests")]
        seen = {name for event in told for name in (*event["ran"], *event["unknown"], *(n for n, _ in event["unfit"]))}
        started = next(event for events in run.runs for event in _of(events, "started"))
        kept = _tests_of(suite, (group for group in plan.groups if group.breaks_unchanged))
        asked = [test for test in _tests_of(suite, plan.groups) if test not in seen]
        apart = Apart(suite=suite, project=self.project, supervisor=self.supervisor, outputs=plan.outputs)
        broken = of_changes(started, plan.data, self.project)
        results = apart.run([test for test in asked if test not in kept], broken, control)
        if keeping := [test for test in asked if test in kept]:
            results += apart.run(keeping, of_all(self.project, started["path"]), control)
        return results


def _tests_of(suite: Suite, groups: Iterable[ProbeGroup]) -> list[str]:
    """The tests of a suite, by the runner's own ids."""
    start = f"{suite.name}{SEPARATOR}"
    return list(dict.fromkeys(test.removeprefix(start) for g in groups for test in g.tests if test.startswith(start)))


def _of(events: Sequence[Event], name: str) -> list[Event]:
    return [event for event in events if event.get("event") == name]


def _has_python(plan: ProbePlan) -> bool:
    return any(path.endswith(".py") for path in plan.before)
