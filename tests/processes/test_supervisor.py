import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from dualgate.core.values.answer import Ending
from dualgate.core.values.control import Activity, Control
from dualgate.errors import Interrupted, ProgramNotFound
from dualgate.processes.ending import CROWD
from dualgate.processes.job import Exit, Job, read_tail
from dualgate.processes.supervisor import Supervisor
from dualgate.testing import a_control
from tests.support import LeftRunning

SUPERVISOR = Supervisor(os.environ)

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

SPEAKING = "import time; [(print(n, flush=True), time.sleep(0.5)) for n in range(5)]"
# what a CLI uses that waits for its provider: a hundredth of a processor
TICKING = """
import time
while True:
    time.sleep(0.2)
    until = time.process_time() + 0.002
    while time.process_time() < until: pass
"""
WORKING = "import time\nwhile time.process_time() < 2.2: pass"


def supervised(folder: Path, *argv: str, control: Control | None = None, limit: int = 1 << 30) -> Exit:
    job = Job(
        argv=argv,
        cwd=folder,
        environment=dict(os.environ),
        stdout=folder / "out",
        stderr=folder / "err",
        output_limit=limit,
    )
    return SUPERVISOR.supervise(job, control or a_control())


def test_output_and_exit_code_are_kept(tmp_path: Path) -> None:
    ended = supervised(tmp_path, "/bin/sh", "-c", "echo out; echo err >&2; exit 3")

    assert (ended.code, ended.ending) == (3, Ending.EXITED)
    assert (read_tail(tmp_path / "out", 100), read_tail(tmp_path / "err", 100)) == ("out\n", "err\n")


def test_a_daemon_in_a_session_of_its_own_does_not_outlive_the_call(tmp_path: Path) -> None:
    supervised(tmp_path, sys.executable, "-c", DAEMON, str(tmp_path / "pid"))

    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))


BARE_DAEMON = DAEMON.replace("time.sleep(600)", "os.execve('/bin/sleep', ['sleep', '600'], {})", 1)
WAITING = """
import pathlib, sys, time
pathlib.Path(sys.argv[1]).touch()
while not pathlib.Path(sys.argv[2]).exists():
    time.sleep(0.01)
"""


def beside(folder: Path, during: Callable[[], object]) -> Exit:
    """How a job ended beside which something else was done."""
    (folder / "beside").mkdir()
    begun, over = folder / "begun", folder / "over"
    words = (sys.executable, "-c", WAITING, str(begun), str(over))
    with ThreadPoolExecutor() as threads:
        job = threads.submit(supervised, folder / "beside", *words, control=a_control().within(60))
        while not begun.exists() and not job.done():
            pass
        try:
            during()
        finally:
            over.touch()
        return job.result()


def test_a_job_ends_its_own_daemons_and_leaves_the_job_beside_it_alone(tmp_path: Path) -> None:
    gone: list[bool] = []

    def run_a_daemon() -> None:
        supervised(tmp_path, sys.executable, "-c", DAEMON, str(tmp_path / "pid"))
        gone.append(not psutil.pid_exists(int((tmp_path / "pid").read_text())))

    other = beside(tmp_path, run_a_daemon)

    assert (other.code, gone) == (0, [True])


def test_a_daemon_without_a_mark_is_ended_by_the_last_of_the_jobs_that_ran_together(tmp_path: Path) -> None:
    other = beside(tmp_path, lambda: supervised(tmp_path, sys.executable, "-c", BARE_DAEMON, str(tmp_path / "pid")))

    assert other.code == 0
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))


def test_what_is_kept_outlives_the_jobs_beside_it_with_its_daemons_and_ends_with_its_block(
    tmp_path: Path, left_running: LeftRunning
) -> None:
    job = Job(
        argv=(sys.executable, "-c", DAEMON, str(tmp_path / "pid")),
        cwd=tmp_path,
        environment={},
        stdout=tmp_path / "kept",
        stderr=tmp_path / "kept",
    )
    with SUPERVISOR.running(job, kept=True) as process:
        process.wait()
        daemon = int((tmp_path / "pid").read_text())
        supervised(tmp_path, "/bin/sh", "-c", "sleep 600 & true")
        lives = psutil.pid_exists(daemon)

    assert (lives, psutil.pid_exists(daemon)) == (True, False)
    assert not left_running()


def test_a_process_that_is_deaf_to_terminate_is_killed_at_its_deadline(
    tmp_path: Path, left_running: LeftRunning
) -> None:
    ended = supervised(tmp_path, sys.executable, "-c", DEAF, control=a_control().within(0.5))

    assert (ended.code, ended.ending) == (None, Ending.TIMED_OUT)
    assert not left_running()


def test_a_process_that_falls_silent_and_does_nothing_is_stopped(tmp_path: Path, left_running: LeftRunning) -> None:
    ended = supervised(tmp_path, "/bin/sh", "-c", "echo hello; sleep 600", control=a_control(idle=0.3))

    assert (ended.code, ended.ending) == (None, Ending.IDLE)
    assert not left_running()


