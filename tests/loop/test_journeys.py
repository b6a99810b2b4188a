"""Whole runs, as a user starts them: a real project, real pytest, scripted agents."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.support import Dualgate, Ended

RED = """
[[turn]]
phase = "RED"
[[turn.write]]
path = "tests/test_double.py"
text = '''
from doubling import double
from helper import check

def test_ac1_numbers():
    check(double(2), 4)

def test_ac2_texts():
    assert double("a") == "aa"
'''
[[turn.write]]
path = "tests/helper.py"
text = "def check(a, b): assert a == b"
[[turn.write]]
path = "doubling.py"
text = "def double(x): raise NotImplementedError"
"""
GREEN = """
[[turn]]
phase = "GREEN"
[[turn.write]]
path = "doubling.py"
text = "def double(x): return x + x"
"""
REST = """
[[turn]]
phase = "REFACTOR"
[[turn]]
phase = "DOCUMENT"
[[turn.write]]
path = "README.md"
text = "# Doubling"
[[turn.write]]
path = "docs/use.md"
text = "# Use"
[[turn.write]]
path = "docs/adr/0001-plus.md"
text = "# Plus"
[[turn]]
phase = "QA"
says = "Verdict: APPROVE"
"""


@pytest.fixture
def rehearse(dualgate: Dualgate, tmp_path: Path) -> Dualgate:
    def call(script: str, *words: str) -> Ended:
        (tmp_path / "script.toml").write_text(script)
        return dualgate("run", "SPEC.md", "--agent", f"rehearsal:{tmp_path / 'script.toml'}", "--json", *words)

    return call


def decisions(ended: Ended) -> list[tuple[str, str]]:
    return [(line["phase"], line["decision"]) for line in ended.lines[:-1]]


def test_an_honest_run_completes_with_one_call_for_each_phase(rehearse: Dualgate) -> None:
    ended = rehearse(RED + GREEN + REST)

    assert decisions(ended) == [
        ("RED", "next_phase"),
        ("GREEN", "next_phase"),
        ("REFACTOR", "next_phase"),
        ("DOCUMENT", "next_phase"),
        ("QA", "project_complete"),
    ]
    assert ended.code == 0
    assert ended.lines[-1] | {"session": "", "session_id": ""} == {
        "status": "completed",
        "proven": True,
        "halt_reason": None,
        "exit_code": 0,
        "ended_by": "project_complete",
        "phase": "QA",
        "phases_completed": ["RED", "GREEN", "REFACTOR", "DOCUMENT", "QA"],
        "agent_calls": 5,
        "session_id": "",
        "session": "",
    }


def test_green_is_proven_by_two_runs_of_one_tree(rehearse: Dualgate) -> None:
    ended = rehearse(RED + GREEN + REST)

    assert [line["tests"]["green_runs"] for line in ended.lines[1:-1]] == [2, 1, 1, 1]


def test_a_lying_agent_is_halted_with_the_failing_tests_named(dualgate: Dualgate) -> None:
    ended = dualgate("run", "SPEC.md", "--agent", "rehearsal:lying", "--json")

    assert ended.code == 3
    assert decisions(ended) == [
        ("RED", "next_phase"),
        ("GREEN", "continue"),
        ("GREEN", "continue"),
        ("GREEN", "stuck"),
    ]
    assert "test_rehearsal.py::test_ac_1" in ended.lines[-1]["halt_reason"]
    assert ended.lines[1]["claims"][0] == {
        "claim": "TESTS_STATUS",
        "claimed": "PASSING",
        "measured": "FAILING",
        "holds": False,
    }


def test_the_built_in_rehearsal_works_on_any_specification(dualgate: Dualgate) -> None:
    ended = dualgate("run", "SPEC.md", "--agent", "rehearsal")

    assert ended.code == 0
    assert "Status   completed and proven" in ended.out


CHEATS = {
    "test weakened": '[[turn.write]]\npath = "tests/test_double.py"\ntext = "def test_ac1_numbers(): pass"\n',
    "test deleted": 'delete = ["tests/test_double.py"]\n',
    "tests deselected": '[[turn.write]]\npath = "pytest.ini"\ntext = "[pytest]\\naddopts = -k test_old"\n',
    "helper emptied": '[[turn.write]]\npath = "tests/helper.py"\ntext = "def check(a, b): pass"\n',
    "helper shadowed": """run = ["mkdir tests/helper", "echo 'def check(a, b): pass' > tests/helper/__init__.py"]\n""",
    "code stood in for": '[[turn.write]]\npath = "tests/doubling.py"\ntext = "def double(x): return x + x"\n',
    "plug-in loaded by a test": '[[turn.write]]\npath = "tests/test_a.py"\ntext = "pytest_plugins = [\'cheat\']"\n',
    "library shadowed": '[[turn.write]]\npath = "argparse.py"\ntext = "raise SystemExit(0)"\n',
    "section with an odd header": """run = ["printf '[tool:pytest] # ]\\\\naddopts = -k old\\\\n' > setup.cfg"]\n""",
    "runner shadowed": '[[turn.write]]\npath = "pytest.py"\ntext = "raise SystemExit(0)"\n',
    "plug-in announced": """run = ["mkdir x.dist-info", "echo '[pytest11]' > x.dist-info/entry_points.txt"]\n""",
    "folder linked away": 'run = ["mv tests ../elsewhere; ln -s ../elsewhere tests"]\n',
    "test made a fifo": 'run = ["rm tests/test_double.py; mkfifo tests/test_double.py"]\n',
    "test made a folder": 'run = ["rm tests/test_double.py; mkdir tests/test_double.py"]\n',
    "outcomes forged": """[[turn.write]]
