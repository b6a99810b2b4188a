"""A program that a run started is known again, whatever it does to its environment."""

import os
import subprocess
import sys
from pathlib import Path

from dualgate.processes.origin import mark_of, origin_of
from dualgate.processes.tags import OWNER, inherited, tag_of

WAITING = [sys.executable, "-c", "print(flush=True); input()"]


def test_a_program_is_marked_by_its_limit_with_an_empty_environment(tmp_path: Path) -> None:
    with inherited(tag_of(tmp_path, 1)):
        started = subprocess.Popen(
            WAITING, env={}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
    assert started.stdout
    started.stdout.readline()
    origin = origin_of(started.pid)
    started.communicate(b"\n")

    assert mark_of(tmp_path) in origin.marks
    assert os.getpid() in origin.ancestors


def test_a_program_is_marked_by_the_environment_of_its_parents(tmp_path: Path) -> None:
    script = f"import subprocess; subprocess.run({WAITING!r}, env={{}})"
    environment = {**os.environ, OWNER: tag_of(tmp_path, 3).name, "HOME": str(tmp_path)}
    parent = subprocess.Popen(
        [sys.executable, "-c", script], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert parent.stdout
    parent.stdout.readline()
    import psutil

    (child,) = psutil.Process(parent.pid).children()
    origin = origin_of(child.pid)
    parent.communicate(b"\n")

    assert mark_of(tmp_path) in origin.marks
    assert tmp_path.resolve() in origin.homes


def test_a_process_that_is_gone_comes_from_nowhere() -> None:
    assert origin_of(2**22 + 1).marks == frozenset()