def test_a_process_that_only_waits_is_idle_although_its_timers_tick(tmp_path: Path) -> None:
    ended = supervised(tmp_path, sys.executable, "-c", TICKING, control=a_control(idle=2.0).within(60.0))

    assert ended.ending is Ending.IDLE


@pytest.mark.parametrize("code", [SPEAKING, WORKING])
def test_a_process_that_speaks_or_works_is_not_idle(tmp_path: Path, code: str) -> None:
    ended = supervised(tmp_path, sys.executable, "-c", code, control=a_control(idle=2.0))

    assert (ended.code, ended.ending) == (0, Ending.EXITED)


def test_a_stop_ends_the_process_and_is_passed_on(tmp_path: Path, left_running: LeftRunning) -> None:
    cancel = threading.Event()

    def stop_at_first_sign(activity: Activity) -> None:
        cancel.set()

    with pytest.raises(Interrupted):
        supervised(
            tmp_path, sys.executable, "-c", DEAF, control=a_control(cancel=cancel, on_activity=stop_at_first_sign)
        )
    assert not left_running()


def test_a_flood_in_the_last_moment_is_one(tmp_path: Path) -> None:
    ended = supervised(tmp_path, sys.executable, "-c", "import os; os.ftruncate(1, 1 << 40)")

    assert (ended.code, ended.ending) == (None, Ending.FLOODED)


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


# each of them leaves processes that are hard to end, and says so by a file once they are there
SWARM = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for number in range(40):
    if os.fork() == 0:
        os.fork()
        time.sleep(600)
open(sys.argv[1], "w").close()
time.sleep(600)
"""
CHAIN = """
import os, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open(sys.argv[1], "w").close()
while True:
    if os.fork():
        os._exit(0)
"""
# in a session of its own with every step, out of reach of whoever lists processes and then ends them
WANDERERS = """
import os, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for number in range(5):
    if os.fork() == 0:
        while True:
            if os.fork():
                os._exit(0)
            os.setsid()
            os.write(1, b".")
open(sys.argv[1], "w").close()
"""
HOLDING = """
import os, signal, sys, time
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    open(sys.argv[1], "w").close()
    while True:
        print("still here", flush=True)
        time.sleep(0.01)
"""


@pytest.mark.parametrize("code", [SWARM, CHAIN, WANDERERS, HOLDING], ids=["swarm", "chain", "wanderers", "holding"])
def test_what_multiplies_is_deaf_or_holds_the_output_is_gone_when_the_call_is_over(tmp_path: Path, code: str) -> None:
    cancel = threading.Event()

    def stop_once_it_is_there() -> None:
        if (tmp_path / "there").exists():
            cancel.set()

    job = Job(
        argv=(sys.executable, "-c", code, str(tmp_path / "there")),
        cwd=tmp_path,
        environment=dict(os.environ),
        stdout=tmp_path / "out",
        stderr=tmp_path / "err",
        meanwhile=stop_once_it_is_there,
    )
    with suppress(Interrupted):
        SUPERVISOR.supervise(job, a_control(cancel=cancel).within(60))

    size = (tmp_path / "out").stat().st_size
    left = [each for each in psutil.process_iter() if str(tmp_path) in " ".join(_words(each))]
    assert left == []
    assert (tmp_path / "out").stat().st_size == size


ORPHANS = """
import os, sys, time
for number in range(300):
    if os.fork() == 0:
        if os.fork():
            os._exit(0)
        os.setsid()
        os._exit(0)
    os.wait()
open(sys.argv[1], "w").close()
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives orphans another parent than init")
def test_orphans_that_ended_are_reaped_while_the_job_runs_and_nobody_elses_children(tmp_path: Path) -> None:
    cancel = threading.Event()

    def stop_once_they_are_reaped() -> None:
        children = psutil.Process().children()
        if (tmp_path / "there").exists() and len(children) < CROWD:
            cancel.set()

    job = Job(
        argv=(sys.executable, "-c", ORPHANS, str(tmp_path / "there")),
        cwd=tmp_path,
        environment=dict(os.environ),
        stdout=tmp_path / "out",
        stderr=tmp_path / "err",
        meanwhile=stop_once_they_are_reaped,
    )
    with subprocess.Popen(["/bin/sh", "-c", "exit 3"]) as ours:
        with pytest.raises(Interrupted):
            SUPERVISOR.supervise(job, a_control(cancel=cancel).within(60))

        assert ours.wait() == 3


def test_a_job_that_cannot_start_leaves_the_exit_code_of_a_child_that_was_there_before(tmp_path: Path) -> None:
    with subprocess.Popen(["/bin/sh", "-c", "exit 3"]) as ours:
        os.waitid(os.P_PID, ours.pid, os.WEXITED | os.WNOWAIT)
        with pytest.raises(ProgramNotFound):
            supervised(tmp_path, "no-such-program")

        assert ours.wait() == 3


def _words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []
