"""Processes that the loop starts: watched while they run, and gone with everything they started when they end."""

import ctypes
import os
import secrets
import select
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from dualgate.core.values.answer import Ending
from dualgate.core.values.control import Activity, Control
from dualgate.errors import ProgramNotFound
from dualgate.processes.ending import KILLS, Prey, carrying, end_all, is_below, signal_all

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psutil

SLICE_SECONDS = 0.2
WORKING_SHARE = 0.03
"""Of a processor, over the time of a silence. Who waits for an answer that never comes uses less: Claude Code 0.004,
Codex 0.01, opencode 0.02, by timers that tick on."""
HAS_SUBREAPERS: bool = sys.platform == "linux"
PR_SET_CHILD_SUBREAPER = 36
# the variable by which what a job started is told from what another did
MARK = "DUALGATE_JOB"
# by which a later run tells what an earlier one left, if that was killed
OWNER = "DUALGATE_OWNER"
NOBODY, SOMEBODY_ELSE = "", "-"


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
    meanwhile: "Callable[[], None] | None" = None
    """Called a few times a second while it runs, for what its caller wants to follow."""
    confined: bool = False
    """Whether it runs what an agent wrote or does: inside of the sandbox, where there is one."""
    writable: Sequence[Path] = ()
    """What it must be able to write there besides the project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exit:
    code: int | None
    ending: Ending
    seconds: float


@dataclass(slots=True, kw_only=True)
class _UnderWay:
    """A job that runs now. What was there before it, or before those that it runs beside, is not its own."""

    before: "frozenset[psutil.Process]"
    kept: bool
    leader: int = 0
    is_clean: bool = False


_UNDER_WAY: dict[str, _UnderWay] = {}
_ENTERING = threading.Lock()
_OWNERS: list[str] = []
_SANDBOXES: "list[Callable[[Job], Sequence[str]]]" = []


@contextmanager
def owned_by(owner: str) -> "Iterator[None]":
    """Every job that is started meanwhile carries the name of whoever has it run."""
    _OWNERS.append(owner)
    try:
        yield
    finally:
        _OWNERS.remove(owner)


@contextmanager
def confined_by(wrap: Callable[[Job], Sequence[str]]) -> "Iterator[None]":
    """Every confined job that is started meanwhile is started by the words that `wrap` makes of it."""
    _SANDBOXES.append(wrap)
    try:
        yield
    finally:
        _SANDBOXES.remove(wrap)


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
    started = control.clock()
    with running(job) as process:
        ending = _watch(process, job, control)
    control.check()
    if ending is Ending.EXITED and _written(job) > job.output_limit:
        ending = Ending.FLOODED  # in the last moment, or as a hole in the file, which takes none
    code = process.returncode if ending is Ending.EXITED else None
    return Exit(code=code, ending=ending, seconds=control.clock() - started)


@contextmanager
def running(job: Job, kept: bool = False) -> "Iterator[subprocess.Popen[bytes]]":
    """A started job, ended with all that it started when the block is left. One that is `kept` runs beside others."""
    _adopt_orphans()
    mark = _enter(kept)
    try:
        with _started(job, mark) as process:
            _UNDER_WAY[mark].leader = process.pid
            try:
                yield process
            finally:
                end_all(lambda: _left_by(mark), process, _prey_of(mark, _UNDER_WAY[mark].before))
                process.poll()
    finally:
        _leave(mark)


def suspend_jobs() -> None:
    """Stop all that our jobs started where it is; what was forked meanwhile too. Safe in a handler of signals."""
    stopped: set[psutil.Process] = set()
    for _ in range(KILLS):
        going = {*_descendants()} - stopped
        if not going:
            break
        signal_all(going, signal.SIGSTOP)
        stopped |= going


def continue_jobs() -> None:
    signal_all(_descendants(), signal.SIGCONT)


def read_tail(path: Path, limit: int) -> str:
    """The last `limit` bytes of a file as text; broken bytes become replacement characters, a lost file nothing."""
    if not path.exists():
        return ""
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - limit))
        return file.read().decode("utf-8", "replace")


@contextmanager
def _started(job: Job, mark: str) -> "Iterator[subprocess.Popen[bytes]]":
    require_program(job.argv[0], job.cwd, job.environment)
    argv = _SANDBOXES[-1](job) if job.confined and _SANDBOXES else job.argv
    with (
        (job.stdin or Path(os.devnull)).open("rb") as stdin,
        job.stdout.open("wb") as stdout,
        job.stderr.open("wb") as stderr,
    ):
        try:
            process = subprocess.Popen(
                list(argv),
                cwd=job.cwd,
                env={**job.environment, MARK: mark, OWNER: _OWNERS[-1] if _OWNERS else ""},
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
        except OSError as error:
            raise ProgramNotFound(f"'{job.argv[0]}' cannot be started: {error.strerror}.") from error
        yield process


def _watch(process: "subprocess.Popen[bytes]", job: Job, control: Control) -> Ending:
    """Wait in short slices, so that a stop, a deadline, a silence or a flood is met soon."""
    size = 0
    silence = _Silence(control.idle, control.clock)
    with _waiter(process) as ended_within:
        while True:
            left = control.remaining()
            if ended_within(SLICE_SECONDS if left is None else min(SLICE_SECONDS, left)):
                return Ending.EXITED
            if control.cancel.is_set():
                return Ending.EXITED
            if left == 0:
                return Ending.TIMED_OUT
            if job.meanwhile is not None:
                job.meanwhile()
            written = _written(job)
            if written > job.output_limit:
                return Ending.FLOODED
            if written != size:
                size = written
                silence.broken()
                control.on_activity(Activity(source="output", text=f"{size} bytes"))
            elif silence.is_too_long(process.pid):
                return Ending.IDLE


class _Silence:
    """How long nothing was heard of a process. One that writes only at its end shows that it lives by what it works."""

    def __init__(self, limit: float | None, clock: Callable[[], float]) -> None:
        self._limit = limit
        self._clock = clock
        self._since = clock()
        self._worked = 0.0

    def broken(self) -> None:
        self._since = self._clock()

    def is_too_long(self, pid: int) -> bool:
        if self._limit is None or self._clock() - self._since < self._limit:
            return False
        worked = _processor_seconds(pid)
        # a difference either way: what ended since the last look takes its seconds along
        is_idle = abs(worked - self._worked) < self._limit * WORKING_SHARE
        self._worked = worked
        self.broken()
        return is_idle


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


def _written(job: Job) -> int:
    return _size(job.stdout) + _size(job.stderr)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _processor_seconds(pid: int) -> float:
    """Of a process and everything below it, what has ended there included."""
    import psutil

    total = 0.0
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        for each in (process, *process.children(recursive=True)):
            with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                total += sum(each.cpu_times()[:4])  # user, system, and both of its children
    return total


@cache
def _adopt_orphans() -> None:
    """Become the parent of what a child's child leaves behind, so that a daemon cannot slip away (Linux)."""
    if HAS_SUBREAPERS:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _enter(kept: bool) -> str:
    mark = secrets.token_hex(16)
    with _ENTERING:
        beside = next((each.before for each in _UNDER_WAY.values() if not each.kept), None)
        before = frozenset(_descendants()) if kept or beside is None else beside
        _UNDER_WAY[mark] = _UnderWay(before=before, kept=kept)
    return mark


