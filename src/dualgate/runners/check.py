"""Run the command of a check, in the same supervised and sandboxed way as the tests, and report how it ended."""

import hashlib
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from dualgate.core.values.answer import Ending
from dualgate.core.values.checks import CheckRun
from dualgate.core.values.control import Activity, Control
from dualgate.languages.interpreter import ENVIRONMENT_FOLDERS, activated, is_ours
from dualgate.processes.job import Job, output_hash, output_tail
from dualgate.processes.scratch import scratch_folder
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.launch import base_environment
from dualgate.runners.versions import tools_of

SEARCHED = 1 << 20
"""Bytes at the end of the output in which expected texts are looked for."""
KEPT = 2000
_NAMES_TRIED = 2000
_PATHS = re.compile(r"[\w@+~./-]+")
_ENDINGS = re.compile(r"(?<=[\w@+~-])\.\w+")
_PARTS = re.compile(r"\n|&&|\|\|?|;|&")
_WORDS = re.compile(r"[\s'\"!(){}`$]+")
_ASSIGNED = re.compile(r"\w+=")
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
        environment = project_environment(self.supervisor.environment, self.project)
        programs = programs_of(command, self.project, environment["PATH"])
        with scratch_folder("check", measures=True) as scratch:
            job = Job(
                argv=("/bin/sh", "-c", command),
                cwd=self.project,
                environment=environment,
                stdout=scratch / "stdout",
                stderr=scratch / "stderr",
                confined=True,
                writable=(scratch,),
            )
            ended = self.supervisor.supervise(job, control.within(self.timeout))
            output, hashed = output_tail(job, SEARCHED), output_hash(job)
        return CheckRun(
            command=command,
            exit_code=ended.code,
            printed=tuple(text for text in prints if text in output),
            output=output[-KEPT:],
            named=files_named(self.project, output) if ended.code and len(output) < SEARCHED else (),
            problem="" if ended.ending is Ending.EXITED else f"did not end by itself: {ended.ending}",
            seconds=round(ended.seconds, 3),
            programs=programs,
            output_hash=hashed,
            tools=tools_of(program.rpartition(" (")[0] for program in programs),
        )


def project_environment(given: Mapping[str, str], project: Path) -> dict[str, str]:
    """The environment with the project's own tools first on the PATH, as its tests have them."""
    environment = _PLAIN | base_environment(given)
    active = [str(place / "bin") for place in activated(environment)]
    own = [*active, *(str(project / folder) for folder in _TOOL_FOLDERS if (project / folder).is_dir())]
    others = environment.get("PATH", os.defpath).split(os.pathsep)
    return environment | {"PATH": os.pathsep.join((*own, *(each for each in others if not is_ours(Path(each).parent))))}


def programs_of(command: str, project: Path, search: str) -> tuple[str, ...]:
    """The installed programs that a command starts, each with a digest of its content.

    The first word of each part is looked for on the PATH; other words among the project's own tools, as `uv run` does.
    Other files of the project are left out: they are the work, or frozen as scripts.
    """
    own = os.pathsep.join(str(project / folder) for folder in _TOOL_FOLDERS)
    found: dict[str, None] = {}
    for part in _PARTS.split(command):
        words = [word for word in _WORDS.split(part) if word and not _ASSIGNED.match(word)]
        for place, word in enumerate(words):
            named = os.path.normpath(project / word) if "/" in word else word
            path = shutil.which(named, path=own if place else search)
            if path and _is_installed(path, project, is_first=not place):
                found[path] = None
    return tuple(f"{path} ({_digest(Path(path))})" for path in found)


def _is_installed(path: str, project: Path, *, is_first: bool) -> bool:
    """Whether a program is not the work. A link among the project's tools may lead to the work."""
    root, real = project.resolve(), Path(path).resolve()
    is_own = any(Path(path).is_relative_to(project / folder) for folder in _TOOL_FOLDERS)
    places = (root / folder.partition("/")[0] for folder in _TOOL_FOLDERS)
    is_work = real.is_relative_to(root) and not any(real.is_relative_to(place) for place in places)
    return (is_first or is_own) and not is_work


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:16]
    except OSError:
        return "cannot be read"


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
