"""The live view in real runs on a pseudo-terminal: what a person sees, the keys, resizes, and every ending."""

import json
import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psutil
import pytest

from tests.cli.pseudo_terminal import PseudoTerminal
from tests.support import Dualgate

AGENT = """
import os, pathlib, sys, time
def has_terminal():
    try:
        os.open("/dev/tty", os.O_RDWR)
    except OSError:
        return False
    return True
print("reading the code", flush=True)
sys.stdout.buffer.write("\\x1b[31mwriting [bold]code[/] \\u202e\\x07\\n".encode())
sys.stdout.flush()
try:
    (pathlib.Path(sys.argv[1]) / "keys").write_text(sys.stdin.read()[:0] + f"{sys.stdin.isatty()} {has_terminal()}")
finally:
    # the folder may be removed before anybody looks for the file in it
    while pathlib.Path(sys.argv[1]).exists() and not (pathlib.Path(sys.argv[1]) / "go").exists():
        time.sleep(0.02)
"""
KEYS = "p pause  g guide  l log  q quit  ? help"


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """A run whose agent works until a file is there, and whose tests take no time."""
    (tmp_path / "agent.py").write_text(AGENT)
    command = f"{sys.executable} {tmp_path / 'agent.py'} {tmp_path}"
    return [
        "run",
        "SPEC.md",
        "--agent-command",
        command,
        "--test-command",
        "true",
        "--runner",
        "exit-code",
        "--max-iterations",
        "2",
    ]


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    return environment | {"TERM": "xterm-256color", "USER": "ada", "LANG": "C.UTF-8"}


@pytest.fixture
def terminal(words: list[str], project: Path, environment: dict[str, str], tmp_path: Path) -> Iterator[PseudoTerminal]:
    with PseudoTerminal(words, project, environment) as opened:
        yield opened
    (tmp_path / "go").touch()  # an agent that outlived its run ends


def test_the_view_is_below_the_lines_and_a_resize_leaves_nothing_of_the_old_one(terminal: PseudoTerminal) -> None:
    shown = terminal.wait_for("writing [bold]code[/]")
    during = terminal.modes_now
    for columns in (40, 120, 60):
        terminal.resize(columns, 24)
        terminal.wait_for(partial(is_whole, columns=columns))
    started = psutil.Process(terminal.process.pid).children(recursive=True)
    os.killpg(terminal.process.pid, signal.SIGQUIT)

    assert shown.splitlines()[-1].strip() == KEYS
    assert "asking the agent (call 1)" in shown.partition("── SPEC.md")[0]
    assert "● RED 1/2  · GREEN  · REFACTOR  · DOCUMENT  · QA" in shown
    assert all(text in shown for text in ("of 1h", "needs   every new criterion has", "\\u202e"))
    assert all(sign not in terminal.written for sign in (b"\x1b[31mwriting", b"\x07", "\u202e".encode()))
    assert (terminal.ended(), during != terminal.modes) == (-signal.SIGQUIT, True)
    assert_restored(terminal)
    assert (len(started), psutil.wait_procs(started, timeout=30)[1]) == (1, [])


def is_whole(shown: str, columns: int) -> bool:
    """Whether there is one view, as wide as the terminal."""
    rules = [line for line in shown.splitlines() if line.startswith("── SPEC.md")]
    once = all(shown.count(text) == 1 for text in (" now ", " total ", "guide"))
    return once and [len(rule) for rule in rules] == [columns - 1]


def assert_restored(terminal: PseudoTerminal) -> None:
    assert terminal.modes_now == terminal.modes
    assert terminal.written.rindex(b"\x1b[?25h") > terminal.written.rindex(b"\x1b[?25l")
    assert "? help" not in terminal.text


def test_keys_pause_and_guide_with_who_pressed_them(
    terminal: PseudoTerminal, dualgate: Dualgate, tmp_path: Path
) -> None:
    terminal.wait_for("writing")

    terminal.press("g")
    terminal.wait_for("Enter sends it to the agent, Esc cancels")
    terminal.press("use a lisp\x7ft\x1b[A é\r")
    terminal.wait_for("the agent gets it with its next prompt")
    terminal.press("\x1b]l q q q\x1b\\?")  # a terminal that reports its title presses no key
    helped = terminal.wait_for("pause after this iteration")
    terminal.press("?l")
    logged = terminal.wait_for("agent \\x1b[31mwriting")
    terminal.press("lp")
    terminal.wait_for("the run pauses after this iteration")
    (tmp_path / "go").touch()

    assert terminal.ended() == 130
    assert ("stop the agent now" in helped, "stop the agent now" in logged) == (True, False)
    assert "paused by ada@" in terminal.text
    assert_restored(terminal)
    told = {line["kind"]: line for line in map(json.loads, dualgate("log", "--json").out.splitlines())}
    assert "use a list é" in str(told["guidance.given"])
    assert all("ada@" in str(told[kind]) for kind in ("guidance.given", "session.paused"))
    assert "/dev/pts/" in str(told["session.paused"])
    assert (tmp_path / "keys").read_text() == "False False"


