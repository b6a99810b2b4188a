"""The test runners by name. A new runner is a file in this folder and a line in the table."""

from collections.abc import Callable
from pathlib import Path

from dualgate.core.values.suite import Suite
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.base import Runner
from dualgate.runners.cargo import CargoRunner
from dualgate.runners.exit_code import ExitCodeRunner
from dualgate.runners.go import GoRunner
from dualgate.runners.junit import JunitRunner
from dualgate.runners.python import PytestRunner, UnittestRunner
from dualgate.runners.tap import TapRunner

RUNNERS: dict[str, Callable[[Suite, Path, Supervisor], Runner]] = {
    "cargo": CargoRunner,
    "exit-code": ExitCodeRunner,
    "go": GoRunner,
    "junit": JunitRunner,
    "pytest": PytestRunner,
    "tap": TapRunner,
    "unittest": UnittestRunner,
}
