"""Whole runs: a real project, real pytest, scripted agents.

Those that are marked `whole`, and those in the background, start dualgate and pytest as a user does.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from dualgate.core.values.vocabulary import Phase
from dualgate.session.loop import take_baseline, turn
from dualgate.session.open import new_session
from dualgate.settings import Settings
from dualgate.testing import a_control, a_host
from tests.loop.scripts import GREEN, OLD_OF_UNITTEST, PACKET, RED, RED_OF_UNITTEST, REST
from tests.support import Dualgate, decisions, until


@pytest.mark.whole
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
    result = ended.lines[-1]
    touched = result.pop("touched")
    assert "doubling.py" in touched["agent"]
    assert (touched["tests"], touched["person"]) == ([], [])
    assert (result.pop("review")["fixes"], result["agent_calls"]) == ([], 5)
    assert [(each["id"], each["kind"], each["state"]) for each in result.pop("criteria")] == [
        ("AC-1", "new", "green"),
        ("AC-2", "new", "green"),
    ]
    assert list(result.pop("agents").values()) == [5]
    assert result.pop("usage")["calls"] == 5
    assert result.pop("documents")["records"] == ["docs/adr/0001-plus.md"]
    assert isinstance(result.pop("warnings"), list)
    assert (result.pop("halt"), result.pop("next")[0]["command"]) == (None, "dualgate report --open")
    assert result | {"session": "", "session_id": ""} == {
        "status": "completed",
        "proven": True,
        "self_reviewed": True,
        "unproven": [],
        "halt_reason": None,
        "way_on": None,
        "exit_code": 0,
        "ended_by": "project_complete",
        "phase": "QA",
        "phases_completed": ["RED", "GREEN", "REFACTOR", "DOCUMENT", "QA"],
        "agent_calls": 5,
        "session_id": "",
        "session": "",
        "spec_changed": False,
        "report": None,
        "checks": [],
        "commits": None,
        "escalations": [],
    }


def test_green_is_proven_by_two_runs_of_one_tree(rehearse: Dualgate) -> None:
    ended = rehearse(RED + GREEN + REST)

    assert [line["tests"]["green_runs"] for line in ended.lines[1:-1]] == [2, 1, 1, 1]


@pytest.mark.whole
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


@pytest.mark.whole
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


# what stands in for something that pytest loads is tried on a pytest that loads it
OF_WHAT_IS_LOADED = ("code stood in for", "library shadowed", "runner shadowed", "plug-in announced", "outcomes forged")


@pytest.mark.parametrize(
    "cheat",
    [
        pytest.param(cheat, id=name, marks=[pytest.mark.whole] if name in OF_WHAT_IS_LOADED else [])
        for name, cheat in CHEATS.items()
    ],
)
def test_a_cheat_is_undone_and_does_not_pass(rehearse: Dualgate, cheat: str) -> None:
    ended = rehearse(RED + '[[turn]]\nphase = "GREEN"\n' + cheat + REST)

    assert ended.code == 3
    assert decisions(ended)[1] == ("GREEN", "continue")
    assert ended.lines[1]["violations"][0]["reverted"]


def test_what_the_guard_undid_is_told_in_the_next_prompt(rehearse: Dualgate, project: Path) -> None:
    ended = rehearse(RED + '[[turn]]\nphase = "GREEN"\n' + CHEATS["test weakened"] + GREEN + REST)

    assert ended.code == 0
    assert decisions(ended)[1:3] == [("GREEN", "continue"), ("GREEN", "next_phase")]
    (violation,) = ended.lines[1]["violations"]
    assert (violation["path"], violation["reverted"]) == ("tests/test_double.py", True)
    assert "assert double" in (project / "tests" / "test_double.py").read_text()
    first, second = sorted((Path(ended.lines[-1]["session"]) / "calls").glob("*GREEN*prompt*"))
    told = "- tests/test_double.py: proven tests and their configuration are frozen after RED; reverted"
    assert [told in prompt.read_text() for prompt in (first, second)] == [False, True]


def unwatched(*_: object) -> None:
    """Nobody looks on."""


def test_what_a_person_changes_between_two_turns_stays_and_is_theirs(
    project: Path, tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "script.toml").write_text(RED + GREEN)
    settings = Settings(
        agent=f"rehearsal:{tmp_path / 'script.toml'}", test_command=environment["DUALGATE_TEST_COMMAND"]
    )
    with new_session(project / "SPEC.md", a_host(project), settings, unwatched) as session:
        proven = turn(take_baseline(session.rooms, a_control()), session.rooms, a_control())
        theirs = "from doubling import double\n\ndef test_ac1_numbers():\n    assert double(3) == 6\n"
        (project / "tests" / "test_double.py").write_text(theirs)
        (project / "NOTES.txt").write_text("mine")

        state = turn(proven, session.rooms, a_control())

    assert proven.phase is Phase.GREEN
    assert (project / "tests" / "test_double.py").read_text() == theirs
    assert state.touched.person == ("NOTES.txt", "tests/test_double.py")
    assert "NOTES.txt" not in state.touched.agent
    assert state.memory.violations == ()


@pytest.mark.whole
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


@pytest.mark.whole
def test_make_may_run_the_tests_and_its_makefile_is_frozen(rehearse: Dualgate, project: Path) -> None:
    (project / "Makefile").write_text(f"test:\n\t@{sys.executable} -m pytest -q\n")
    rigging = '[[turn]]\nphase = "GREEN"\nrun = ["echo \\"test: ; true\\" > Makefile"]\n'

    ended = rehearse(RED + rigging + GREEN + REST, "--test-command", "make test")

    assert ended.code == 0
    assert ended.lines[1]["violations"][0]["path"] == "Makefile"


def test_an_error_that_a_person_can_mend_does_not_leave_the_session_unfinished(dualgate: Dualgate) -> None:
    assert dualgate("run", "SPEC.md", "--agent", "rehearsal", "--test-command", "true").code == 1
    assert "\nHalted   RED: The tests cannot be run as they are" in dualgate("status").out
    assert dualgate("run", "SPEC.md", "--agent", "rehearsal").code == 0


def test_honest_work_after_a_cheat_completes(rehearse: Dualgate) -> None:
    ended = rehearse(RED + '[[turn]]\nphase = "GREEN"\n' + CHEATS["test weakened"] + GREEN + REST)

    assert ended.code == 0


def test_red_tests_that_pass_already_do_not_end_red(rehearse: Dualgate) -> None:
    ended = rehearse(RED.replace("raise NotImplementedError", "return x + x"), "--max-iterations", "2")

    assert decisions(ended) == [("RED", "continue"), ("RED", "max_iterations")]
    assert "new tests of AC-1, AC-2 pass, but code was changed in RED (doubling.py)" in ended.lines[-1]["halt_reason"]
    assert ended.code == 3


def test_a_rejection_goes_back_to_green_and_is_proven_again(rehearse: Dualgate) -> None:
    rejecting = REST.replace('Verdict: APPROVE"', 'Verdict: REJECT"\nrecommendation = "no bounds"')
    ended = rehearse(RED + GREEN + rejecting + f'[[turn]]\nphase = "QA"\nsays = "{PACKET}Verdict: APPROVE"\n')

    assert [decision for _, decision in decisions(ended)] == [
        *["next_phase"] * 4,
        "rejected",
        *["next_phase"] * 3,
        "project_complete",
    ]
    # nothing was changed, so REFACTOR and DOCUMENT stand without a call
    assert (ended.code, ended.lines[-1]["agent_calls"]) == (0, 7)


@pytest.mark.whole
def test_an_agent_that_asks_twice_for_help_is_blocked(rehearse: Dualgate) -> None:
    ended = rehearse('[[turn]]\nphase = "RED"\nclaims = "blocked"\nrecommendation = "need a password"\n')

    assert (ended.code, decisions(ended)) == (4, [("RED", "continue"), ("RED", "blocked")])
    assert ended.lines[-1]["halt_reason"] == "RED: need a password"


def test_the_breaker_is_notified_of_a_blocked_agent_that_then_goes_on(
    rehearse: Dualgate, environment: dict[str, str]
) -> None:
    blocked = '[[turn]]\nphase = "RED"\nclaims = "blocked"\nrecommendation = "need a password"\n'
    blocked += '[[turn.write]]\npath = "notes.py"\ntext = "x = 1"\n'

    ended = rehearse(blocked + RED + GREEN + REST)

    folder = Path(environment["HOME"]) / ".bp-sessions" / "doubling"
    history = json.loads((folder / "circuit-breaker.json").read_text())["history"]
    assert (ended.code, history[0]["after"], history[0]["reason"]) == (
        0,
        "HALF_OPEN",
        "the agent says BLOCKED: need a password",
    )
    assert "STATE: HALF_OPEN" in (folder / "phase-status.log").read_text()


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
    assert "AC-2 (new, no test): double" in (project / "prompt.txt").read_text()


def test_a_project_of_unittest_is_proven_by_tests_that_could_not_be_imported_before_the_work(
    rehearse: Dualgate, project: Path
) -> None:
    (project / "tests" / "test_old.py").write_text(OLD_OF_UNITTEST)
    command = f"{sys.executable} -m unittest discover -s tests"

    ended = rehearse(RED_OF_UNITTEST + GREEN + REST, "--test-command", command)

    assert (ended.code, ended.lines[-1]["proven"], ended.lines[1]["tests"]["total"]) == (0, True, 3)


def test_tests_of_the_project_that_fail_already_are_blamed_on_nobody(rehearse: Dualgate, project: Path) -> None:
    (project / "tests" / "test_own.py").write_text("def test_own(): assert False")

    assert rehearse(RED + GREEN + REST).code == 0


def test_tests_that_write_into_the_tree_are_known_from_the_baseline(rehearse: Dualgate, project: Path) -> None:
    writes = "import time\ndef test_w(): open('out.txt', 'w').write(str(time.time()))"
    (project / "tests" / "test_writes.py").write_text(writes)

    assert rehearse(RED + GREEN + REST).code == 0


@pytest.mark.whole
def test_tests_that_cannot_be_run_are_an_error_before_any_call(dualgate: Dualgate) -> None:
    ended = dualgate("run", "SPEC.md", "--agent", "rehearsal", "--test-command", "true", "--json")

    assert ended.code == 1
    assert ended.lines[-1]["error"]["kind"] == "SuiteUnusable"
    assert "gave no pytest report" in ended.err


def a_run_in_the_background(
    project: Path, environment: dict[str, str], then: str = "sleep 600 & sleep 600"
) -> "subprocess.Popen[bytes]":
    """A run whose agent has started, left something in the tree, and hangs."""
    (project / "agent.sh").write_text(f"echo started > made-by-agent.txt; {then}\n")
    words = [sys.executable, "-m", "dualgate", "run", "SPEC.md", "--agent-command", "sh agent.sh"]
    before = signal.signal(signal.SIGQUIT, signal.SIG_DFL)  # a shell ignores it for what it starts in the background
    run = subprocess.Popen(words, cwd=project, env=environment, stdout=subprocess.DEVNULL)
    signal.signal(signal.SIGQUIT, before)
    until((project / "made-by-agent.txt").exists)
    return run


def works(process: psutil.Process) -> bool:
    """Whether it still runs; nobody may have asked yet how it ended."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


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


