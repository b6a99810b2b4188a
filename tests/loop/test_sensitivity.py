"""Whole runs: tests that do not notice broken code are rewritten, or the run ends without proof."""

from pathlib import Path

import pytest

from tests.loop.conftest import Dying
from tests.loop.scripts import GREEN, REST
from tests.support import Dualgate, decisions

BEGINNING = """
[[turn]]
phase = "RED"
[[turn.write]]
path = "doubling.py"
text = "def double(x): raise NotImplementedError"
"""
TESTS = """
[[turn.write]]
path = "tests/test_double.py"
text = '''
from doubling import double

def test_ac1_numbers():
    result = double(2)
    assert {number}

def test_ac2_texts():
    assert double("a") == "aa"
'''
"""
ASKED_AGAIN = """
[[turn]]
phase = "RED"
"""
WEAK = BEGINNING + TESTS.format(number="result is not None")
SHARP = ASKED_AGAIN + TESTS.format(number="result == 4 and double(3) == 6")
WRONG = GREEN.replace("return x + x", "return x * 2 if isinstance(x, str) else 5")


def test_a_weak_test_is_rewritten_by_an_agent_who_is_told_its_break_and_the_run_is_proven(
    rehearse: Dualgate, tmp_path: Path
) -> None:
    ended = rehearse(WEAK + GREEN + SHARP + REST)

    assert decisions(ended)[:4] == [
        ("RED", "next_phase"),
        ("GREEN", "rewrite_tests"),
        ("RED", "next_phase"),
        ("GREEN", "next_phase"),
    ]
    result = ended.lines[-1]
    assert (ended.code, result["proven"], result["agent_calls"]) == (0, True, 6)
    prompt = next((tmp_path / "home").rglob("0003-RED-prompt.md")).read_text()
    assert "- AC-1: `tests/test_double.py::test_ac1_numbers` also passes when `double()` returns 1" in prompt
    assert "The code stays as it is." in prompt


def test_a_lazy_agent_is_asked_twice_and_the_run_ends_without_proof(rehearse: Dualgate) -> None:
    ended = rehearse(WEAK + GREEN + ASKED_AGAIN + REST)

    assert decisions(ended)[:5] == [
        ("RED", "next_phase"),
        ("GREEN", "rewrite_tests"),
        ("RED", "continue"),
        ("RED", "keep_tests"),
        ("GREEN", "next_phase"),
    ]
    assert ended.code == 7
    (reason,) = ended.lines[-1]["unproven"]
    assert reason.startswith("no test proves AC-1: `tests/test_double.py::test_ac1_numbers` also passes when")


def test_a_rewritten_test_that_finds_a_bug_is_made_to_pass_in_green(rehearse: Dualgate) -> None:
    ended = rehearse(WEAK + WRONG + SHARP + GREEN + REST)

    assert decisions(ended)[:4] == [
        ("RED", "next_phase"),
        ("GREEN", "rewrite_tests"),
        ("RED", "next_phase"),
        ("GREEN", "next_phase"),
    ]
    assert (ended.code, ended.lines[-1]["proven"]) == (0, True)


def test_nothing_is_measured_if_a_person_says_so(rehearse: Dualgate) -> None:
    ended = rehearse(WEAK + GREEN + REST, "--sensitivity", "off")

    assert ended.code == 0
    assert ("GREEN", "next_phase") in decisions(ended)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_run_that_is_killed_while_code_is_broken_goes_on(
    dying: Dying, dualgate: Dualgate, tmp_path: Path, moment: str
) -> None:
    (tmp_path / "script.toml").write_text(WEAK + GREEN + SHARP + REST)
    dying(26, moment)

    ended = dualgate("resume", "--json")

    assert (ended.code, ended.lines[-1]["proven"], ended.lines[-1]["agent_calls"]) == (0, True, 6)


def test_tests_that_were_not_rewritten_as_asked_are_restored(rehearse: Dualgate, project: Path) -> None:
    others = TESTS.format(number="result == 4").replace('== "aa"', '!= "b"')

    ended = rehearse(WEAK + GREEN + ASKED_AGAIN + others + REST)

    assert decisions(ended)[2:4] == [("RED", "continue"), ("RED", "keep_tests")]
    assert ended.code == 7
    assert "assert result is not None" in (project / "tests" / "test_double.py").read_text()
