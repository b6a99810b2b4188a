"""Whole runs over code that writes files into the project: they are outputs of the test runs, and hide nothing."""

from pathlib import Path

import pytest

from tests.loop.scripts import RED, REST
from tests.support import Dualgate, decisions

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


CHANGING = """
[[turn]]
phase = "GREEN"
[[turn.write]]
path = "doubling.py"
text = '''
from pathlib import Path

def double(x):
    old = Path("known.db").read_text()
    Path("known.db").write_text(old + str(x))
    return x + x
'''
"""
GUARD = "[guard]\noutputs = ['known.db']\n"


def test_outputs_that_a_person_names_after_a_halt_count_when_the_run_goes_on(
    rehearse: Dualgate, dualgate: Dualgate, project: Path
) -> None:
    (project / "known.db").write_text("")
    halted = rehearse(RED + CHANGING + CHANGING + REST, "--max-iterations", "2")
    (project / "dualgate.toml").write_text(GUARD)

    resumed = dualgate("resume", "--reset", "--max-iterations", "9", "--json")

    assert halted.code != 0
    assert (resumed.code, resumed.lines[-1]["proven"]) == (0, True), resumed.err
    assert "added to guard.outputs: known.db" in dualgate("log").out


def test_outputs_that_an_agent_names_never_count(rehearse: Dualgate, dualgate: Dualgate, project: Path) -> None:
    (project / "known.db").write_text("")
    sly = f"""
[[turn.write]]
path = "dualgate.toml"
text = '''
{GUARD}'''
"""
    rehearse(RED + sly + CHANGING + CHANGING + REST, "--max-iterations", "2")

    resumed = dualgate("resume", "--reset", "--max-iterations", "4", "--json")

    assert resumed.code != 0
    assert "added to guard.outputs" not in dualgate("log").out
