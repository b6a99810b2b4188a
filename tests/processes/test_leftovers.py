"""What a run that was killed leaves: processes that only their environment tells of."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from dualgate.processes.leftovers import end_leftovers
from dualgate.processes.tags import OWNER, inherited, tag_of

# prints its number and that of a child without the mark, in a session of its own
ORPHAN = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
if child == 0:
    os.execve("/bin/sleep", ["sleep", "600"], {})
print(os.getpid(), child, flush=True)
time.sleep(600)
"""

# daemonises without a variable of its environment, and prints its number
NAMELESS = """
import os, signal
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        os.close(1)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.execve("/bin/sleep", ["sleep", "600"], {})
    os._exit(0)
os.wait()
"""
NAMELESS_STORM = """
import os, sys
beats = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
if os.fork() == 0:
    while True:
        if os.fork():
            os._exit(0)
        os.setsid()
        os.write(beats, b".")
"""


@contextmanager
def an_orphan(owner: str) -> Iterator[list[psutil.Process]]:
    words = [sys.executable, "-c", ORPHAN]
    with subprocess.Popen(
        words, env=os.environ | {OWNER: owner}, stdout=subprocess.PIPE, start_new_session=True
    ) as started:
        assert started.stdout
        both = [psutil.Process(int(pid)) for pid in started.stdout.readline().split()]
        try:
            yield both
        finally:
            for process in both:
                with suppress(psutil.NoSuchProcess):
                    process.kill()
            # the child of a killed process may have become ours
            psutil.wait_procs(both, timeout=5)


def test_what_a_killed_run_left_is_ended_with_its_children_and_named(tmp_path: Path) -> None:
    with an_orphan(tag_of(tmp_path, 3).name) as both:
        told = end_leftovers(tmp_path)

        assert sorted(text.split()[0] for text in told) == sorted(str(process.pid) for process in both)
        assert psutil.wait_procs(both, timeout=5)[1] == []
        assert end_leftovers(tmp_path) == ()


def test_what_runs_in_another_work_tree_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    with an_orphan(tag_of(tmp_path, 3).name) as both:
        told = end_leftovers(tmp_path / "one")

        assert (told, all(process.is_running() for process in both)) == ((), True)


def test_we_do_not_end_ourselves_though_a_killed_run_was_our_ancestor(tmp_path: Path) -> None:
    code = "import sys; from dualgate.processes.leftovers import *; print(end_leftovers(Path(sys.argv[1])))"

    ended = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        env=os.environ | {OWNER: tag_of(tmp_path, 3).name},
        capture_output=True,
        text=True,
    )

    assert (ended.stdout, ended.returncode) == ("()\n", 0)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a limit that nobody feels")
def test_a_daemon_that_cleared_its_environment_is_known_by_its_limit(tmp_path: Path) -> None:
    with inherited(tag_of(tmp_path, 3)):
        left = subprocess.run([sys.executable, "-c", NAMELESS], stdout=subprocess.PIPE, text=True, check=True)
    daemon = psutil.Process(int(left.stdout))

    told = end_leftovers(tmp_path)

    assert [text.split()[0] for text in told] == [str(daemon.pid)]
    assert psutil.wait_procs([daemon], timeout=5)[1] == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a limit that nobody feels")
def test_a_storm_that_a_killed_run_left_is_ended(tmp_path: Path) -> None:
    beats = tmp_path / "beats"
    with inherited(tag_of(tmp_path, 3)):
        subprocess.run([sys.executable, "-c", NAMELESS_STORM, str(beats)], env={}, check=True)

    end_leftovers(tmp_path)

    size = beats.stat().st_size
    assert (end_leftovers(tmp_path), beats.stat().st_size) == ((), size)


def test_who_takes_a_work_tree_over_has_its_tag_and_ends_neither_itself_nor_its_other_children(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "600"]) as child:
        with inherited(tag_of(tmp_path, 3)):
            told = end_leftovers(tmp_path)
        is_there = child.poll() is None
        child.kill()

    assert (told, is_there) == ((), True)
