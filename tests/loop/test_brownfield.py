"""Whole runs in projects that have a history of their own, with agents that do more than they should."""

import subprocess
from pathlib import Path

import pytest

from tests.loop.scripts import GREEN, RED, REST
from tests.support import Dualgate, decisions


def a_repository(project: Path, hook: str = "") -> None:
    """The project under git, with a pre-commit hook if one is given."""
    words = "git init -q && git config user.name me && git config user.email me@example.org"
    subprocess.run(f"{words} && git add -A && git commit -qm one", shell=True, cwd=project, check=True)
    if hook:
        (project / ".git" / "hooks" / "pre-commit").write_text(f"#!/bin/sh\n{hook}\n")
        (project / ".git" / "hooks" / "pre-commit").chmod(0o755)


COMMITTING = 'run = ["git add -A; git commit -qm work"]\n'
FORMATTING = r"""sed -i 's/double("a") == "aa"/double( "a" )  ==  "aa"/' tests/test_double.py; git add -A"""


def test_an_agent_may_commit_and_a_hook_may_format_the_tests(rehearse: Dualgate, project: Path) -> None:
    a_repository(project, hook=FORMATTING)
    red, green = (part.replace('"\n[[turn.write', f'"\n{COMMITTING}[[turn.write', 1) for part in (RED, GREEN))

    ended = rehearse(red + green + REST)

    assert (ended.code, ended.lines[1]["violations"]) == (0, [])
    assert 'double( "a" )' in (project / "tests" / "test_double.py").read_text()


def test_rewritten_history_is_a_violation(rehearse: Dualgate, project: Path) -> None:
    a_repository(project)
    rewriting = '[[turn]]\nphase = "GREEN"\nrun = ["git commit -q --amend -m other"]\n'

    ended = rehearse(RED + rewriting + GREEN + REST)

    assert (ended.code, decisions(ended)[1]) == (0, ("GREEN", "continue"))
    assert ended.lines[1]["violations"][0]["path"] == ".git"


@pytest.mark.whole
def test_a_journal_that_the_agent_writes_to_is_put_back_and_its_call_does_not_pass(
    rehearse: Dualgate, dualgate: Dualgate, project: Path, environment: dict[str, str]
) -> None:
    session = Path(environment["HOME"]) / ".bp-sessions" / "doubling"
    forging = f'[[turn]]\nphase = "GREEN"\nrun = ["tail -n 1 {session}/journal.jsonl >> {session}/journal.jsonl"]\n'

    ended = rehearse(RED + forging + GREEN + REST)

    assert (ended.code, decisions(ended)[1]) == (0, ("GREEN", "continue"))
    assert [violation["path"] for violation in ended.lines[1]["violations"]] == ["session:journal.jsonl"]
    assert dualgate("replay").code == 0


def test_a_forged_state_is_written_anew_and_decides_nothing(
    rehearse: Dualgate, project: Path, environment: dict[str, str]
) -> None:
    session = Path(environment["HOME"]) / ".bp-sessions" / "doubling"
    forging = f'[[turn]]\nphase = "GREEN"\nrun = ["echo {{}} > {session}/loop-state.json"]\n'

    ended = rehearse(RED + forging, "--max-iterations", "1")

    assert (ended.code, decisions(ended)[-1]) == (3, ("GREEN", "max_iterations"))
    assert '"halted"' in (session / "loop-state.json").read_text()


@pytest.mark.whole
def test_a_green_that_wavers_is_not_green(rehearse: Dualgate, project: Path) -> None:
    wavering = GREEN.replace(
        "def double(x): return x + x",
        "from pathlib import Path\\nseen = Path.home() / 'seen'\\nis_first = not seen.exists()\\nseen.touch()\\n"
        "def double(x): return x + x if is_first else None",
    )

    ended = rehearse(RED + wavering + REST, "--max-iterations", "1")

    assert (ended.code, decisions(ended)[-1]) == (3, ("GREEN", "max_iterations"))


ONLY_ONE = RED.replace('def test_ac2_texts():\n    assert double("a") == "aa"', "")
REDS = {
    "too few": (ONLY_ONE, "AC-2 needs a new or changed test that fails; 2 needed, 1 found"),
    "already met": (
        RED.replace("def double(x): raise NotImplementedError", "def double(x): return x * 2 if x == 'a' else None"),
        "new tests of AC-2 pass, but code was changed in RED (doubling.py)",
    ),
    "not collectable": (
        RED.replace("from doubling", "from from doubling"),
        "cannot be collected: tests/test_double.py",
    ),
    "ended before the tests": (
        RED + '[[turn.write]]\npath = "conftest.py"\ntext = "import os; os._exit(0)"\n',
        "gave no pytest report",
    ),
}


@pytest.mark.whole
@pytest.mark.parametrize(("script", "why"), REDS.values(), ids=REDS.keys())
def test_red_stays_until_every_criterion_has_a_test_that_fails(rehearse: Dualgate, script: str, why: str) -> None:
    ended = rehearse(script, "--max-iterations", "1")

    assert (ended.code, decisions(ended)) == (3, [("RED", "max_iterations")])
    assert why in ended.lines[-1]["halt_reason"]


TEST = 'path = "tests/test_double.py"'
CHEATS = {
    "skipped": "import pytest\\npytestmark = pytest.mark.skip\\n",
    "expected to fail": "import pytest\\npytestmark = pytest.mark.xfail\\n",
    "renamed": "def test_other_name(): pass\\n",
    "emptied": "",
}


@pytest.mark.parametrize("text", CHEATS.values(), ids=CHEATS.keys())
def test_a_test_that_is_taken_out_of_the_way_is_put_back(rehearse: Dualgate, project: Path, text: str) -> None:
    cheat = f'[[turn]]\nphase = "GREEN"\n[[turn.write]]\n{TEST}\ntext = "{text}"\n'

    ended = rehearse(RED + cheat, "--max-iterations", "1")

    assert (ended.code, ended.lines[1]["violations"][0]["reverted"]) == (3, True)
    assert "def test_ac1_numbers" in (project / "tests" / "test_double.py").read_text()


def test_an_old_test_that_fails_once_in_a_while_is_run_again_though_nothing_changed(
    rehearse: Dualgate, project: Path, tmp_path: Path
) -> None:
    count = tmp_path / "runs.txt"
    flaky = f"open({str(count)!r}, 'a').write('x')\n    assert len(open({str(count)!r}).read()) != 3\n"
    (project / "tests" / "test_old.py").write_text(f"def test_old():\n    {flaky}")

    ended = rehearse(RED + GREEN + REST)

    assert (ended.code, decisions(ended)[:2]) == (0, [("RED", "next_phase"), ("GREEN", "next_phase")])
    assert len(count.read_text()) > 4
