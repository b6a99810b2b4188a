"""Whole runs over code that writes files into the project: they are outputs of the test runs, and hide nothing."""

from pathlib import Path

import pytest

from tests.loop.scripts import REST
from tests.support import Dualgate, decisions

RED = """
[[turn]]
phase = "RED"
[[turn.write]]
path = "tests/test_double.py"
text = '''
from doubling import double

def test_ac1_numbers():
    assert double(2) == 4

def test_ac2_texts():
    assert double("a") == "aa"
'''
[[turn.write]]
path = "doubling.py"
text = "def double(x): raise NotImplementedError"
"""
KEEPING = """
[[turn]]
phase = "GREEN"
run = [{commands}]
[[turn.write]]
path = "doubling.py"
text = '''
import sqlite3, time

def double(x):
    with sqlite3.connect("results.db") as known:
        known.execute("create table if not exists results (at, text)")
        known.execute("insert into results values (?, ?)", (time.time_ns(), str(x)))
    return x + x
'''
"""


@pytest.mark.parametrize(
    "commands", ["", '"python -m pytest -q"'], ids=["dualgate runs them", "the agent runs them too"]
)
def test_code_that_writes_a_database_into_the_project_is_proven(
    rehearse: Dualgate, dualgate: Dualgate, project: Path, commands: str
) -> None:
    ended = rehearse(RED + KEEPING.format(commands=commands) + REST)

    assert (ended.code, decisions(ended)[1]) == (0, ("GREEN", "next_phase")), ended.err
    assert [line["violations"] for line in ended.lines if "violations" in line] == [[]] * 5
    assert "test runs write results.db" in dualgate("status").out


REPORTING = """
[[turn]]
phase = "GREEN"
run = [{commands}]
[[turn.write]]
path = "doubling.py"
text = '''
import time
from pathlib import Path

def double(x):
    pages = {{"index.html": str(time.time_ns()), "sort.js": "let sorted = 1;", "sort.css": "a {{}}", ".gitignore": "*"}}
    for name, text in pages.items():
        place = Path("doubles") / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(text)
    return x + x
'''
"""


@pytest.mark.parametrize("commands", ["", '"python -m pytest -q"'], ids=["dualgate", "the agent too"])
def test_a_report_with_scripts_in_a_folder_of_its_own_is_proven(
    rehearse: Dualgate, dualgate: Dualgate, commands: str
) -> None:
    ended = rehearse(RED + REPORTING.format(commands=commands) + REST)

    assert (ended.code, decisions(ended)[1]) == (0, ("GREEN", "next_phase")), ended.err
    assert "test runs write doubles/" in dualgate("status").out
