"""Small projects made of a few files, and their tests run by a real runner."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from dualgate.core.values.suite import CaseResult, Suite, SuiteReport
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.python import PytestRunner, UnittestRunner
from dualgate.testing import a_control

WORKERS = ("-p", "xdist", "-n", "2")
"""No plugin is loaded that is not named: see conftest.py."""


def run_pytest(
    folder: Path, *words: str, timeout: float = 60, only: Sequence[str] = (), python: str = sys.executable, **files: str
) -> SuiteReport:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    command = (python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words)
    return a_runner(command, folder, timeout).run(a_control(), only)


def run_unittest(
    folder: Path, *words: str, timeout: float = 60, only: Sequence[str] = (), python: str = sys.executable, **files: str
) -> SuiteReport:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    suite = Suite(
        name="tests", runner="unittest", command=(python, "-B", "-m", "unittest", "-q", *words), timeout=timeout
    )
    return UnittestRunner(suite=suite, project=folder, supervisor=Supervisor(os.environ)).run(a_control(), only)


def a_runner(command: tuple[str, ...], project: Path, timeout: float = 60, folder: str = ".") -> PytestRunner:
    suite = Suite(name="tests", command=command, timeout=timeout, folder=folder)
    return PytestRunner(suite=suite, project=project, supervisor=Supervisor(os.environ))


def by_name(report: SuiteReport) -> dict[str, CaseResult]:
    return {result.id.rpartition("::")[2]: result for result in report.results}