def test_a_quit_leaves_no_process_and_the_session_goes_on(
    dualgate: Dualgate, project: Path, environment: dict[str, str]
) -> None:
    run = a_run_in_the_background(project, environment)
    started = psutil.Process(run.pid).children(recursive=True)
    run.send_signal(signal.SIGQUIT)
    ended = run.wait(timeout=30)
    left = psutil.wait_procs(started, timeout=30)[1]

    assert (ended, len(started) > 0, left) == (-signal.SIGQUIT, True, [])
    assert (project / "made-by-agent.txt").exists()
    assert dualgate("resume", "--agent", "rehearsal").code == 0


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

    until(lambda: not json.loads(dualgate("status", "--json").out)["alive"])
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
    third = dualgate("run", "SPEC.md", "--agent", "rehearsal")
    left = psutil.Process(run.pid).children(recursive=True)
    run.kill()
    run.wait()

    assert "No process works on this session." in dualgate("status").out
    assert (second.code, third.code) == (6, 6)
    assert f"process {run.pid}" in second.err
    assert third.err.splitlines()[-2:] == second.err.splitlines()[-2:]
    refused = dualgate("run", "SPEC.md", "--agent", "rehearsal")
    assert (refused.code, refused.err.count("a process that a killed run left")) == (1, len(left))
    (project / "made-by-agent.txt").unlink()
    again = dualgate("run", "SPEC.md", "--agent", "rehearsal", "--fresh")
    assert again.code == 0
    assert len(left) > 1
    assert not [process for process in left if works(process)]


