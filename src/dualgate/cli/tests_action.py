"""The action of tests: run the project's tests as the loop would, and report the results."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from dualgate.cli.earlier_report import Earlier, read_earlier
from dualgate.cli.killed import tell_killed_step
from dualgate.cli.options import settings_from
from dualgate.cli.output import here, say_json, show
from dualgate.cli.progress_line import progress_line
from dualgate.cli.signals import stoppable
from dualgate.core.evidence.lone_run import steering_changes, with_deselection, with_losses
from dualgate.core.values.control import Activity
from dualgate.core.values.suite import SuiteReport
from dualgate.display.suites import (
    Differences,
    SuiteRun,
    differences,
    list_lines,
    listed_suite,
    suites_lines,
    suites_record,
)
from dualgate.errors import ExitCode, SettingError, SuiteUnusable
from dualgate.fleet.variables import environment_in
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.detect import Find, SuitePlan, detect, detect_by_files, require_suites
from dualgate.session.single_runs import Alone, nothing_told, run_once, verdict
from dualgate.session.suites import plan_of
from dualgate.workspace.repository import head_commit, repository_root


def run_tests(is_list: bool, as_json: bool, options: Mapping[str, Any]) -> int:
    earlier = _earlier(options["against"])
    try:
        plan = _plan(options, detect_by_files if is_list else detect)
    except SuiteUnusable as error:
        return _told(nothing_told((), error), (), earlier, as_json)
    if is_list:
        return _listed(plan, as_json)
    tell_killed_step()
    commit = head_commit(repository_root(here()))
    report, runs = run_plan(plan, options["only"], _alone(earlier))
    report = replace(report, commit=commit)
    if not as_json:
        show(list_lines((), plan.notes))
    return _told(report, runs, earlier, as_json)


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
    plan = require_suites(plan_of(settings, here(), environment_in(here(), os.environ), options["runner"], find))
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
    supervisor = Supervisor(environment_in(here(), os.environ))
    with stoppable(supervisor.jobs) as control, progress_line(control, in_log=False) as (live, speaking):
        live.heard(Activity(source="tests", text=""))
        try:
            return run_once(plan, only, here(), supervisor, speaking, alone)
        except SettingError as error:
            raise click.UsageError(str(error)) from error


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
