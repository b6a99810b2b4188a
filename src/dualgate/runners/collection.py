"""Check without a test run that tests can be run: the program exists, and pytest can collect its tests."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.values.answer import Ending
from dualgate.core.values.control import Control
from dualgate.core.values.suite import Suite
from dualgate.errors import ProgramNotFound
from dualgate.languages.interpreter import lacks_pytest, missing_pytest
from dualgate.processes.job import Job, output_tail, require_program
from dualgate.processes.scratch import scratch_folder
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.launch import suite_environment

OUTPUT_KEPT = 4000
NOTHING_COLLECTED = 5
# no cache: collecting must leave no files in the project; verbose: a quiet pytest says no number of tests
ONLY_COLLECTING = "--collect-only -p no:cacheprovider --verbosity=5"
COLLECTED = re.compile(r"(?:(\d+)/)?(\d+) tests? collected")
ERROR = re.compile(r"^(?:E   |ERROR: (?!usage)|ERROR |\S.*: error: )\s*(.+)$", re.MULTILINE)
# as a word of the command itself; a shell or make may run anything else before pytest
PYTEST = re.compile(r"(?:^|/)(?:pytest|py\.test)$")
SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "make"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """The number of tests. `count` is None if it is unknown without a run; `note` or `problem` says why."""

    count: int | None = None
    problem: str = ""
    note: str = ""


def collect(suite: Suite, project: Path, supervisor: Supervisor, control: Control, may_run: bool = True) -> Collection:
    """Look for the program, and let pytest count its tests, which imports them, if code of the project may run."""
    environment = suite_environment(supervisor.environment, suite, project)
    try:
        require_program(suite.command[0], project / suite.folder, environment)
    except ProgramNotFound as error:
        return Collection(problem=error.message)
    if not _is_pytest(suite):
        return Collection(note="its tests are counted by a run (--run-tests)")
    if not may_run and not suite.setup and lacks_pytest(suite.command, environment):
        return Collection(problem=missing_pytest(suite.command, project / suite.folder, project))
    if not may_run:
        return Collection(note="not looked at: whether its tests can be collected (--run)")
    return _collected(suite, project, environment, supervisor, control)


def _is_pytest(suite: Suite) -> bool:
    words = suite.command
    return Path(words[0]).name not in SHELLS and any(PYTEST.search(word) for word in words)


def _collected(
    suite: Suite, project: Path, environment: Mapping[str, str], supervisor: Supervisor, control: Control
) -> Collection:
    options = " ".join(filter(None, (environment.get("PYTEST_ADDOPTS"), ONLY_COLLECTING)))
    with scratch_folder("collect") as folder:
        job = Job(
            argv=suite.command,
            cwd=project / suite.folder,
            environment={**environment, "PYTEST_ADDOPTS": options, "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=folder / "stdout",
            stderr=folder / "stderr",
        )
        ended = supervisor.supervise(job, control)
        told = output_tail(job, OUTPUT_KEPT)
    if ended.ending is not Ending.EXITED:
        return Collection(note="they take long to collect, and were not counted")
    return _read(told, ended.code)


def _read(told: str, code: int | None) -> Collection:
    if code == NOTHING_COLLECTED:
        return Collection(count=0)
    if code != 0:
        error = ERROR.search(told)
        last = next(reversed([line.strip() for line in told.splitlines() if line.strip()]), "no output")
        return Collection(problem=f"they cannot be collected: {error[1].strip() if error else last}")
    found = COLLECTED.search(told)
    return Collection(count=int(found[1] or found[2])) if found else Collection(note="they can be collected")
