"""Whether a test that passes reaches any of its assertions, seen line by line in the interpreter."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING, Any

from .. import witness
from .switches import read_source

if TYPE_CHECKING:
    from collections.abc import Iterator

    Function = ast.FunctionDef | ast.AsyncFunctionDef

# parts of the names of functions that check something
CHECKING = ("assert", "check", "compare", "ensure", "expect", "fail", "match", "raises", "should", "verify", "warns")


class Watch:
    """Lines of one test that run, its inner functions included. None where another tracer is active."""

    def __init__(self, function: Any) -> None:
        self.code: Any = witness.code_of(function) if function is not None else None
        self.lines = assertion_lines(self.code) if self.code is not None else frozenset()
        self.last = max(self.lines, default=0)
        self.ran: set[int] = set()
        self.is_on = False

    def __enter__(self) -> Watch:
        if self.lines and sys.gettrace() is None:
            self.is_on = True
            sys.settrace(self.enter)
        return self

    def __exit__(self, *_: object) -> None:
        if self.is_on:
            sys.settrace(None)

    def enter(self, frame: Any, event: str, argument: Any) -> Any:
        del event, argument
        code = frame.f_code
        is_own = code.co_filename == self.code.co_filename
        return self.step if is_own and self.code.co_firstlineno <= code.co_firstlineno <= self.last else None

    def step(self, frame: Any, event: str, argument: Any) -> Any:
        del event, argument
        self.ran.add(frame.f_lineno)
        return self.step

    @property
    def reached(self) -> bool | None:
        """Whether an assertion was reached; None if the test has none, or nothing was seen of it."""
        return not self.lines.isdisjoint(self.ran) if self.is_on and self.ran else None


def assertion_lines(code: Any) -> frozenset[int]:
    """The lines on which a test function checks something; empty if there are none or the source is not there."""
    node = definition_of(code)
    return frozenset(line for each in checks_in(node) for line in each) if node is not None else frozenset()


def definition_of(code: Any) -> Function | None:
    """The syntax tree of the function that some code belongs to; None if its source is not there."""
    try:
        tree = ast.parse(read_source(code.co_filename))
    except (OSError, SyntaxError, ValueError):
        return None
    functions = (each for each in ast.walk(tree) if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return next((each for each in functions if code.co_firstlineno in starts(each)), None)


def starts(node: Function) -> tuple[int, ...]:
    """The line of a function, and that of its first decorator, where its code begins."""
    return (node.lineno, *(each.lineno for each in node.decorator_list[:1]))


def checks_in(function: Function) -> Iterator[range]:
    for node in ast.walk(function):
        if isinstance(node, (ast.Assert, ast.Raise)) or (
            isinstance(node, ast.Call) and any(part in called(node.func).lower() for part in CHECKING)
        ):
            yield range(node.lineno, (node.end_lineno or node.lineno) + 1)


def called(node: Any) -> str:
    """The last part of the name that is called."""
    return str(getattr(node, "attr", None) or getattr(node, "id", ""))