def test_a_finished_session_is_archived_by_the_next(dualgate: Dualgate, environment: dict[str, str]) -> None:
    dualgate("run", "SPEC.md", "--agent-command", "false")

    assert dualgate("run", "SPEC.md", "--agent", "rehearsal", "--fresh").code == 0
    sessions = Path(environment["HOME"]) / ".bp-sessions" / "doubling"
    assert len(list(sessions.glob("archive/*/journal.jsonl"))) == 1


def test_the_thresholds_of_the_project_file_hold_and_are_kept(dualgate: Dualgate, project: Path) -> None:
    (project / "dualgate.toml").write_text("max_cost = 5\n[breaker.GREEN]\nno_progress = 1\n")

    ended = dualgate("run", "SPEC.md", "--agent", "rehearsal:lying", "--json")

    assert decisions(ended) == [("RED", "next_phase"), ("GREEN", "stuck")]
    said = "max_cost cannot be enforced: the call reported no cost, and [prices] has no price for its model"
    assert ended.err == f"dualgate: {said}\n" * 2
    started = dualgate("log", "--json").lines[0]["data"]
    assert started["limits"]["thresholds"]["GREEN"] == {"no_progress": 1, "same_error": 3}


def test_a_run_halts_when_its_time_is_over_and_the_call_with_it(dualgate: Dualgate) -> None:
    ended = dualgate("run", "SPEC.md", "--agent-command", "sleep 600", "--max-duration", "3s", "--json")

    assert (ended.code, ended.lines[-1]["ended_by"]) == (3, "budget_exhausted")
    assert ended.lines[-1]["halt_reason"] == "RED: the time limit of this run, 3s, is reached"


