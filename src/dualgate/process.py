"""Processes that the loop starts: watched while they run, and gone with everything they started when they end."""

import ctypes
import os
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from dualgate.core.control import Activity, Control
from dualgate.core.vocabulary import Ending
from dualgate.errors import ProgramNotFound

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psutil

SLICE_SECONDS = 0.2
GRACE_SECONDS = 1.0
KILLS = 5
SHELL_SIGNS = frozenset("|&;<>()$`*?~#\n")
PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A program to run, and the files for what it says: a pipe that a grandchild holds open would never end."""

    argv: Sequence[str]
    cwd: Path
    environment: Mapping[str, str]
    stdout: Path
    stderr: Path
    stdin: Path | None = None
    output_limit: int = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Exit:
    code: int | None
    ending: Ending
    seconds: float


def split_command(command: str) -> tuple[str, ...]:
    """The words of a command line; a shell runs it where it uses what only a shell understands."""
    words = _words(command)
    if not words or "=" in words[0] or SHELL_SIGNS & set(command):
        return ("/bin/sh", "-c", command)
    return tuple(words)


def require_program(name: str, cwd: Path, environment: Mapping[str, str]) -> None:
    try:
        is_there = shutil.which(name, path=environment.get("PATH")) is not None or (cwd / name).exists()
    except OSError as error:
        raise ProgramNotFound(f"'{name}' cannot be looked for: {error.strerror}.") from error
    if not is_there:
        raise ProgramNotFound(f"There is no program '{name}'.", "Check its name, or give its full path.")


def supervise(job: Job, control: Control) -> Exit:
    """Run a job to its end, its deadline or a stop. Nothing that it started is left when this returns or raises."""
    control.check()
    _adopt_orphans()
    started = time.monotonic()
    before = set(_descendants())
    with _started(job) as process:
        try:
            ending = _watch(process, job, control)
        finally:
            _end_all(lambda: [each for each in _descendants() if each not in before])
            process.poll()
    control.check()
    code = process.returncode if ending is Ending.EXITED else None
    return Exit(code=code, ending=ending, seconds=time.monotonic() - started)


def read_tail(path: Path, limit: int) -> str:
    """The last `limit` bytes of a file as text; broken bytes become replacement characters, a lost file nothing."""
    if not path.exists():
        return ""
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - limit))
        return file.read().decode("utf-8", "replace")


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


@contextmanager
def _started(job: Job) -> "Iterator[subprocess.Popen[bytes]]":
    require_program(job.argv[0], job.cwd, job.environment)
    with (
        (job.stdin or Path(os.devnull)).open("rb") as stdin,
        job.stdout.open("wb") as stdout,
        job.stderr.open("wb") as stderr,
    ):
        try:
            process = subprocess.Popen(
                list(job.argv),
                cwd=job.cwd,
                env=dict(job.environment),
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
        except OSError as error:
            raise ProgramNotFound(f"'{job.argv[0]}' cannot be started: {error.strerror}.") from error
        yield process


def _watch(process: "subprocess.Popen[bytes]", job: Job, control: Control) -> Ending:
    """Wait in short slices, so that a stop, a deadline or a flood is met soon."""
    size = 0
    with _waiter(process) as ended_within:
        while True:
            left = control.remaining()
            if ended_within(SLICE_SECONDS if left is None else min(SLICE_SECONDS, left)):
                return Ending.EXITED
            if control.cancel.is_set():
                return Ending.EXITED
            if left == 0:
                return Ending.TIMED_OUT
            written = _size(job.stdout) + _size(job.stderr)
            if written > job.output_limit:
                return Ending.FLOODED
            if written != size:
                size = written
                control.on_activity(Activity(source="output", text=f"{size} bytes"))


@contextmanager
def _waiter(process: "subprocess.Popen[bytes]") -> "Iterator[Callable[[float], bool]]":
    """How to wait for a process: woken at once by a pidfd where there is one."""

    def poll(seconds: float) -> bool:
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        return process.returncode is not None

    descriptor = _pidfd(process.pid)
    if descriptor is None:
        yield poll
        return
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    try:
        yield lambda seconds: bool(poller.poll(seconds * 1000)) and process.wait() is not None
    finally:
        os.close(descriptor)


def _pidfd(number: int) -> int | None:
    """None where the system has no such thing, or does not let us have it."""
    try:
        return os.pidfd_open(number)
    except (AttributeError, OSError):
        return None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


@cache
def _adopt_orphans() -> None:
    """Become the parent of what a child's child leaves behind, so that a daemon cannot slip away (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _descendants() -> "list[psutil.Process]":
    import psutil

    return psutil.Process().children(recursive=True)


def _end_all(survivors: "Callable[[], list[psutil.Process]]") -> None:
    """Ask, wait, then kill, and look again: what is killed may have forked meanwhile. Impatience skips the waiting."""
    import psutil

    try:
        alive = survivors()
        _signal_all(alive, signal.SIGTERM)
        psutil.wait_procs(alive, timeout=GRACE_SECONDS)
    finally:
        for _ in range(KILLS):
            alive = survivors()
            if not alive:
                break
            _signal_all(alive, signal.SIGKILL)
            psutil.wait_procs(alive, timeout=GRACE_SECONDS)


def _signal_all(processes: "Iterable[psutil.Process]", number: signal.Signals) -> None:
    import psutil

    for process in processes:
        # one of another user cannot be ended by us, and must not keep us from ending the others
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            process.send_signal(number)