def _leave(mark: str) -> None:
    """What nobody can be told to have started falls to the last of the jobs that ran together. None begins then."""
    with _ENTERING:
        left = _UNDER_WAY.pop(mark)
        if not left.is_clean and all(job.kept for job in _UNDER_WAY.values()):
            end_all(lambda: _owned_by(NOBODY, _UNDER_WAY, left.before), is_prey=_prey_of(NOBODY, left.before))


def _left_by(mark: str) -> "list[psutil.Process]":
    """What a job started and is still there."""
    with _ENTERING:
        jobs = dict(_UNDER_WAY)
    found = _descendants()
    jobs[mark].is_clean = jobs[mark].before.issuperset(found)
    return [each for each in found if _owner(each, jobs, jobs[mark].before) == mark]


def _owned_by(mark: str, jobs: Mapping[str, _UnderWay], before: "Collection[psutil.Process]") -> "list[psutil.Process]":
    return [each for each in _descendants() if _owner(each, jobs, before) == mark]


def _prey_of(mark: str, before: "Collection[psutil.Process]") -> Prey:
    """Whether a process is of a job. By its parents alone where no other job runs: it may be gone in a moment."""
    spared = {process.pid for process in before}

    def is_prey(pid: int) -> bool | None:
        jobs = dict(_UNDER_WAY)
        if pid in {job.leader for job in jobs.values()} or not _has_children():
            return False
        is_ours = is_below(pid, os.getpid(), spared)
        return _is_owned_by(mark, pid, jobs, before) if is_ours and jobs.keys() - {mark} else is_ours

    return is_prey


def _is_owned_by(
    mark: str, pid: int, jobs: Mapping[str, _UnderWay], before: "Collection[psutil.Process]"
) -> bool | None:
    import psutil

    try:
        return _owner(psutil.Process(pid), jobs, before) == mark
    except psutil.NoSuchProcess:
        return None


def _owner(process: "psutil.Process", jobs: Mapping[str, _UnderWay], before: "Collection[psutil.Process]") -> str:
    """The mark of the job that a process belongs to: by its parents, else its session, else its environment."""
    import psutil

    leaders = {job.leader: mark for mark, job in jobs.items()}
    try:
        for each in (process, *process.parents()):
            if each.pid == os.getpid():
                break
            if each.pid in leaders:
                return leaders[each.pid]
            if each in before:
                return SOMEBODY_ELSE
        if (session := os.getsid(process.pid)) in leaders:
            return leaders[session]
        mark = process.environ().get(MARK, NOBODY)
    except psutil.NoSuchProcess:
        return SOMEBODY_ELSE if not process.is_running() else NOBODY
    except (psutil.AccessDenied, OSError):
        return NOBODY
    return mark if mark in jobs else NOBODY


def _descendants() -> "list[psutil.Process]":
    """All that our jobs may have started. Where orphans are not ours to adopt, they are known by their mark."""
    if HAS_SUBREAPERS and not _has_children():
        return []  # all that is below a child is below one of ours, and a look at all processes is dear
    import psutil

    found = psutil.Process().children(recursive=True)
    if HAS_SUBREAPERS:
        return found
    return list({*found, *carrying(MARK, lambda mark: mark in _UNDER_WAY)})


def _has_children() -> bool:
    """Whether the kernel knows of any child of this process, ended or not; none is waited for or taken away."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
