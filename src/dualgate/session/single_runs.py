"""One run of a plan's suites outside of a session, and the checks that make a single run trusted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.evidence.lone_run import with_writes
from dualgate.core.values.control import Control
from dualgate.core.values.suite import Suite, SuiteReport, merged
from dualgate.display.suites import Differences, SuiteRun
from dualgate.errors import DualgateError, EnvironmentUnhealthy, ExitCode, ProgramNotFound, SuiteUnusable
from dualgate.processes.scratch import scratch_folder
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.detect import SuitePlan
from dualgate.runners.prepare import served
from dualgate.runners.suites import Suites, run_prepared
from dualgate.store.sessions import setup_store
from dualgate.workspace.watching import Watch

UNTOLD = (SuiteUnusable, ProgramNotFound, EnvironmentUnhealthy)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alone:
    """The checks that make a single run trusted: how each suite is weighed, and which files tests may write."""

    weigh: Callable[[Suite, SuiteReport], SuiteReport]
    outputs: tuple[str, ...] = ()


def run_once(
    plan: SuitePlan,
    only: Sequence[str],
    project: Path,
    supervisor: Supervisor,
    control: Control,
    alone: Alone | None = None,
) -> tuple[SuiteReport, tuple[SuiteRun, ...]]:
    """Run each suite once; a set-up made for an earlier run is not repeated. Tests that cannot be run are a report."""
    with scratch_folder("tests") as scratch:
        state = setup_store(project, supervisor.environment) or scratch
        suites = Suites(suites=plan.suites, project=project, supervisor=supervisor, state=state)
        kept = _Keeping(suites=suites) if alone is None else _Weighing(suites=suites, alone=alone, seen=scratch)
        try:
            with served(kept, plan.services, project, supervisor) as runner:
                report = runner.run(control, only)
        except UNTOLD as error:
            return nothing_told(kept.command, error, plan), ()
        return report, kept.runs


def nothing_told(command: tuple[str, ...], error: DualgateError, plan: SuitePlan | None = None) -> SuiteReport:
    runner = "+".join(dict.fromkeys(suite.runner for suite in plan.suites)) if plan else ""
    return SuiteReport(command=command, exit_code=None, runner=runner, problems=(str(error),), complete=False)


def verdict(report: SuiteReport, changed: Differences | None = None) -> ExitCode:
    """The exit code for a report. An unexpected pass is a failure only if the runner reports a failure.

    Beside an earlier run only what is worse counts, as for `dualgate verify`: a test that failed before may fail.
    """
    counts = report.counts
    if not report.trusted:
        return ExitCode.HALTED
    if changed.is_worse if changed else counts.failed or counts.error:
        return ExitCode.ERROR
    return ExitCode.PROVEN if counts.passed or counts.xpassed else ExitCode.HALTED


@dataclass(slots=True, kw_only=True)
class _Keeping:
    """The suites as one runner that keeps the report of each."""

    suites: Suites
    runs: tuple[SuiteRun, ...] = ()

    @property
    def command(self) -> tuple[str, ...]:
        return self.suites.command

    def run(self, control: Control, only: Sequence[str] = ()) -> SuiteReport:
        self.runs = self.suites.run_each(control, only)
        return merged(self.runs)


@dataclass(slots=True, kw_only=True)
class _Weighing(_Keeping):
    """The same, with the checks that make a single run trusted."""

    alone: Alone
    seen: Path

    def run(self, control: Control, only: Sequence[str] = ()) -> SuiteReport:
        works = self.suites.prepared(control, only)
        # set-up and services may write any file; the tests may not
        watch = Watch(self.suites.project, self.seen / "seen", self.alone.outputs)
        self.runs = tuple((suite, self.alone.weigh(suite, run)) for suite, run in run_prepared(works, control))
        return with_writes(merged(self.runs), watch.changed())
