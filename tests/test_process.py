import os
import signal
import sys
import threading
from pathlib import Path

import psutil
import pytest

from dualgate.core.control import Activity, Control
from dualgate.core.vocabulary import Ending
from dualgate.errors import Interrupted, ProgramNotFound
from dualgate.process import Exit, Job, read_tail, split_command, supervise
from dualgate.testing import a_control

DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open(sys.argv[1], "w").write(str(os.getpid()))
        os.kill(os.getppid(), 9)
        time.sleep(600)
    time.sleep(600)
while not os.path.exists(sys.argv[1]) or not open(sys.argv[1]).read():
    pass
"""
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"


def supervised(folder: Path, *argv: str, control: Control | None = None, limit: int = 1 << 30) -> Exit:
    job = Job(
        argv=argv,
        cwd=folder,
        environment=dict(os.environ),
        stdout=folder / "out",
        stderr=folder / "err",
        output_limit=limit,
    )
    return supervise(job, control or a_control())


def test_output_and_exit_code_are_kept(tmp_path: Path) -> None:
    ended = supervised(tmp_path, "/bin/sh", "-c", "echo out; echo err >&2; exit 3")

    assert (ended.code, ended.ending) == (3, Ending.EXITED)
    assert (read_tail(tmp_path / "out", 100), read_tail(tmp_path / "err", 100)) == ("out\n", "err\n")


def test_a_daemon_in_a_session_of_its_own_does_not_outlive_the_call(tmp_path: Path) -> None:
    supervised(tmp_path, sys.executable, "-c", DAEMON, str(tmp_path / "pid"))

    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))


def test_a_process_that_is_deaf_to_terminate_is_killed_at_its_deadline(tmp_path: Path) -> None:
    ended = supervised(tmp_path, sys.executable, "-c", DEAF, control=a_control().within(0.5))

    assert (ended.code, ended.ending) == (None, Ending.TIMED_OUT)
    assert not psutil.Process().children(recursive=True)


def test_a_stop_ends_the_process_and_is_passed_on(tmp_path: Path) -> None:
    cancel = threading.Event()

    def stop_at_first_sign(activity: Activity) -> None:
        cancel.set()

    with pytest.raises(Interrupted):
        supervised(
            tmp_path, sys.executable, "-c", DEAF, control=a_control(cancel=cancel, on_activity=stop_at_first_sign)
        )
    assert not psutil.Process().children(recursive=True)


def test_a_flood_of_output_is_stopped(tmp_path: Path) -> None:
    ended = supervised(tmp_path, "/bin/sh", "-c", "yes", limit=1 << 20)

    assert ended.ending is Ending.FLOODED


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProgramNotFound, match="There is no program 'no-such-agent'"):
        supervised(tmp_path, "no-such-agent")


def test_a_file_that_cannot_be_run_is_named(tmp_path: Path) -> None:
    (tmp_path / "agent").write_text("not a program")

    with pytest.raises(ProgramNotFound, match="cannot be started: Permission denied"):
        supervised(tmp_path, "./agent")


def test_a_process_that_dies_of_a_signal_has_its_number(tmp_path: Path) -> None:
    assert supervised(tmp_path, "/bin/sh", "-c", "kill -9 $$").code == -signal.SIGKILL


def test_only_the_end_of_long_output_is_read_and_broken_bytes_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"x" * 1000 + b"\xff end")

    assert read_tail(tmp_path / "out", 5) == "\ufffd end"


COMMANDS = [
    ("claude -p 'two words'", ("claude", "-p", "two words")),
    ("cat | claude", ("/bin/sh", "-c", "cat | claude")),
    ("MODEL=big claude", ("/bin/sh", "-c", "MODEL=big claude")),
    ("echo $HOME", ("/bin/sh", "-c", "echo $HOME")),
    ("it's broken", ("/bin/sh", "-c", "it's broken")),
]


@pytest.mark.parametrize(("command", "words"), COMMANDS)
def test_a_shell_runs_what_only_a_shell_understands(command: str, words: tuple[str, ...]) -> None:
    assert split_command(command) == words
