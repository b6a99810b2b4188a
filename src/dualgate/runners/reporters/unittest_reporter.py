"""`python -m unittest` with a report: same arguments, same output, and each test reported as it ends.

A test whose class or module set-up failed is reported with that error, since unittest itself omits it.
"""

from __future__ import annotations

import inspect
import os
import platform
import sys
import time
import traceback
import unittest
from typing import TYPE_CHECKING, Any

from . import compiled, examples, unmet, witness
from .channel import Channel, claim

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMAT = 2
PROJECT = os.environ.get("DUALGATE_PROJECT", "")
HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SETTING_UP = ("setUpClass", "setUpModule")
# the worst outcome of a test and its subtests decides
ORDER = ("passed", "xpassed", "xfailed", "skipped", "failed", "error")
FAILED_IMPORTS: "dict[str, BaseException]" = {}
"""Name of a test file -> the error of its import, of which unittest keeps only the text."""


class Result(unittest.TextTestResult):
    """The result object of unittest's own runner, which also writes to the channel."""

    channel: Channel
    tests: list[Any]

    def __init__(self, *words: Any, **values: Any) -> None:
        super().__init__(*words, **values)
        self.entry = witness.Entry()
        self.entered: bool | None = None
        self.escaped: BaseException | None = None
        self.started = 0.0
        self.told: dict[str, Any] = {}
        self.answered: set[int] = set()

    def startTest(self, test: Any) -> None:
        super().startTest(test)
        self.told = {}
        self.channel.put("start", id=name_of(test))
        self.channel.flush()
        self.started = time.perf_counter()
        self.watch(test)

    def watch(self, test: Any) -> None:
        """Listen only around the test method, since a set-up may be long."""
        code = witness.code_of(method_of(test))
        call: Any = getattr(test, "_callTestMethod", None)
        self.entered = None if code is None or call is None else False
        self.escaped = None

        def seen(method: Any) -> Any:
            """Record what the method raises before a caller can swallow it; a coroutine function stays as it is."""
            if inspect.iscoroutinefunction(method):
                return method

            def noting() -> Any:
                try:
                    return method()
                except BaseException as error:
                    self.escaped = error
                    raise

            return noting

        def watched(method: Any) -> Any:
            self.entry.await_(code)
            try:
                return call(seen(method))
            finally:
                self.entered = self.entry.end()

        if self.entered is False:
            test._callTestMethod = watched

    def stopTest(self, test: Any) -> None:
        vars(test).pop("_callTestMethod", None)
        seconds = round(time.perf_counter() - self.started, 6)
        told = self.told or {"outcome": "passed", "doubt": "ended without any result"}
        if told["outcome"] == "passed" and self.entered is False:
            told["doubt"] = "was reported as passed, but its code was never entered"
        elif told["outcome"] == "passed" and self.escaped is not None:
            told["doubt"] = f"was reported as passed, but raised {type(self.escaped).__name__}"
        self.tell(test, told, seconds)
        super().stopTest(test)

    def tell(self, test: Any, told: dict[str, Any], seconds: float = 0.0) -> None:
        self.answered.add(id(test))
        if is_broken(test):
            file, error = file_named(test._testMethodName), FAILED_IMPORTS.get(test._testMethodName)
            missing = unmet.unmet(error, file, PROJECT)
            self.channel.put("broken", id=name_of(test), file=file, message=told.get("message", ""), unmet=missing)
        else:
            self.channel.put("result", id=name_of(test), seconds=seconds, **{**place(test), **told})

    def note(self, outcome: str, **values: Any) -> None:
        if not self.told or ORDER.index(outcome) > ORDER.index(self.told["outcome"]):
            self.told = {"outcome": outcome, **values}

    def raised(self, outcome: str, test: Any, error: Any, before: str = "") -> None:
        self.note(outcome, **failure(test, error, before))

    def addSuccess(self, test: Any) -> None:
        super().addSuccess(test)
        self.note("passed")

    def addFailure(self, test: Any, err: Any) -> None:
        super().addFailure(test, err)
        self.raised("failed", test, err)

    def addError(self, test: Any, err: Any) -> None:
        super().addError(test, err)
        if is_holder(test):
            self.spread(test, {"outcome": "error", **failure(test, err, test.description + ": ")})
        else:
            # unittest calls any exception an error; only one outside the test itself is an error for us
            self.raised("failed" if reached(test, err) else "error", test, err)

    def addSkip(self, test: Any, reason: str) -> None:
        super().addSkip(test, reason)
        if is_holder(test):
            self.spread(test, {"outcome": "skipped", "message": reason})
        else:
            self.note("skipped", message=reason)

    def addExpectedFailure(self, test: Any, err: Any) -> None:
        super().addExpectedFailure(test, err)
        self.note("xfailed", message=failure(test, err, "")["message"])

    def addUnexpectedSuccess(self, test: Any) -> None:
        super().addUnexpectedSuccess(test)
        # fails the run in unittest, like a strict xfail in pytest
        self.note("failed", kind="other", message="Unexpected success")

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.raised("failed", test, err, f"{subtest._subDescription()} ")

    def spread(self, holder: Any, told: dict[str, Any]) -> None:
        """Report a set-up error of a class or module for each of its tests, and a tear-down error as its own result."""
        stage, _, owner = holder.description.partition(" ")
        owner = owner.strip("()")
        waiting = [test for test in self.tests if id(test) not in self.answered and owner in owners(test)]
        if stage in SETTING_UP:
            for test in waiting:
                self.tell(test, dict(told))
        else:
            self.channel.put("collected", ids=[holder.description])
            self.channel.put("result", id=holder.description, seconds=0.0, file="", **told)
        self.channel.flush()


