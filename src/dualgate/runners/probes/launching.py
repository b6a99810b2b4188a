"""One suite and a plan -> the events that its own command reports, run with our plug-in or driver."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dualgate.core.values.answer import Ending
from dualgate.core.values.changes import RUN_NUMBER
from dualgate.core.values.control import Activity, Control
from dualgate.core.values.probes import ProbePlan
from dualgate.core.values.suite import SEPARATOR, Suite
from dualgate.processes.job import Job, output_tail
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.launch import last_words
from dualgate.runners.python import load_plugin, reporting_environment, with_reporter
from dualgate.runners.report_folder import Event, ReportFolder, open_report_folder, write_modules
from dualgate.runners.reporter_files import PACKAGE, reporter_files
from dualgate.runners.tox import with_tox

OUTPUT_KEPT = 4000
GRACE = 60.0
"""Seconds that a run may take beyond the time for its probes, to start and to report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeRun:
    """The reports of the test runners that one command started, and why there are none."""

    runs: tuple[tuple[Event, ...], ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Launch:
    suite: Suite
    project: Path
    supervisor: Supervisor

    def run(self, plan: ProbePlan, control: Control) -> ProbeRun:
        with open_report_folder((), _ignore) as folder:
            self._lay_out(folder, plan)
            given = with_tox(self.supervisor.environment, self.project / self.suite.folder)
            environment = reporting_environment(given, folder, self.project)
            job = Job(
                argv=self._argv(folder.package, environment),
                cwd=self.project / self.suite.folder,
                environment=environment,
                stdout=folder.path / "stdout",
                stderr=folder.path / "stderr",
                meanwhile=lambda: _follow(folder, control),
                confined=True,
                writable=(folder.path,),
            )
            ended = self.supervisor.supervise(job, control.within(plan.seconds + GRACE))
            _follow(folder, control, is_over=True)
            runs = tuple(tuple(file.events) for file in folder.files if file.events)
            problems = [file.problem for file in folder.files if file.problem]
            if not runs and not problems:
                problems.append(
                    f"the test command gave no report of probes: {last_words(output_tail(job, OUTPUT_KEPT))}"
                )
            if ended.ending is not Ending.EXITED:
                problems.append(f"the run with probes did not end by itself: {ended.ending}")
            return ProbeRun(runs=runs, problems=tuple(problems))

    def _lay_out(self, folder: ReportFolder, plan: ProbePlan) -> None:
        write_modules(folder.path / folder.package / "probes", reporter_files(f"{PACKAGE}.probes"))
        room = folder.path / "t"
        room.mkdir()
        (folder.path / "plan.json").write_text(json.dumps(_told(plan, self.suite, room)), encoding="utf-8")

    def _argv(self, package: str, environment: dict[str, str]) -> tuple[str, ...]:
        """The command to run. Adds the variable that loads our plug-in to the environment."""
        if self.suite.runner == "unittest":
            return with_reporter(self.suite.command, f"{package}.probes.unittest_prober")
        load_plugin(f"{package}.probes.pytest_prober", environment)
        return self.suite.command


def _told(plan: ProbePlan, suite: Suite, room: Path) -> Mapping[str, Any]:
    """The plan for one suite, with the runner's own test ids."""
    start = f"{suite.name}{SEPARATOR}"
    groups = [
        {
            "tests": [test.removeprefix(start) for test in group.tests if test.startswith(start)],
            "breaks_unchanged": group.breaks_unchanged,
        }
        for group in plan.groups
    ]
    return {
        "before": dict(plan.before),
        "groups": groups,
        "seconds": plan.seconds,
        "room": str(room),
        "outputs": list(plan.outputs),
        "number": RUN_NUMBER.pattern,
    }


def _follow(folder: ReportFolder, control: Control, is_over: bool = False) -> None:
    """Read new events, and report the probe that is tried now."""
    for file in folder.files:
        for event in file.read(is_over):
            if event.get("event") == "progress":
                done, total = int(event["done"]), int(event["total"])
                text = f"probe {done} of {total}"
                control.on_activity(Activity(source="probes", text=text, done=done, total=total))


def _ignore(event: Event) -> None:
    del event
