"""Test files whose imports fail one by one."""

import pytest

from dualgate.workspace.steering.lone_imports import with_lone_imports

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