def name_of(test: Any) -> str:
    return str(test._testMethodName) if is_broken(test) else str(test.id())


def is_broken(test: Any) -> bool:
    return type(test).__name__ == "_FailedTest" and type(test).__module__ == "unittest.loader"


def is_holder(test: Any) -> bool:
    return hasattr(test, "description") and type(test).__name__ == "_ErrorHolder"


def owners(test: Any) -> tuple[str, ...]:
    """Names of the class and module of a test, which may have a set-up."""
    kind = type(test)
    return f"{kind.__module__}.{kind.__qualname__}", f"{kind.__module__}.{kind.__name__}", kind.__module__


def method_of(test: Any) -> Any:
    if is_broken(test):
        return None
    # function tests and doctests use other attributes for it
    name = getattr(test, "_testMethodName", "")
    found = getattr(test, "_testFunc", None) or getattr(test, name, None)
    return None if hasattr(test, "_dt_test") else found


def place(test: Any) -> dict[str, Any]:
    if hasattr(test, "_dt_test"):
        return {"file": "", "digest": examples.digest_of(test._dt_test.examples)}
    function = method_of(test)
    file = getattr(sys.modules.get(type(test).__module__), "__file__", None) or ""
    return {"file": os.path.abspath(file) if file else "", **witness.place_of(witness.code_of(function), function)}


def failure(test: Any, error: Any, before: str) -> dict[str, Any]:
    kind, value, trace = error
    text = "".join(traceback.format_exception_only(kind, value)).strip()
    file = place(test)["file"] if not is_holder(test) else ""
    told = witness.described(value, file, (), before + text)
    line = witness.line_in(file, trace)
    return {**told, "line": line} if line else told


def reached(test: Any, error: Any) -> bool:
    """Whether the error came from the test itself rather than from its set-up or tear-down."""
    code, trace = witness.code_of(method_of(test)), error[2]
    while trace is not None:
        if trace.tb_frame.f_code is code:
            return True
        trace = trace.tb_next
    return False


def remember_failed_imports() -> None:
    loader: Any = sys.modules["unittest.loader"]
    usual = loader._make_failed_import_test

    def remembering(name: str, *rest: Any) -> Any:
        error = sys.exc_info()[1]
        if error is not None:
            FAILED_IMPORTS[name] = error
        return usual(name, *rest)

    loader._make_failed_import_test = remembering


def file_named(module: str) -> str:
    for folder in [os.getcwd(), *sys.path]:
        path = os.path.join(folder, *module.split("."))
        for name in (path + ".py", os.path.join(path, "__init__.py")):
            if os.path.isfile(name):
                return os.path.abspath(name)
    return ""


def leaves(suite: Any) -> Iterator[Any]:
    try:
        inner = list(suite)
    except TypeError:
        yield suite
        return
    for each in inner:
        yield from leaves(each)


class Program(unittest.TestProgram):
    """unittest's own command line, which reports the loaded tests before it runs them."""

    channel: Channel
    only: frozenset[str]
    code: compiled.Compiled
    test: Any
    exit: Any

    def runTests(self) -> None:
        # only a complete run is evidence
        self.failfast = False
        if self.only:
            self.test = unittest.TestSuite(test for test in leaves(self.test) if name_of(test) in self.only)
        tests = list(leaves(self.test))
        self.channel.put("collected", ids=[name_of(test) for test in tests if not is_broken(test)])
        self.channel.put("configuration", facts=configuration(self))
        self.channel.flush()
        made = type("Result", (Result,), {"channel": self.channel, "tests": tests})
        self.testRunner = type("Runner", (unittest.TextTestRunner,), {"resultclass": made})
        wants_exit, self.exit = self.exit, False
        super().runTests()
        code = exit_code(self.result)
        self.channel.put("compiled", identity=self.code.identity, missed=self.code.missed)
        self.channel.put("finished", exit=code, dropped=[], elsewhere=witness.elsewhere())
        self.channel.flush()
        if wants_exit:
            sys.exit(code)


def exit_code(result: Any) -> int:
    if result.testsRun == 0 and not result.skipped and result.wasSuccessful() and sys.version_info >= (3, 12):
        return 5
    return int(not result.wasSuccessful())


def configuration(program: Any) -> list[tuple[str, str]]:
    facts = [("argument", word) for word in sys.argv[1:]]
    for name in ("start", "pattern", "top", "testNamePatterns"):
        value = getattr(program, name, None)
        if value:
            facts.append((name, str(value)))
    return [*facts, *witness.surroundings(PROJECT)]


def main() -> None:
    claimed = claim()
    code = compiled.Compiled(HOME, compiled.identity())
    witness.leave_environment(__name__, HOME, compiled.EXPECTED)
    sys.argv[0] = f"{os.path.basename(sys.executable)} -m unittest"
    if claimed is None:
        unittest.main(module=None)
        return
    apart = os.path.join(HOME, "compiled")
    witness.keep_compiled_files_apart(PROJECT, apart)
    code.serve_imports(apart)
    channel, only = claimed
    channel.put(
        "started",
        format=FORMAT,
        runner="unittest",
        version=platform.python_version(),
        shadowed=witness.shadowed(("unittest",), PROJECT),
        doubts=[] if __debug__ else [witness.NO_ASSERTIONS],
        environment=witness.environment(("unittest",), PROJECT),
    )
    channel.flush()
    remember_failed_imports()
    Program.channel, Program.only, Program.code = channel, frozenset(only), code
    Program(module=None)


if __name__ == "__main__":
    main()
