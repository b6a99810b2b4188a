"""Whole runs in which tests are added to a proven file after RED."""

from pathlib import Path

import pytest

from tests.loop.scripts import GREEN, RED, REST
from tests.support import Dualgate, decisions

TEST = """
from helper import check
from doubling import double

def test_ac1_numbers():
    check(double(2), 4)

def test_ac2_texts():
    assert double("a") == "aa"
"""
MORE = f"{TEST}\ndef test_lists():\n    assert double([1]) == [1, 1]\n"


def writing(text: str) -> str:
    return f"[[turn.write]]\npath = \"tests/test_double.py\"\ntext = '''{text}'''\n"


def test_a_test_added_in_green_is_accepted_and_frozen_from_then_on(rehearse: Dualgate, project: Path) -> None:
    weaker = f'[[turn]]\nphase = "REFACTOR"\n{writing(MORE.replace("== [1, 1]", ""))}'

    ended = rehearse(RED + GREEN + writing(MORE) + weaker + REST)

    assert decisions(ended)[:3] == [("RED", "next_phase"), ("GREEN", "next_phase"), ("REFACTOR", "continue")]
    assert (project / "tests" / "test_double.py").read_text() == MORE.lstrip()
    assert ended.code == 0


def test_parameters_are_added_in_green_and_frozen_from_then_on(rehearse: Dualgate, project: Path) -> None:
    head = "import pytest\nfrom doubling import double\n\n@pytest.mark.parametrize('x, y', "
    one = head + "[(1, 2)])\ndef test_ac1_numbers(x, y):\n    assert double(x) == y\n"
    one += "\ndef test_ac2_texts():\n    assert double('a') == 'aa'\n"
    two, other = one.replace("(1, 2)", "(1, 2), (2, 4)"), one.replace("(1, 2)", "(3, 6)")
    red = '[[turn]]\nphase = "RED"\n' + writing(one).replace("'''", '"""')
    later = '[[turn]]\nphase = "REFACTOR"\n' + writing(other).replace("'''", '"""')

    ended = rehearse(red + GREEN + writing(two).replace("'''", '"""') + later + REST)

    assert decisions(ended)[:3] == [("RED", "next_phase"), ("GREEN", "next_phase"), ("REFACTOR", "continue")]
    assert (project / "tests" / "test_double.py").read_text() == two
    assert ended.code == 0


NEGATED = TEST.replace("check(double(2), 4)", "assert not double(2) != 4")
REWRITTEN = TEST.replace("check(double(2), 4)", "assert double(2) == 4")
CHEAT = """
class Any:
    def __eq__(self, _): return True
    def __ne__(self, _): return True

def double(x): return Any() if x == 2 else x + x
"""


@pytest.mark.parametrize("phase", ["GREEN", "REFACTOR"])
def test_a_proven_test_that_a_linter_rewrote_must_pass_as_it_was(rehearse: Dualgate, project: Path, phase: str) -> None:
    cheating = f"[[turn]]\nphase = \"{phase}\"\n[[turn.write]]\npath = \"doubling.py\"\ntext = '''{CHEAT}'''\n"
    honest = GREEN + writing(REWRITTEN) if phase == "REFACTOR" else ""

    ended = rehearse(RED + writing(NEGATED) + honest + cheating + writing(REWRITTEN), "--max-iterations", "1")

    assert decisions(ended)[-1] == (phase, "max_iterations")
    assert "test_ac1_numbers passes only with tests or configuration added since RED" in str(ended.lines[-1])


def test_a_proven_test_must_pass_without_what_was_added_to_its_file(rehearse: Dualgate, project: Path) -> None:
    broken = GREEN.replace("return x + x", "return [4, 'aa'][x == 'a'] if LAX else None\\nLAX = False")
    helper = "class Lax:\n    def __init__(self): doubling.__dict__.update(LAX=True)\n"
    lax = f"{TEST}\nimport doubling\n\n{helper}\nLAX = Lax()\n"

    ended = rehearse(RED + broken + writing(lax), "--max-iterations", "1")

    assert decisions(ended)[-1] == ("GREEN", "max_iterations")
    assert "test_ac1_numbers passes only with tests or configuration added since RED" in str(ended.lines[-1])
