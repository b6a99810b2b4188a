"""The test runners by name. A new one is a file beside this, and a line below."""

from collections.abc import Callable
from pathlib import Path

from dualgate.core.values.suite import Suite
from dualgate.runners.base import Runner
from dualgate.runners.cargo import CargoRunner
from dualgate.runners.exit_code import ExitCodeRunner
from dualgate.runners.go import GoRunner
from dualgate.runners.junit import junit_runner
from dualgate.runners.pytest import PytestRunner
from dualgate.runners.tap import TapRunner
from dualgate.runners.unittest import UnittestRunner

# name -> how to make it from a suite and the project's root
RUNNERS: dict[str, Callable[[Suite, Path], Runner]] = {
    "cargo": lambda suite, project: CargoRunner(suite=suite, project=project),
    "exit-code": lambda suite, project: ExitCodeRunner(suite=suite, project=project),
    "go": lambda suite, project: GoRunner(suite=suite, project=project),
    "junit": junit_runner,
    "pytest": lambda suite, project: PytestRunner(suite=suite, project=project),
    "tap": lambda suite, project: TapRunner(suite=suite, project=project),
    "unittest": lambda suite, project: UnittestRunner(suite=suite, project=project),
}
