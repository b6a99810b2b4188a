"""Notes on each report of pytest that only the process of the test can know: what was entered, raised, replaced."""

from __future__ import annotations

import inspect
import os
import unittest
from typing import TYPE_CHECKING, Any

import pytest

from . import pytest_facts, witness

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = os.environ.get("DUALGATE_PROJECT", "")
# attribute with our notes on a report; as random as the name of this folder
NOTES = __name__.replace(".", "_")
_SKIPS = (pytest.skip.Exception, unittest.SkipTest)
_XFAIL = pytest.xfail.Exception
# plug-ins run coroutines and generators, each in its own way
_DEFERRED = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | inspect.CO_GENERATOR
# pluggy 1.2 has wrappers of its own form, and runs the old ones through an adapter
_HAS_NEW_WRAPPERS = "wrapper" in inspect.signature(type(pytest.hookimpl).__call__).parameters


class Annotator:
    """Adds notes to each report that only the process that ran the test can know."""

    def __init__(self, functions: dict[Any, Any]) -> None:
        self.functions = functions
        self.called: Any = None
        self.replaced = False
        self.entry = witness.Entry()
        self.code: Any = None
        self.entered: bool | None = None
        self.raised: BaseException | None = None
        self.raised_within: BaseException | None = None

    def begin(self, item: Any) -> None:
        self.called, self.raised_within = item, None
        self.code = self.replaced_code(item) or witness.code_of(pytest_facts.bare_function_of(item))
        if self.code is None or self.code.co_flags & _DEFERRED or type(item).runtest is not pytest.Function.runtest:
            self.listen()

    def end(self, raised: BaseException | None) -> None:
        self.entered = self.entry.end() if self.code is None else False
        self.raised = raised or self.raised_within

    if _HAS_NEW_WRAPPERS:

        @pytest.hookimpl(wrapper=True, trylast=True)
        def pytest_runtest_setup(self) -> Any:
            self.raised = None
            try:
                return (yield)
            except BaseException as error:
                self.raised = error
                raise

        @pytest.hookimpl(wrapper=True, trylast=True)
        def pytest_runtest_call(self, item: Any) -> Any:
            self.begin(item)
            try:
                value = yield
            except BaseException as error:
                self.end(error)
                raise
            self.end(None)
            return value

        @pytest.hookimpl(wrapper=True, trylast=True)
        def pytest_runtest_makereport(self, item: Any, call: Any) -> Any:
            raised = call.excinfo.value if call.excinfo is not None else None
            report = yield
            if report is not None:
                self.annotate(report, item, call, raised)
            return report
    else:

        @pytest.hookimpl(hookwrapper=True, trylast=True)
        def pytest_runtest_setup(self) -> Iterator[None]:
            made: Any = yield
            self.raised = made.excinfo[1] if made.excinfo else None

        @pytest.hookimpl(hookwrapper=True, trylast=True)
        def pytest_runtest_call(self, item: Any) -> Iterator[None]:
            self.begin(item)
            made: Any = yield
            self.end(made.excinfo[1] if made.excinfo else None)

        @pytest.hookimpl(hookwrapper=True, trylast=True)
        def pytest_runtest_makereport(self, item: Any, call: Any) -> Iterator[None]:
            raised = call.excinfo.value if call.excinfo is not None else None
            made: Any = yield
            report = made.get_result()
            if report is not None:
                self.annotate(report, item, call, raised)

    pytest_runtest_teardown = pytest_runtest_setup

    def pytest_pyfunc_call(self) -> None:
        """Listen as late as possible, since it is slow. Not called if another plug-in handles the call first."""
        if self.code is not None:
            self.listen()

    def listen(self) -> None:
        self.entry.await_(self.code)
        self.code = None

    def replaced_code(self, item: Any) -> Any:
        """The code that a test was collected with, if code of the project replaced it; else None.

        A replacement by an installed plug-in, or of a coroutine, is allowed.
        """
        collected, present = self.functions.get(item), pytest_facts.bare_function_of(item)
        if present is collected:
            return None
        code = witness.code_of(collected)
        file = getattr(getattr(present, "__code__", None), "co_filename", None)
        self.replaced = code is not None and not code.co_flags & _DEFERRED and witness.within(file, PROJECT)
        return code if self.replaced else None

    def annotate(self, report: Any, item: Any, call: Any, raised: BaseException | None) -> None:
        notes: dict[str, Any] = {"of": of(item.nodeid, call.when)}
        raised, self.raised = self.raised or raised, None
        if call.when == "setup":
            notes.update(pytest_facts.place(item))
            self.called, self.replaced = None, False
        elif call.when == "call":
            notes["entered"] = self.entered if self.called is item else False
            notes["replaced"] = self.replaced
            self.entered = None
        # errors of unittest cases are only known now
        error = raised or (call.excinfo.value if call.excinfo is not None else None)
        if error is not None:
            notes.update(_failure(item, error, call))
        setattr(report, NOTES, notes)


class Innermost:
    """Records what the test raised before a wrapper around its function can swallow it."""

    def __init__(self, annotator: Annotator) -> None:
        self.annotator = annotator

    if _HAS_NEW_WRAPPERS:

        @pytest.hookimpl(wrapper=True, trylast=True)
        def pytest_pyfunc_call(self, pyfuncitem: Any) -> Any:
            try:
                value = yield
            except BaseException as error:
                self.end(pyfuncitem, error)
                raise
            self.end(pyfuncitem, None)
            return value
    else:

        @pytest.hookimpl(hookwrapper=True, trylast=True)
        def pytest_pyfunc_call(self, pyfuncitem: Any) -> Iterator[None]:
            made: Any = yield
            self.end(pyfuncitem, made.excinfo[1] if made.excinfo else None)

    def end(self, item: Any, raised: BaseException | None) -> None:
        self.annotator.raised_within = raised
        self.annotator.replaced_code(item)


def of(nodeid: str, when: str) -> str:
    return f"{when} {nodeid}"


def _failure(item: Any, error: BaseException, call: Any) -> dict[str, Any]:
    path = pytest_facts.path_of(item)
    return {
        "raised": "skip" if isinstance(error, _SKIPS) else "xfail" if isinstance(error, _XFAIL) else "error",
        "type": type(error).__name__,
        **witness.described(error, path, (pytest.fail.Exception,), _message(error, call)),
        "line": witness.line_in(path, error.__traceback__),
        "marked": item.get_closest_marker("xfail") is not None,
    }


def _message(error: BaseException, call: Any) -> str:
    if call.excinfo is not None and call.excinfo.value is error:
        return str(call.excinfo.exconly(tryshort=True))
    return f"{type(error).__name__}: {error}"