def test_a_limit_ends_a_run_that_is_told_not_to_wait(dualgate: Dualgate) -> None:
    agent = "echo 'Claude AI usage limit reached|4102444800'; exit 1"

    ended = dualgate("run", "SPEC.md", "--agent-command", agent, "--no-wait", "--json")

    assert (ended.code, ended.lines[-1]["ended_by"]) == (5, "rate_limited")
    assert decisions(ended) == [("RED", "rate_limited")]


def test_an_agent_that_falls_silent_is_stopped_and_asked_again(dualgate: Dualgate, project: Path) -> None:
    agent = "echo x >> ../calls; test $(wc -l < ../calls) = 1 && sleep 600; exit 1"

    ended = dualgate("run", "SPEC.md", "--agent-command", agent, "--idle-timeout", "1s", "--json")

    assert decisions(ended) == [*[("RED", "retry")] * 6, ("RED", "stuck")]
    assert "the call failed: idle" in ended.lines[0]["reasons"]


def test_what_is_larger_than_a_snapshot_keeps_cannot_be_given_back(rehearse: Dualgate, project: Path) -> None:
    (project / "dualgate.toml").write_text("[snapshots]\nlargest_kept = 10\n")
    weaker = GREEN + '[[turn.write]]\npath = "tests/test_double.py"\ntext = "def test_ac1_numbers(): pass"\n'

    ended = rehearse(RED + weaker)

    assert [violation["reverted"] for violation in ended.lines[1]["violations"]] == [False]


