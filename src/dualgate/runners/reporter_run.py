"""A command with a reporter of ours inside it: started, followed while it runs, and read when it has ended."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dualgate.core.values.control import Control
from dualgate.core.values.suite import Suite, SuiteReport
from dualgate.processes.job import Job, read_tail
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.reading import Told, read_report
from dualgate.runners.report_folder import ReportFolder, open_report_folder
from dualgate.runners.sources import written_at

OUTPUT_KEPT = 4000


def run_with_reporter(
    suite: Suite,
    project: Path,
    supervisor: Supervisor,
    control: Control,
    only: Sequence[str],
    prepare: Callable[[ReportFolder, dict[str, str]], tuple[str, ...]],
) -> SuiteReport:
    """`prepare` returns the command to run, and adds to the environment what loads the reporter."""
    with open_report_folder(only, _read_ahead) as folder:
        environment = _environment(supervisor.environment, folder, project)
        job = Job(
            argv=prepare(folder, environment),
            cwd=project / suite.folder,
            environment=environment,
            stdout=folder.path / "stdout",
            stderr=folder.path / "stderr",
            meanwhile=lambda: folder.follow(control),
            confined=True,
            writable=(folder.path,),
        )
        ended = supervisor.supervise(job, control.within(suite.timeout))
        folder.follow(control, is_over=True)
        full = ("the command starts more test runs than can be followed",) if folder.was_full else ()
        told = Told(
            runs=tuple(tuple(file.events) for file in folder.files if file.events),
            problems=(*full, *(file.problem for file in folder.files if file.problem)),
            running=folder.now,
            output=read_tail(job.stdout, OUTPUT_KEPT) + read_tail(job.stderr, OUTPUT_KEPT),
            ours=(folder.package, folder.path.name),
        )
        return read_report(suite, project, told, ended, only)


def _environment(given: Mapping[str, str], folder: ReportFolder, project: Path) -> dict[str, str]:
    kept = {name: value for name, value in given.items() if name != "PRP_SESSION_DIR"}
    paths = [str(folder.path), *filter(None, [kept.get("PYTHONPATH")])]
    ours = {"CI": "1", "DUALGATE_RUN": str(folder.path), "DUALGATE_PROJECT": str(project)}
    return kept | ours | {"PYTHONPATH": os.pathsep.join(paths)}


def _read_ahead(event: Mapping[str, Any]) -> None:
    """Read the source of a test while others run."""
    code, line = event.get("code"), event.get("at")
    if isinstance(code, str) and isinstance(line, int):
        written_at(code, line)
