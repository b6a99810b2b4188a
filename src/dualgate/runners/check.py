"""Run the command of a check, in the same supervised and sandboxed way as the tests, and report how it ended."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from dualgate.core.values.answer import Ending
from dualgate.core.values.checks import CheckRun
from dualgate.core.values.control import Activity, Control
from dualgate.languages.interpreter import ENVIRONMENT_FOLDERS, is_ours
from dualgate.processes.job import Job, output_tail
from dualgate.processes.scratch import scratch_folder
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.launch import base_environment

SEARCHED = 1 << 20
"""Bytes at the end of the output in which expected texts are looked for."""
KEPT = 2000
_NAMES_TRIED = 2000
_PATHS = re.compile(r"[\w@+~./-]+")
_ENDINGS = re.compile(r"(?<=[\w@+~-])\.\w+")
_PLAIN = {"NO_COLOR": "1", "RUFF_OUTPUT_FORMAT": "concise"}
"""Variables that make tools print one plain line for each fault."""
_TOOL_FOLDERS = (*(f"{name}/bin" for name in ENVIRONMENT_FOLDERS), "node_modules/.bin")


class Checker(Protocol):
    def run(self, command: str, prints: Sequence[str], control: Control) -> CheckRun:
        """Run a command; `prints` are the texts whose printing counts."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellChecker:
    """Runs commands in the project's folder. A program that is missing is a failed check, as in a shell."""

    project: Path
    supervisor: Supervisor
    timeout: float | None = None

    def run(self, command: str, prints: Sequence[str], control: Control) -> CheckRun:
        control.on_activity(Activity(source="check", text=command))
        with scratch_folder("check") as scratch:
            job = Job(
                argv=("/bin/sh", "-c", command),
                cwd=self.project,
                environment=project_environment(self.supervisor.environment, self.project),
                stdout=scratch / "stdout",
                stderr=scratch / "stderr",
                confined=True,
                writable=(scratch,),
            )
            ended = self.supervisor.supervise(job, control.within(self.timeout))
            output = output_tail(job, SEARCHED)
        return CheckRun(
            command=command,
            exit_code=ended.code,
            printed=tuple(text for text in prints if text in output),
            output=output[-KEPT:],
            named=files_named(self.project, output) if ended.code and len(output) < SEARCHED else (),
            problem="" if ended.ending is Ending.EXITED else f"did not end by itself: {ended.ending}",
            seconds=round(ended.seconds, 3),
        )


def project_environment(given: Mapping[str, str], project: Path) -> dict[str, str]:
    """The environment with the project's own tools first on the PATH, as its tests have them."""
    environment = _PLAIN | base_environment(given)
    own = [str(project / folder) for folder in _TOOL_FOLDERS if (project / folder).is_dir()]
    others = environment.get("PATH", os.defpath).split(os.pathsep)
    return environment | {"PATH": os.pathsep.join((*own, *(each for each in others if not is_ours(Path(each).parent))))}


def files_named(project: Path, output: str) -> tuple[str, ...]:
    """The files of the project that an output names; none if it names too many."""
    names = dict.fromkeys(filter(None, map(_up_to_ending, _PATHS.findall(output))))
    if len(names) > _NAMES_TRIED:
        return ()
    paths = (os.path.relpath(project / name, project) for name in names)
    return tuple(dict.fromkeys(path for path in paths if not path.startswith("..") and _is_file(project / path)))


def _up_to_ending(text: str) -> str:
    """A path up to its last ending; empty if it has none. One pattern for both is quadratic on a long line."""
    end = max((found.end() for found in _ENDINGS.finditer(text)), default=0)
    return text[:end]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