@pytest.mark.whole
def test_a_project_of_two_parts_is_proven_with_the_tests_of_both(
    rehearse: Dualgate, project: Path, environment: dict[str, str]
) -> None:
    del environment["DUALGATE_TEST_COMMAND"]
    (project / ".venv" / "bin").mkdir(parents=True)
    (project / ".venv" / "bin" / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (project / ".venv" / "bin" / "python").chmod(0o755)
    (project / "part").mkdir()
    (project / "part" / "setup.py").touch()
    (project / "part" / "test_part.py").write_text("def test_part(): pass")

    ended = rehearse(RED + GREEN + REST)

    assert (ended.code, ended.lines[1]["tests"]["total"]) == (0, 4)
    assert ended.lines[0]["tests"]["red"][0] == "pytest::tests/test_double.py::test_ac1_numbers"


def test_a_run_is_asked_to_pause_and_says_who_asked(
    dualgate: Dualgate, project: Path, environment: dict[str, str]
) -> None:
    run = a_run_in_the_background(project, environment)
    started = psutil.Process(run.pid).children(recursive=True)
    guided = dualgate("guide", "use plain addition")
    paused = dualgate("pause", "--now", USER="ada")

    assert (run.wait(timeout=30), guided.code, paused.code, paused.err) == (130, 0, 0, "")
    assert not [process for process in started if works(process)]
    last = json.loads(dualgate("log", "--json").out.splitlines()[-1])
    assert (last["kind"], last["data"]["reason"]) == ("session.paused", "manual")
    assert last["data"]["by"].startswith("ada@")
    assert "process" in last["data"]["asked"]["origin"]
    nothing = dualgate("pause")
    assert (nothing.code, "Nothing runs in this folder." in nothing.err) == (1, True)


def test_a_run_is_asked_to_give_up(dualgate: Dualgate, project: Path, environment: dict[str, str]) -> None:
    run = a_run_in_the_background(project, environment)
    given_up = dualgate("abort", "--now", "--json", USER="ada")

    assert (run.wait(timeout=30), given_up.code) == (3, 0)
    assert given_up.lines[0]["halt_reason"].startswith("aborted by ada@")


def test_a_skip_guidance_and_a_pause_are_taken_up_after_the_turn(
    dualgate: Dualgate, project: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "go")
    run = a_run_in_the_background(project, environment, f"cat {tmp_path / 'go'}")
    asked = [dualgate(*words).code for words in (("skip", "RED", "--yes"), ("guide", "use plain addition"), ("pause",))]
    (tmp_path / "go").write_text("")

    assert (run.wait(timeout=30), asked) == (130, [0, 0, 0])
    kinds = [json.loads(line)["kind"] for line in dualgate("log", "--json").out.splitlines()]
    assert kinds[-4:] == ["turn.ended", "phase.skipped", "guidance.given", "session.paused"]
    assert "use plain addition" in dualgate("prompts", "next").out


def test_a_second_stop_does_not_wait_and_leaves_the_session_paused(
    dualgate: Dualgate, project: Path, environment: dict[str, str]
) -> None:
    run = a_run_in_the_background(project, environment, "trap '' TERM; sleep 600 & while true; do sleep 1; done")
    started = psutil.Process(run.pid).children(recursive=True)
    run.send_signal(signal.SIGINT)
    time.sleep(0.4)
    run.send_signal(signal.SIGINT)

    assert run.wait(timeout=30) == 130
    assert not [process for process in started if works(process)]
    state = json.loads((Path(environment["HOME"]) / ".bp-sessions" / "doubling" / "loop-state.json").read_text())
    assert (state["status"], state["pause_reason"]) == ("paused", "user_interrupt")


def until_all(processes: list[psutil.Process], stopped: bool) -> None:
    until(lambda: all((process.status() == psutil.STATUS_STOPPED) is stopped for process in processes))


def test_a_run_rests_with_all_that_it_started_and_goes_on(project: Path, environment: dict[str, str]) -> None:
    run = a_run_in_the_background(project, environment)
    all_of_it = [psutil.Process(run.pid), *psutil.Process(run.pid).children(recursive=True)]

    run.send_signal(signal.SIGTSTP)
    until_all(all_of_it, stopped=True)
    run.send_signal(signal.SIGCONT)
    until_all(all_of_it, stopped=False)
    run.send_signal(signal.SIGTERM)

    assert (len(all_of_it) > 2, run.wait(timeout=30)) == (True, 130)


@pytest.mark.parametrize("words", [("run", "SPEC.md", "--agent", "rehearsal"), ("abort",), ("guide", "less")])
def test_whatever_command_ends_what_a_killed_run_left_the_journal_has_it(
    words: tuple[str, ...], dualgate: Dualgate, project: Path, environment: dict[str, str]
) -> None:
    run = a_run_in_the_background(project, environment)
    left = psutil.Process(run.pid).children(recursive=True)
    run.kill()
    run.wait()

    told = dualgate(*words)

    assert (not [process for process in left if works(process)], "that a killed run left" in told.err) == (True, True)
    assert [line["kind"] for line in dualgate("log", "--json").lines].count("leftovers.ended") == 1


def test_a_killed_run_is_gone_on_with_after_what_it_left_and_what_it_was_asked(
    dualgate: Dualgate, project: Path, environment: dict[str, str]
) -> None:
    run = a_run_in_the_background(project, environment)
    asked = dualgate("guide", "use plain addition")
    left = psutil.Process(run.pid).children(recursive=True)
    run.kill()
    run.wait()

    resumed = dualgate("resume", "--agent-command", "false", "--json")

    assert (asked.code, resumed.code) == (0, 3)
    assert not [process for process in left if works(process)]
    events = [json.loads(line) for line in dualgate("log", "--json").out.splitlines()]
    ended = next(event["data"]["processes"] for event in events if event["kind"] == "leftovers.ended")
    assert {text.split()[0] for text in ended} == {str(process.pid) for process in left}
    assert [event["data"]["text"] for event in events if event["kind"] == "guidance.given"] == ["use plain addition"]