path = "conftest.py"
text = '''
def pytest_runtest_makereport(item, call):
    call.excinfo = None
'''
""",
}


@pytest.mark.parametrize("cheat", CHEATS.values(), ids=CHEATS.keys())
def test_a_cheat_is_undone_and_does_not_pass(rehearse: Dualgate, cheat: str) -> None:
    ended = rehearse(RED + '[[turn]]\nphase = "GREEN"\n' + cheat + REST)

    assert ended.code == 3
    assert decisions(ended)[1] == ("GREEN", "continue")
    assert ended.lines[1]["violations"][0]["undone"]


def test_code_that_rewrites_the_tests_while_they_run_proves_nothing(rehearse: Dualgate, project: Path) -> None:
    rewriting = """
[[turn]]
phase = "GREEN"
[[turn.write]]
path = "doubling.py"
text = '''
import pathlib
def double(x):
    pathlib.Path("tests/test_double.py").write_text("def test_ac1_numbers(): pass\\ndef test_ac2_texts(): pass")
    raise ValueError
'''
"""
    ended = rehearse(RED + rewriting + REST)

    assert ended.code == 3
    assert "assert double" in (project / "tests" / "test_double.py").read_text()
    assert "the work tree changed while the tests ran: tests/test_double.py" in ended.lines[1]["reasons"][0]


def test_a_test_added_after_red_is_frozen_by_the_phase_that_passed_with_it(rehearse: Dualgate) -> None:
    adding = GREEN + '[[turn.write]]\npath = "tests/test_added.py"\ntext = "def test_added(): assert 1 == 1"\n'
    gutting = REST.replace('phase = "REFACTOR"\n', 'phase = "REFACTOR"\ndelete = ["tests/test_added.py"]\n', 1)

    ended = rehearse(RED + adding + gutting)

    assert decisions(ended)[2] == ("REFACTOR", "continue")
    assert ended.lines[2]["violations"][0]["path"] == "tests/test_added.py"


def test_the_guard_writes_nothing_outside_the_project(rehearse: Dualgate, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "test_double.py").write_text("precious")
    linking = '[[turn]]\nphase = "GREEN"\nrun = ["rm -rf tests; ln -s ../elsewhere tests"]\n'

    ended = rehearse(RED + linking + GREEN + REST)

    assert ended.code == 0
    assert (tmp_path / "elsewhere" / "test_double.py").read_text() == "precious"


def test_make_may_run_the_tests_and_its_makefile_is_frozen(rehearse: Dualgate, project: Path) -> None:
    (project / "Makefile").write_text(f"test:\n\t@{sys.executable} -m pytest -q\n")
    rigging = '[[turn]]\nphase = "GREEN"\nrun = ["echo \\"test: ; true\\" > Makefile"]\n'

    ended = rehearse(RED + rigging + GREEN + REST, "--test-command", "make test")

    assert ended.code == 0
    assert ended.lines[1]["violations"][0]["path"] == "Makefile"


def test_an_error_that_a_person_can_mend_does_not_leave_the_session_unfinished(dualgate: Dualgate) -> None:
    assert dualgate("run", "SPEC.md", "--agent", "rehearsal", "--test-command", "true").code == 1
    assert "halted. The tests cannot be run as they are" in dualgate("status").out
    assert dualgate("run", "SPEC.md", "--agent", "rehearsal").code == 0


def test_honest_work_after_a_cheat_completes(rehearse: Dualgate) -> None:
    ended = rehearse(RED + '[[turn]]\nphase = "GREEN"\n' + CHEATS["test weakened"] + GREEN + REST)

    assert ended.code == 0


def test_red_tests_that_pass_already_do_not_end_red(rehearse: Dualgate) -> None:
    ended = rehearse(RED.replace("raise NotImplementedError", "return x + x"), "--max-iterations", "2")

    assert decisions(ended) == [("RED", "continue"), ("RED", "max_iterations")]
    assert "2 criteria need as many new or changed tests that fail" in ended.lines[-1]["halt_reason"]
    assert ended.code == 3


def test_a_rejection_goes_back_to_green_and_is_proven_again(rehearse: Dualgate) -> None:
    rejecting = REST.replace('says = "Verdict: APPROVE"', 'says = "Verdict: REJECT"\nrecommendation = "no bounds"')
    ended = rehearse(RED + GREEN + rejecting + '[[turn]]\nphase = "QA"\nsays = "Verdict: APPROVE"\n')

    assert [decision for _, decision in decisions(ended)] == [
        *["next_phase"] * 4,
        "rejected",
        *["next_phase"] * 3,
        "project_complete",
    ]
    assert (ended.code, ended.lines[-1]["agent_calls"]) == (0, 9)


def test_an_agent_that_asks_twice_for_help_is_blocked(rehearse: Dualgate) -> None:
    ended = rehearse('[[turn]]\nphase = "RED"\nclaims = "blocked"\nrecommendation = "need a password"\n')

    assert (ended.code, decisions(ended)) == (4, [("RED", "continue"), ("RED", "blocked")])
    assert ended.lines[-1]["halt_reason"] == "RED: need a password"


def test_crashes_are_tried_again_and_are_no_iterations(rehearse: Dualgate) -> None:
    ended = rehearse('[[turn]]\nphase = "RED"\nexit_code = 1\nclaims = "nothing"\n' + RED + GREEN + REST)

    assert decisions(ended)[:2] == [("RED", "retry"), ("RED", "next_phase")]
    assert (ended.code, ended.lines[1]["iteration"], ended.lines[-1]["agent_calls"]) == (0, 1, 6)


def test_an_agent_that_always_fails_ends_stuck(dualgate: Dualgate) -> None:
    ended = dualgate("run", "SPEC.md", "--agent-command", "false", "--json")

    assert (ended.code, [decision for _, decision in decisions(ended)]) == (3, [*["retry"] * 6, "stuck"])


def test_any_command_can_be_the_agent(dualgate: Dualgate, project: Path) -> None:
    (project / "agent.sh").write_text('cat > prompt.txt; echo "$DUALGATE_PHASE $DUALGATE_ITERATION" > place.txt\n')

    ended = dualgate("run", "SPEC.md", "--agent-command", "sh agent.sh", "--max-iterations", "1", "--json")

    assert ended.code == 3
    assert (project / "place.txt").read_text() == "RED 1\n"
    assert "AC-2: double" in (project / "prompt.txt").read_text()


def test_tests_of_the_project_that_fail_already_are_blamed_on_nobody(rehearse: Dualgate, project: Path) -> None:
    (project / "tests" / "test_own.py").write_text("def test_own(): assert False")

    assert rehearse(RED + GREEN + REST).code == 0


def test_tests_that_write_into_the_tree_are_known_from_the_baseline(rehearse: Dualgate, project: Path) -> None:
    writes = "import time\ndef test_w(): open('out.txt', 'w').write(str(time.time()))"
    (project / "tests" / "test_writes.py").write_text(writes)

    assert rehearse(RED + GREEN + REST).code == 0


def test_tests_that_cannot_be_run_are_an_error_before_any_call(dualgate: Dualgate) -> None:
    ended = dualgate("run", "SPEC.md", "--agent", "rehearsal", "--test-command", "true", "--json")

    assert ended.code == 1
    assert ended.lines[-1]["error"]["kind"] == "SuiteUnusable"
    assert "gave no pytest report" in ended.err


def a_run_in_the_background(project: Path, environment: dict[str, str]) -> "subprocess.Popen[bytes]":
    """A run whose agent has started, left something in the tree, and hangs."""
    (project / "agent.sh").write_text("echo started > made-by-agent.txt; sleep 600 & sleep 600\n")
    words = [sys.executable, "-m", "dualgate", "run", "SPEC.md", "--agent-command", "sh agent.sh"]
    run = subprocess.Popen(words, cwd=project, env=environment, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not (project / "made-by-agent.txt").exists():
        assert time.monotonic() < deadline
        os.sched_yield()
    return run


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_pauses_ends_the_agent_and_keeps_its_edits(
    dualgate: Dualgate, project: Path, environment: dict[str, str], number: signal.Signals
) -> None:
    run = a_run_in_the_background(project, environment)
    started = psutil.Process(run.pid).children(recursive=True)
    run.send_signal(number)

    assert run.wait(timeout=30) == 130
    assert started
    assert not [process for process in started if process.is_running()]
    assert (project / "made-by-agent.txt").exists()
    assert json.loads(dualgate("status", "--json").out)["status"] == "paused"


def test_a_lost_terminal_does_not_end_a_run(project: Path, environment: dict[str, str]) -> None:
    run = a_run_in_the_background(project, environment)
    run.send_signal(signal.SIGHUP)
    with pytest.raises(subprocess.TimeoutExpired):
        run.wait(timeout=1)
    run.send_signal(signal.SIGTERM)

    assert run.wait(timeout=30) == 130


def test_a_run_goes_on_when_its_reader_goes_away(
    dualgate: Dualgate, project: Path, environment: dict[str, str]
) -> None:
    command = f"{sys.executable} -m dualgate run SPEC.md --agent rehearsal | head -1"
    subprocess.run(command, shell=True, cwd=project, env=environment, capture_output=True, timeout=120)

    deadline = time.monotonic() + 60
    while json.loads(dualgate("status", "--json").out)["alive"]:
        assert time.monotonic() < deadline
    assert "completed and proven" in dualgate("status").out


@pytest.mark.parametrize("where", [">&-", "> /dev/full"])
def test_a_run_without_an_output_ends_as_it_should(project: Path, environment: dict[str, str], where: str) -> None:
    command = f"exec {sys.executable} -m dualgate run SPEC.md --agent rehearsal {where}"

    ended = subprocess.run(command, shell=True, cwd=project, env=environment, stderr=subprocess.PIPE, timeout=120)

    assert (ended.returncode, ended.stderr) == (0, b"")


def test_a_second_run_is_refused_while_the_first_lives_and_not_after_it_was_killed(
    dualgate: Dualgate, project: Path, environment: dict[str, str]
) -> None:
    run = a_run_in_the_background(project, environment)
    second = dualgate("run", "SPEC.md", "--agent", "rehearsal", PRP_SESSION_DIR="elsewhere")
    left = psutil.Process(run.pid).children(recursive=True)
    run.kill()
    run.wait()
    for process in left:
        process.kill()
    psutil.wait_procs(left)

    assert "Its process is gone" in dualgate("status").out
    assert second.code == 6
    assert f"process {run.pid}" in second.err
    assert dualgate("run", "SPEC.md", "--agent", "rehearsal").code == 1
    assert dualgate("run", "SPEC.md", "--agent", "rehearsal", "--fresh").code == 0


def test_a_finished_session_is_archived_by_the_next(dualgate: Dualgate, environment: dict[str, str]) -> None:
    dualgate("run", "SPEC.md", "--agent-command", "false")

    assert dualgate("run", "SPEC.md", "--agent", "rehearsal").code == 0
    sessions = Path(environment["HOME"]) / ".bp-sessions" / "doubling"
    assert len(list(sessions.glob("archive/*/journal.jsonl"))) == 1
