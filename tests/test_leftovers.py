"""What a run that was killed leaves: processes that only their environment tells of."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from dualgate.leftovers import end_leftovers, owner_name
from dualgate.process import OWNER

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
    with an_orphan(owner_name(tmp_path, 3)) as both:
        told = end_leftovers(tmp_path)

        assert sorted(text.split()[0] for text in told) == sorted(str(process.pid) for process in both)
        assert psutil.wait_procs(both, timeout=5)[1] == []
        assert end_leftovers(tmp_path) == ()


def test_what_runs_in_another_work_tree_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    with an_orphan(owner_name(tmp_path, 3)) as both:
        told = end_leftovers(tmp_path / "one")

        assert (told, all(process.is_running() for process in both)) == ((), True)


def test_we_do_not_end_ourselves_though_a_killed_run_was_our_ancestor(tmp_path: Path) -> None:
    code = "import pathlib, sys; from dualgate.leftovers import *; print(end_leftovers(pathlib.Path(sys.argv[1])))"

    ended = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        env=os.environ | {OWNER: owner_name(tmp_path, 3)},
        capture_output=True,
        text=True,
    )

    assert (ended.stdout, ended.returncode) == ("()\n", 0)
