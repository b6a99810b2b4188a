"""The test runners by name. A new one is a file beside this, and a line below."""

from collections.abc import Callable
from pathlib import Path

from dualgate.runners.base import Runner
from dualgate.runners.pytest import PytestRunner

# name -> how to make it from its command, the project and the time limit of a run
RUNNERS: dict[str, Callable[[tuple[str, ...], Path, float | None], Runner]] = {
    "pytest": lambda command, project, timeout: PytestRunner(command=command, project=project, timeout=timeout),
}