def test_a_low_narrow_terminal_without_unicode_and_colour_shows_less_and_q_pauses_at_once(
    words: list[str], project: Path, environment: dict[str, str]
) -> None:
    poor = environment | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "NO_COLOR": "1"}
    with PseudoTerminal(words, project, poor, columns=40, rows=10) as terminal:
        shown = terminal.wait_for("\\x1b[31mwri")
        terminal.press("q")

        assert terminal.ended() == 130
        assert "*RED 1/2 .GREEN .REF .DOC .QA" in shown
        assert shown.isascii()
        assert len(shown.splitlines()) <= 10
        assert b"\x1b[3" not in terminal.written
        assert "dualgate resume" in terminal.text
        assert_restored(terminal)


def test_a_wait_is_counted_down_and_s_skips_it(project: Path, environment: dict[str, str]) -> None:
    agent = "echo 'Claude AI usage limit reached|4102444800'; exit 1"
    tests = ("--test-command", "true", "--runner", "exit-code")
    with PseudoTerminal(["run", "SPEC.md", "--agent-command", agent, *tests], project, environment) as terminal:
        shown = terminal.wait_for("s skips the wait")
        terminal.press("s")
        terminal.wait_for("wait skipped by ada@")
        terminal.wait_for("(call 2)")
        terminal.wait_for("s skips the wait")
        terminal.press("q")

        assert terminal.ended() == 130
        assert " waits   for the limit, " in shown
        assert_restored(terminal)


def test_ctrl_z_leaves_the_terminal_to_the_shell_and_the_view_comes_back_until_ctrl_c(terminal: PseudoTerminal) -> None:
    terminal.wait_for("writing")
    run = psutil.Process(terminal.process.pid)

    terminal.press("\x1a")
    deadline = time.monotonic() + 30
    while run.status() != psutil.STATUS_STOPPED:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    stopped, gone = terminal.modes_now, terminal.text
    terminal.process.send_signal(signal.SIGCONT)
    terminal.wait_for(KEYS)
    again = terminal.modes_now
    terminal.press("\x03")

    assert (stopped, again != terminal.modes, KEYS in gone) == (terminal.modes, True, False)
    assert terminal.ended() == 130
    assert_restored(terminal)


@pytest.mark.parametrize(("flags", "kind"), [(["--quiet"], "xterm"), (["--plain"], "xterm"), ([], "dumb")])
def test_without_a_view_nothing_is_drawn(
    words: list[str], project: Path, environment: dict[str, str], tmp_path: Path, flags: list[str], kind: str
) -> None:
    (tmp_path / "go").touch()
    with PseudoTerminal([*words, *flags], project, environment | {"TERM": kind}) as terminal:
        terminal.ended()

        written = terminal.written.decode()
        assert all(code not in written for code in ("\x1b[?25l", "\x1b[J", "\x1b[K"))
        assert ("asking the agent" in written) == (flags != ["--quiet"])
        assert "halted" in written


def test_a_run_outlives_its_terminal(terminal: PseudoTerminal, dualgate: Dualgate, tmp_path: Path) -> None:
    terminal.wait_for("writing")

    terminal.hang_up()
    (tmp_path / "go").touch()

    assert terminal.process.wait(60) == 3
    assert len([line for line in dualgate("log", "--json").out.splitlines() if '"turn.ended"' in line]) == 2


def test_status_watch_redraws_in_place_and_ctrl_c_ends_it_and_not_the_run(
    terminal: PseudoTerminal, project: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    terminal.wait_for("writing")
    with PseudoTerminal(["status", "--watch"], project, environment, rows=40) as watching:
        shown = watching.wait_for("(call 1) for ")
        watching.wait_for(lambda later: "(call 1) for " in later and later != shown)
        watching.resize(40, 12)
        low = watching.wait_for("more rows: dualgate status")
        watching.press("\x03")

        assert watching.ended() == 0
        assert (shown.count("Iteration:  1/2"), len(low.splitlines())) == (1, 12)
        _, drawn, after = re.split(rb"\x1b\[\?1049[hl]", watching.written)
        assert (b"\x1b[?25l" in drawn, b"\x1b[2J" in watching.written) == (True, False)
        assert b"asking" in after
        assert watching.modes_now == watching.modes
    assert terminal.process.poll() is None
    with PseudoTerminal(["status", "--watch"], project, environment) as watching:
        watching.wait_for("(call 1) for ")
        (tmp_path / "go").touch()

        assert watching.ended() == 0
        assert b"halted" in watching.written.partition(b"\x1b[?1049l")[2]
