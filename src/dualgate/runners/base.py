"""What a test runner is to the loop: a command that is run, and a report that is read."""

from collections.abc import Sequence
from typing import Protocol

from dualgate.core.values.control import Control
from dualgate.core.values.suite import SuiteReport


class Runner(Protocol):
    @property
    def command(self) -> tuple[str, ...]: ...

    def run(self, control: Control, only: Sequence[str] = ()) -> SuiteReport:
        """Run all tests, or those of these ids; progress goes to `control.on_activity`."""
        ...
