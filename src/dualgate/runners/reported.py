"""A command with a reporter of ours inside it: started, followed while it runs, and read when it has ended."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dualgate.core.values.control import Control
from dualgate.core.values.suite import Suite, SuiteReport
from dualgate.processes.job import Job, read_tail
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.desk import Desk, open_desk
from dualgate.runners.reading import Told, read_report
from dualgate.runners.sources import written_at

OUTPUT_KEPT = 4000


def run_reported(
    suite: Suite,
    project: Path,
    supervisor: Supervisor,
    control: Control,
    only: Sequence[str],
    prepare: Callable[[Desk, dict[str, str]], tuple[str, ...]],
) -> SuiteReport:
    """`prepare` says which words are run, and puts into the environment what leads to the reporter."""
    with open_desk(only, _read_ahead) as desk:
        environment = _environment(supervisor.environment, desk, project)
        job = Job(
            argv=prepare(desk, environment),
            cwd=project / suite.folder,
            environment=environment,
            stdout=desk.folder / "stdout",
            stderr=desk.folder / "stderr",
            meanwhile=lambda: desk.follow(control),
            confined=True,
            writable=(desk.folder,),
        )
        ended = supervisor.supervise(job, control.within(suite.timeout))
        desk.follow(control, is_over=True)
        full = ("the command starts more test runs than can be followed",) if desk.was_full else ()
        told = Told(
            runs=tuple(tuple(place.events) for place in desk.places if place.events),
            problems=(*full, *(place.problem for place in desk.places if place.problem)),
            running=desk.now,
            output=read_tail(job.stdout, OUTPUT_KEPT) + read_tail(job.stderr, OUTPUT_KEPT),
            ours=(desk.package, desk.folder.name),
        )
        return read_report(suite, project, told, ended, only)


def _environment(given: Mapping[str, str], desk: Desk, project: Path) -> dict[str, str]:
    kept = {name: value for name, value in given.items() if name != "PRP_SESSION_DIR"}
    paths = [str(desk.folder), *filter(None, [kept.get("PYTHONPATH")])]
    ours = {"CI": "1", "DUALGATE_RUN": str(desk.folder), "DUALGATE_PROJECT": str(project)}
    return kept | ours | {"PYTHONPATH": os.pathsep.join(paths)}


def _read_ahead(event: Mapping[str, Any]) -> None:
    """Read the source of a test while others run."""
    code, line = event.get("code"), event.get("at")
    if isinstance(code, str) and isinstance(line, int):
        written_at(code, line)
