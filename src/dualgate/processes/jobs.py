"""The jobs under way in this process, and which of them started which process."""

import ctypes
import os
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dualgate.processes.ending import KILLS, Prey, carrying, end_all, is_below, signal_all

if TYPE_CHECKING:
    import psutil

HAS_SUBREAPERS: bool = sys.platform == "linux"
PR_SET_CHILD_SUBREAPER = 36
# the variable by which what a job started is told from what another did
MARK = "DUALGATE_JOB"
NOBODY, SOMEBODY_ELSE = "", "-"


@dataclass(slots=True, kw_only=True)
class _UnderWay:
    """A running job. Processes older than it, or than any job that it runs beside, are not its descendants."""

    before: "frozenset[psutil.Process]"
    kept: bool
    leader: int = 0
    is_clean: bool = False


class Jobs:
    """The jobs under way. Two of these in one process would end each other's processes."""

    def __init__(self) -> None:
        self._under_way: dict[str, _UnderWay] = {}
        self._entering = threading.Lock()

    @contextmanager
    def entered(self, kept: bool) -> Iterator[str]:
        """The mark of a new job, until the block ends. One that is `kept` runs beside others."""
        _adopt_orphans()
        mark = secrets.token_hex(16)
        with self._entering:
            beside = next((each.before for each in self._under_way.values() if not each.kept), None)
            before = frozenset(self._descendants()) if kept or beside is None else beside
            self._under_way[mark] = _UnderWay(before=before, kept=kept)
        try:
            yield mark
        finally:
            self._leave(mark)

    @contextmanager
    def led_by(self, process: "subprocess.Popen[bytes]", mark: str) -> Iterator[None]:
        """When the block ends, all that the process of a job has started is ended."""
        job = self._under_way[mark]
        job.leader = process.pid
        try:
            yield
        finally:
            end_all(lambda: self._left_by(mark), process, self._prey_of(mark, job.before))
            process.poll()

    def suspend(self) -> None:
        """Stop all that the jobs started where it is; what was forked meanwhile too. Safe in a handler of signals."""
        stopped: set[psutil.Process] = set()
        for _ in range(KILLS):
            going = {*self._descendants()} - stopped
            if not going:
                break
            signal_all(going, signal.SIGSTOP)
            stopped |= going

    def go_on(self) -> None:
        signal_all(self._descendants(), signal.SIGCONT)

    def _leave(self, mark: str) -> None:
        """What nobody can be told to have started falls to the last of the jobs that ran together. None begins then."""
        with self._entering:
            left = self._under_way.pop(mark)
            if not left.is_clean and all(job.kept for job in self._under_way.values()):
                end_all(
                    lambda: self._of(NOBODY, self._under_way, left.before), is_prey=self._prey_of(NOBODY, left.before)
                )

    def _left_by(self, mark: str) -> "list[psutil.Process]":
        """What a job started and is still there."""
        with self._entering:
            jobs = dict(self._under_way)
        found = self._descendants()
        jobs[mark].is_clean = jobs[mark].before.issuperset(found)
        return [each for each in found if _owner(each, jobs, jobs[mark].before) == mark]

    def _of(
        self, mark: str, jobs: Mapping[str, _UnderWay], before: "Collection[psutil.Process]"
    ) -> "list[psutil.Process]":
        return [each for each in self._descendants() if _owner(each, jobs, before) == mark]

    def _prey_of(self, mark: str, before: "Collection[psutil.Process]") -> Prey:
        """Whether a process is of a job. By its parents alone where no other job runs: it may be gone in a moment."""
        spared = {process.pid for process in before}

        def is_prey(pid: int) -> bool | None:
            jobs = dict(self._under_way)
            if pid in {job.leader for job in jobs.values()} or not _has_children():
                return False
            is_ours = is_below(pid, os.getpid(), spared)
            return _is_owned_by(mark, pid, jobs, before) if is_ours and jobs.keys() - {mark} else is_ours

        return is_prey

    def _descendants(self) -> "list[psutil.Process]":
        """All that jobs may have started. Where orphans are not ours to adopt, they are known by their mark."""
        if HAS_SUBREAPERS and not _has_children():
            return []  # all that is below a child is below one of ours, and a look at all processes is dear
        import psutil

        found = psutil.Process().children(recursive=True)
        if HAS_SUBREAPERS:
            return found
        return list({*found, *carrying(MARK, lambda mark: mark in self._under_way)})


def _adopt_orphans() -> None:
    """Become the parent of what a child's child leaves behind, so that a daemon cannot slip away (Linux)."""
    if HAS_SUBREAPERS:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


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


def _has_children() -> bool:
    """Whether the kernel knows of any child of this process, ended or not; none is waited for or taken away."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
