"""`python -m unittest` with probes: the same arguments, and the loaded tests run again for each probe."""

from __future__ import annotations

import os
import sys
import unittest
from typing import Any

from .. import witness
from ..unittest_reporter import is_broken, leaves, name_of
from . import children
from .begin import GIVEN, HERE, HOME, PROJECT, Imports, begin
from .engine import Engine
from .outcomes import Outcome, raised_by_test


class Result(unittest.TestResult):
    """Remembers whether an error came from the code that is tested."""

    crashed = False

    def addError(self, test: Any, err: Any) -> None:
        super().addError(test, err)
        module = sys.modules.get(type(test).__module__)
        self.crashed = self.crashed or not raised_by_test(err[1], getattr(module, "__file__", None) or "", PROJECT)


class Tests:
    """The loaded tests, and how to run one."""

    def __init__(self, switches: Any) -> None:
        self.switches = switches
        self.items: list[Any] = []
        self.names: list[str] = []

    def load(self, suite: Any) -> None:
        seen: dict[str, int] = {}
        for test in leaves(suite):
            if not is_broken(test):
                name = name_of(test)
                seen[name] = seen.get(name, 0) + 1
                self.items.append(test)
                self.names.append(name if seen[name] == 1 else f"{name}#{seen[name]}")

    def go_on_in_fork(self) -> None:
        children.silence()

    def select(self, names: list[str]) -> None:
        """Load all tests: unittest loads whole modules."""

    def names_and_reach(self) -> list[tuple[str, list[str]]]:
        imports = Imports()
        modules = [sys.modules.get(type(test).__module__) for test in self.items]
        reached = {module: sorted(imports.reach([module])) for module in dict.fromkeys(modules)}
        return [(name, reached[module]) for name, module in zip(self.names, modules)]  # noqa: B905 - newer than Python 3.8

    def function(self, index: int) -> Any:
        test = self.items[index]
        return getattr(type(test), getattr(test, "_testMethodName", ""), None)

    def run_named(self, name: str, following: str | None) -> Outcome | None:
        del following
        return self.run(self.names.index(name), None) if name in self.names else None

    def run(self, index: int, following: int | None) -> Outcome:
        del following
        result = Result()
        unittest.TestSuite([self.items[index]]).run(result)
        if not result.wasSuccessful():
            outcome = "failed"
        elif result.expectedFailures:
            outcome = "xfailed"
        else:
            outcome = "skipped" if result.skipped or not result.testsRun else "passed"
        return Outcome(outcome, result.crashed, set(self.switches.ran))


class Program(unittest.TestProgram):
    """unittest's own command line, which hands over the loaded tests."""

    loaded: Tests
    engine: Engine
    test: Any

    def runTests(self) -> None:
        self.loaded.load(self.test)
        self.engine.collected()


def main() -> None:
    begun = begin()
    witness.leave_environment(__name__, HOME)
    sys.argv[0] = f"{os.path.basename(sys.executable)} -m unittest"
    if begun is None:
        unittest.main(module=None)
        return
    witness.keep_compiled_files_apart(GIVEN, os.path.join(HERE, "compiled"))
    tests = Tests(begun.switches)
    engine = Engine(begun.switches, begun.plan, tests, begun.channel)
    if engine.measure():
        Program.loaded, Program.engine = tests, engine
        Program(module=None)
        os._exit(3)
    os._exit(0)


if __name__ == "__main__":
    main()
