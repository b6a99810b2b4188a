"""The test runners by name. A new one is a file beside this, and a line below."""

from collections.abc import Callable
from pathlib import Path

from dualgate.core.values.suite import Suite
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.base import Runner
from dualgate.runners.cargo import CargoRunner
from dualgate.runners.exit_code import ExitCodeRunner
from dualgate.runners.go import GoRunner
from dualgate.runners.junit import junit_runner
from dualgate.runners.pytest import PytestRunner
from dualgate.runners.tap import TapRunner
from dualgate.runners.unittest import UnittestRunner

# name -> how to make it from a suite, the project's root and who starts its programs
RUNNERS: dict[str, Callable[[Suite, Path, Supervisor], Runner]] = {
    "cargo": lambda suite, project, supervisor: CargoRunner(suite=suite, project=project, supervisor=supervisor),
    "exit-code": lambda suite, project, supervisor: ExitCodeRunner(suite=suite, project=project, supervisor=supervisor),
    "go": lambda suite, project, supervisor: GoRunner(suite=suite, project=project, supervisor=supervisor),
    "junit": junit_runner,
    "pytest": lambda suite, project, supervisor: PytestRunner(suite=suite, project=project, supervisor=supervisor),
    "tap": lambda suite, project, supervisor: TapRunner(suite=suite, project=project, supervisor=supervisor),
    "unittest": lambda suite, project, supervisor: UnittestRunner(suite=suite, project=project, supervisor=supervisor),
}
