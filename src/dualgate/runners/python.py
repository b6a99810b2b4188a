"""pytest and unittest, run in the project's own interpreter with our reporter, which reports each test."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dualgate.core.values.control import Control
from dualgate.core.values.suite import SuiteReport
from dualgate.errors import SuiteUnusable
from dualgate.processes.job import Job, output_hash, output_tail
from dualgate.runners.base import SuiteRunner
from dualgate.runners.compiled import CompiledSources, compiled_sources
from dualgate.runners.launch import base_environment
from dualgate.runners.reading import Told, read_report
from dualgate.runners.report_folder import ReportFolder, open_report_folder
from dualgate.runners.sources import written_at
from dualgate.runners.tox import with_tox

OUTPUT_KEPT = 4000
UNITTEST_CALL = re.compile(r"(?<=\s-m )\s*unittest(?=$|[\s;&|)])")


@dataclass(frozen=True, slots=True)
class PytestRunner(SuiteRunner):
    """Loads our reporter as a pytest plug-in."""

    compiled: CompiledSources | None = None
    """The compiled files of earlier runs; those of this process if None."""

    def run(self, control: Control, only: Sequence[str] = ()) -> SuiteReport:
        compiled = self.compiled or compiled_sources(self.suite, self.project)
        compiled.prepare(self.supervisor, control)
        with open_report_folder(only, _read_ahead) as folder:
            given = with_tox(self.supervisor.environment, self.project / self.suite.folder)
            environment = reporting_environment(given, folder, self.project) | compiled.write_to(folder.path)
            job = Job(
                argv=self._load_reporter(folder.package, environment),
                cwd=self.project / self.suite.folder,
                environment=environment,
                stdout=folder.path / "stdout",
                stderr=folder.path / "stderr",
                meanwhile=lambda: folder.follow(control),
                confined=True,
                writable=(folder.path,),
            )
            ended = self.supervisor.supervise(job, control.within(self.suite.timeout))
            folder.follow(control, is_over=True)
            compiled.learn([event for file in folder.files for event in file.events])
            full = ("the command starts more test runs than can be followed",) if folder.was_full else ()
            told = Told(
                runs=tuple(tuple(file.events) for file in folder.files if file.events),
                problems=(*full, *(file.problem for file in folder.files if file.problem)),
                running=folder.now,
                output=output_tail(job, OUTPUT_KEPT),
                output_hash=output_hash(job),
                ours=(folder.package, folder.path.name),
            )
            return read_report(self.suite, self.project, told, ended, only)

    def _load_reporter(self, package: str, environment: dict[str, str]) -> tuple[str, ...]:
        """The command to run. Adds the variables that load the reporter to the environment."""
        load_plugin(f"{package}.pytest_reporter", environment)
        return self.suite.command


class UnittestRunner(PytestRunner):
    """Replaces `-m unittest` by our reporter."""

    def _load_reporter(self, package: str, environment: dict[str, str]) -> tuple[str, ...]:
        del environment
        return with_reporter(self.suite.command, f"{package}.unittest_reporter")


def reporting_environment(given: Mapping[str, str], folder: ReportFolder, project: Path) -> dict[str, str]:
    """The environment of a run that reports to a folder, and can import the modules in it."""
    kept = base_environment(given)
    paths = [str(folder.path), *filter(None, [kept.get("PYTHONPATH")])]
    ours = {"DUALGATE_RUN": str(folder.path), "DUALGATE_PROJECT": str(project)}
    return kept | ours | {"PYTHONPATH": os.pathsep.join(paths)}


def load_plugin(module: str, environment: dict[str, str]) -> None:
    """Let pytest load a plug-in before those that the environment names."""
    environment["PYTEST_PLUGINS"] = ",".join([module, *filter(None, [environment.get("PYTEST_PLUGINS")])])


def with_reporter(command: Sequence[str], module: str) -> tuple[str, ...]:
    """The command with a module in place of unittest, in its words or in a shell script among them."""
    found = [module if pair == ("-m", "unittest") else pair[1] for pair in zip(("", *command), command, strict=False)]
    replaced = tuple(UNITTEST_CALL.sub(module, word) for word in found)
    if replaced == tuple(command):
        raise SuiteUnusable(
            f"'{' '.join(command)}' does not say where unittest is started.",
            "Give a test command with 'python -m unittest' in it.",
        )
    return replaced


def _read_ahead(event: Mapping[str, Any]) -> None:
    """Read the source of a test while others run."""
    code, line = event.get("code"), event.get("at")
    if isinstance(code, str) and isinstance(line, int):
        written_at(code, line)
