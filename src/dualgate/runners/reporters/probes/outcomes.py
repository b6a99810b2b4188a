"""How a test ended, and whether the test or the code that it tests raised the error."""

from __future__ import annotations

import os

from .. import witness
from .switches import is_test


class Outcome:
    """A test that ended. `crashed` if it failed by an error of the code, not by what the test asks."""

    def __init__(self, outcome: str, crashed: bool, hits: set[int]) -> None:
        self.outcome = outcome
        self.crashed = crashed
        self.hits = hits


def raised_by_test(error: BaseException, path: str, project: str) -> bool:
    """Whether an error comes from the code of a test, not from the code that it tests."""
    last, trace = "", error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file == path or witness.within(os.path.realpath(file), project):
            last = file
        trace = trace.tb_next
    return last == path or (bool(last) and is_test(os.path.relpath(os.path.realpath(last), project)))
