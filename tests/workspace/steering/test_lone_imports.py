"""Test files whose imports fail one by one."""

import pytest

from dualgate.workspace.steering.lone_imports import with_lone_imports, with_lone_statements

SOURCE = b"""from __future__ import annotations
import os, nowhere
from math import (
    pi,
    lost as gone,
)
x = 1; import sys

def test_pi():
    assert pi > 3
"""


def test_a_name_that_is_lost_fails_no_other() -> None:
    found: dict[str, object] = {}

    exec(compile(with_lone_imports(SOURCE), "test_x.py", "exec"), found)

    assert {"os", "pi", "sys", "test_pi"} <= found.keys()
    assert not {"gone", "nowhere"} & found.keys()


@pytest.mark.parametrize("source", [b"def (", b"\0", b"", b"x = 1\n"])
def test_what_imports_nothing_or_is_no_python_stays(source: bytes) -> None:
    assert with_lone_imports(source) == source


STATEMENTS = b'''"""Doc."""
from __future__ import annotations
from nowhere import lost, gone
import math
LOST = math.lost
def mark(value): return lambda function: function
@mark(LOST.cases)
def test_lost(x=gone): ...
@mark(1)
def test_kept(x: lost = 1): return math.pi
class TestA:
    """Doc of A."""
    @mark(lost)
    def test_lost(self): ...
    def test_kept(self): ...
class TestB(gone.Base): ...
'''


def test_a_statement_that_fails_takes_no_other_with_it() -> None:
    found: dict[str, object] = {}

    exec(compile(with_lone_statements(STATEMENTS), "test_x.py", "exec"), found)

    assert found["__doc__"] == "Doc."
    assert {"math", "mark", "test_kept", "TestA"} <= found.keys()
    assert not {"LOST", "test_lost", "TestB"} & found.keys()
    assert {"test_kept"} == {name for name in vars(found["TestA"]) if name.startswith("test")}


@pytest.mark.parametrize("source", [b"def (", b"\0"])
def test_what_is_no_python_stays(source: bytes) -> None:
    assert with_lone_statements(source) == source
