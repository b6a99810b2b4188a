"""Whole runs with a REFACTOR that goes wrong."""

from pathlib import Path

from tests.loop.scripts import GREEN, RED, REST
from tests.support import Dualgate, decisions

BREAKING = """
[[turn]]
phase = "REFACTOR"
[[turn.write]]
path = "doubling.py"
text = "def double(x): return twice(x)"
[[turn.write]]
path = "leftover.py"
text = "half = 1"
"""


def test_a_refactoring_that_breaks_a_test_is_rolled_back_and_told(
    rehearse: Dualgate, dualgate: Dualgate, project: Path
) -> None:
    ended = rehearse(RED + GREEN + BREAKING + REST)

    assert (ended.code, decisions(ended)[2:4]) == (0, [("REFACTOR", "continue"), ("REFACTOR", "next_phase")])
    back = ended.lines[2]["rolled_back"]
    assert (sorted(back["paths"]), back["left"]) == (["doubling.py", "leftover.py"], [])
    assert (project / "doubling.py").read_text() == "def double(x): return x + x"
    assert not (project / "leftover.py").exists()
    assert "call 3 (REFACTOR) broke tests" in dualgate("snapshot", "list").out
