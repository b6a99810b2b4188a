"""pytest in a fork of dualgate: starting and importing pytest takes longer than the tests of a small project.

The tests, pytest, the reporter and what reads its report are the real ones. Tests of how processes are started,
confined, watched and ended are marked `whole`: a fork is not in the sandbox, and keeps the modules that are loaded.
"""

import io
import os
import select
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import pytest

from dualgate.core.values.answer import Ending
from dualgate.core.values.control import Control
from dualgate.core.values.suite import Suite
from dualgate.processes.job import Exit, Job
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.base import Runner
from dualgate.runners.probes.launching import Launch
from dualgate.runners.python import PytestRunner

StrPath = str | os.PathLike[str]
Run = Callable[[Job, float | None], int | None]

WRITING = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
PYTEST = (sys.executable, "-m", "pytest")
OUR_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP, signal.SIGCONT, signal.SIGQUIT)


def forked_runner(suite: Suite, project: Path, supervisor: Supervisor) -> Runner:
    return PytestRunner(suite=suite, project=project, supervisor=ForkingSupervisor(supervisor))


def forked_launch(suite: Suite, project: Path, supervisor: Supervisor) -> Launch:
    return Launch(suite, project, ForkingSupervisor(supervisor))


class ForkingSupervisor(Supervisor):
    """Runs our own pytest in a fork, of this process unless told otherwise, and other commands in their own."""

    def __init__(self, starting: Supervisor, run: Run | None = None) -> None:
        super().__init__(starting.environment, starting.jobs)
        self._starting = starting
        self._run = run or run_in_fork

    def supervise(self, job: Job, control: Control) -> Exit:
        if tuple(job.argv[: len(PYTEST)]) != PYTEST:
            return self._starting.supervise(job, control)
        control.check()
        started = control.clock()
        code = self._run(job, control.remaining())
        control.check()
        ending = Ending.TIMED_OUT if code is None else Ending.EXITED
        return Exit(code=code, ending=ending, seconds=control.clock() - started)


def run_in_fork(job: Job, seconds: float | None) -> int | None:
    """The exit code of pytest; None where it takes too long."""
    pid = os.fork()
    if pid == 0:
        become_pytest(job)
    in_time = _ends_within(pid, seconds)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return code if in_time else None


def _ends_within(pid: int, seconds: float | None) -> bool:
    """Wait for a process; one that takes longer is killed."""
    watched = os.pidfd_open(pid)
    in_time = bool(select.select([watched], [], [], seconds)[0])
    if not in_time:
        signal.pidfd_send_signal(watched, signal.SIGKILL)
    os.close(watched)
    return in_time


def move_to(folder: StrPath, environment: Mapping[str, str], stdin: StrPath, stdout: StrPath, stderr: StrPath) -> None:
    """Go on in a folder, with an environment and with streams, as if this process had been started with them."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for number, place, mode in ((0, stdin, os.O_RDONLY), (1, stdout, WRITING), (2, stderr, WRITING)):
        opened = os.open(place, mode, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), encoding="utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), "utf-8", "backslashreplace", write_through=True)
    tempfile.tempdir = None
    time.tzset()


def become_pytest(job: Job) -> NoReturn:
    code = 1
    try:
        _take_over(job)
        code = _exit_code(job.argv[len(PYTEST) :])
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _take_over(job: Job) -> None:
    """Streams, folder, environment, paths and signals of a new interpreter."""
    for number in OUR_SIGNALS:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    move_to(job.cwd, job.environment, job.stdin or os.devnull, job.stdout, job.stderr)
    sys.path[:0] = job.environment.get("PYTHONPATH", "").split(os.pathsep)
    sys.path.insert(0, str(job.cwd))
    sys.argv = list(job.argv[2:])
    for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
        del sys.modules[name]


def _exit_code(words: Sequence[str]) -> int:
    try:
        return int(pytest.main(list(words)))
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
    finally:
        sys.stdout.flush()
