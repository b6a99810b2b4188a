"""The action of tests: run the project's tests as the loop would, and report the results."""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from dualgate.cli.earlier_report import Earlier, read_earlier
from dualgate.cli.options import settings_from
from dualgate.cli.output import here, say_json, show
from dualgate.cli.progress_line import progress_line
from dualgate.cli.signals import stoppable
from dualgate.core.evidence.lone_run import steering_changes, with_deselection, with_losses, with_writes
from dualgate.core.values.control import Activity, Control
from dualgate.core.values.suite import Suite, SuiteReport, merged
from dualgate.display.suites import (
    Differences,
    SuiteRun,
    differences,
    list_lines,
    listed_suite,
    suites_lines,
    suites_record,
)
from dualgate.errors import DualgateError, EnvironmentUnhealthy, ExitCode, ProgramNotFound, SettingError, SuiteUnusable
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.detect import Find, SuitePlan, detect, detect_by_files, require_suites
from dualgate.runners.prepare import served
from dualgate.runners.suites import Suites, run_prepared
from dualgate.session.suites import plan_of
from dualgate.store.sessions import setup_store
from dualgate.workspace.repository import head_commit, repository_root
from dualgate.workspace.watching import Watch

UNTOLD = (SuiteUnusable, ProgramNotFound, EnvironmentUnhealthy)


def run_tests(is_list: bool, as_json: bool, options: Mapping[str, Any]) -> int:
    earlier = _earlier(options["against"])
    try:
        plan = _plan(options, detect_by_files if is_list else detect)
    except SuiteUnusable as error:
        return _told(_nothing_told((), error), (), earlier, as_json)
    if is_list:
        return _listed(plan, as_json)
    commit = head_commit(repository_root(here()))
    report, runs = run_plan(plan, options["only"], _alone(earlier))
    report = replace(report, commit=commit)
    if not as_json:
        show(list_lines((), plan.notes))
    return _told(report, runs, earlier, as_json)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Alone:
    """The checks that make a single run trusted: how each suite is weighed, and which files tests may write."""

    weigh: Callable[[Suite, SuiteReport], SuiteReport]
    outputs: tuple[str, ...] = ()


def _alone(earlier: Earlier | None) -> Alone:
    known = earlier.configurations if earlier else {}
    return Alone(
        weigh=lambda suite, run: with_deselection(run, known.get(suite.name, ())),
        outputs=settings_from({}).settings.guard.outputs,
    )


def _earlier(file: Path | None) -> Earlier | None:
    try:
        return read_earlier(file) if file else None
    except SettingError as error:
        raise click.UsageError(str(error)) from error


def _plan(options: Mapping[str, Any], find: Find) -> SuitePlan:
    settings = settings_from({"test_command": options["test_command"]}).settings
    plan = require_suites(plan_of(settings, here(), os.environ, options["runner"], find))
    known = [suite.name for suite in plan.suites]
    for name in options["names"]:
        if name not in known:
            raise click.UsageError(f"There is no suite '{name}'. There are: {', '.join(known)}.")
    chosen = tuple(suite for suite in plan.suites if suite.name in (options["names"] or known))
    if options["timeout"]:
        chosen = tuple(replace(suite, timeout=options["timeout"]) for suite in chosen)
    return replace(plan, suites=chosen)


def _listed(plan: SuitePlan, as_json: bool) -> ExitCode:
    if as_json:
        say_json({"suites": [listed_suite(suite) for suite in plan.suites], "notes": list(plan.notes)})
    else:
        show(list_lines(plan.suites, plan.notes))
    return ExitCode.PROVEN


def run_plan(
    plan: SuitePlan, only: Sequence[str], alone: Alone | None = None
) -> tuple[SuiteReport, tuple[SuiteRun, ...]]:
    """Run each suite once; a set-up made for an earlier run is not repeated."""
    supervisor = Supervisor(os.environ)
    with tempfile.TemporaryDirectory(prefix="dualgate-tests-") as scratch, stoppable(supervisor.jobs) as control:
        state = setup_store(here(), os.environ) or Path(scratch)
        suites = Suites(suites=plan.suites, project=here(), supervisor=supervisor, state=state)
        kept = _Keeping(suites=suites) if alone is None else _Weighing(suites=suites, alone=alone, seen=Path(scratch))
        try:
            with (
                served(kept, plan.services, here(), supervisor) as runner,
                progress_line(control, in_log=False) as (live, speaking),
            ):
                live.heard(Activity(source="tests", text=""))
                report = runner.run(speaking, only)
        except SettingError as error:
            raise click.UsageError(str(error)) from error
        except UNTOLD as error:
            return _nothing_told(kept.command, error, plan), ()
        return report, kept.runs


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


def _nothing_told(command: tuple[str, ...], error: DualgateError, plan: SuitePlan | None = None) -> SuiteReport:
    runner = "+".join(dict.fromkeys(suite.runner for suite in plan.suites)) if plan else ""
    return SuiteReport(command=command, exit_code=None, runner=runner, problems=(str(error),), complete=False)


def _told(report: SuiteReport, runs: Sequence[SuiteRun], earlier: Earlier | None, as_json: bool) -> ExitCode:
    changed = None if earlier is None else differences(earlier.results, report)
    if earlier and changed:
        report = _with_losses(report, runs, earlier, changed)
    if as_json:
        say_json(suites_record(report, runs, changed))
    else:
        show(suites_lines(report, runs, changed))
    return verdict(report, changed)


def _with_losses(report: SuiteReport, runs: Sequence[SuiteRun], earlier: Earlier, changed: Differences) -> SuiteReport:
    steered = (
        text
        for suite, run in runs
        for text in steering_changes(earlier.configurations.get(suite.name, ()), run.configuration)
    )
    return with_losses(report, changed.vanished, tuple(dict.fromkeys(steered)))
