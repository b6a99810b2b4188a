"""The running jobs of this process, and which of them started which process."""

import ctypes
import os
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from dualgate.processes.descent import (
    children_of,
    descendants_of,
    has_children,
    is_descendant,
    process_ids,
    reap,
    session_of,
)
from dualgate.processes.ending import CROWD, KILLS, IsTarget, end_all, processes_with, signal_all

if TYPE_CHECKING:
    import psutil

HAS_SUBREAPERS: bool = sys.platform == "linux"
PR_SET_CHILD_SUBREAPER = 36
# the variable that names the job of a process
MARK = "DUALGATE_JOB"
UNKNOWN_JOB, NOT_A_JOB = "", "-"
NO_LEADER = 0


@dataclass(slots=True, kw_only=True)
class _UnderWay:
    """A running job. Processes older than it, or than any job that it runs beside, are not its descendants."""

    before: "frozenset[psutil.Process]"
    kept: bool
    leader: int = NO_LEADER
    is_clean: bool = False


class Jobs:
    """The running jobs. Two instances in one process would end each other's processes."""

    def __init__(self) -> None:
        self._under_way: dict[str, _UnderWay] = {}
        self._entering = threading.Lock()

    @contextmanager
    def entered(self, kept: bool) -> Iterator[str]:
        """The mark of a new job, until the block ends. A `kept` job runs beside others."""
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
        """End everything that the job's process started when the block ends."""
        job = self._under_way[mark]
        job.leader = process.pid
        try:
            yield
        finally:
            target, look = self._target_of(mark, job.before), partial(self._look, job.before)
            end_all(lambda: self._left_by(mark), process, target, look)
            process.poll()

    def suspend(self) -> None:
        """Send SIGSTOP to all processes of the jobs, and to what they fork meanwhile. Safe in a signal handler."""
        stopped: set[psutil.Process] = set()
        for _ in range(KILLS):
            going = {*self._descendants()} - stopped
            if not going:
                break
            signal_all(going, signal.SIGSTOP)
            stopped |= going

    def go_on(self) -> None:
        signal_all(self._descendants(), signal.SIGCONT)

    def kill(self) -> None:
        """Send SIGKILL to all processes of the jobs. Safe in a signal handler."""
        self.suspend()  # a stopped process does not fork
        signal_all(self._descendants(), signal.SIGKILL)

    def relieve(self) -> None:
        """Reap what a storm of processes left to us, before it fills the table of processes of the whole machine."""
        children = (children_of(os.getpid()) or []) if HAS_SUBREAPERS else []
        if len(children) > CROWD:
            self._reap(children)

    def _reap(self, children: Iterable[int], before: "Collection[psutil.Process]" = ()) -> None:
        """Reap ended orphans. Of what was there before, and of what leads a job, somebody else waits for the end."""
        jobs = dict(self._under_way)
        leaders = {job.leader for job in jobs.values()}
        if NO_LEADER in leaders:
            return  # its program is being started: which child that is, is not known yet
        kept = leaders.union(
            process.pid for each in (before, *(job.before for job in jobs.values())) for process in each
        )
        is_alone = len(jobs) <= 1
        for pid in children:
            if pid not in kept and (is_alone or session_of(pid) in leaders):
                reap(pid)

    def _look(self, before: "Collection[psutil.Process]") -> Sequence[int]:
        """The ids of all processes that jobs may have started: orphans that ended are reaped, since they slow it."""
        if not HAS_SUBREAPERS:
            return process_ids()
        self._reap(children_of(os.getpid()) or [], before)
        found = descendants_of(os.getpid())
        return process_ids() if found is None else found

    def _leave(self, mark: str) -> None:
        """The last of the jobs that ran together ends the processes of unknown jobs; no job can start meanwhile."""
        with self._entering:
            left = self._under_way.pop(mark)
            if not left.is_clean and all(job.kept for job in self._under_way.values()):
                end_all(
                    lambda: [p for p in self._descendants() if _owner(p, self._under_way, left.before) == UNKNOWN_JOB],
                    is_target=self._target_of(UNKNOWN_JOB, left.before),
                    look=partial(self._look, left.before),
                )

    def _left_by(self, mark: str) -> "list[psutil.Process]":
        """The processes of a job that are still running."""
        with self._entering:
            jobs = dict(self._under_way)
        found = self._descendants()
        jobs[mark].is_clean = jobs[mark].before.issuperset(found)
        return [each for each in found if _owner(each, jobs, jobs[mark].before) == mark]

    def _target_of(self, mark: str, before: "Collection[psutil.Process]") -> IsTarget:
        """A quick test for processes of a job: by their parents alone if no other job runs."""
        spared = {process.pid for process in before}

        def is_target(pid: int) -> bool | None:
            jobs = dict(self._under_way)
            if pid in {job.leader for job in jobs.values()} or not has_children():
                return False
            is_ours = is_descendant(pid, os.getpid(), spared)
            return _is_owned_by(mark, pid, jobs, before) if is_ours and jobs.keys() - {mark} else is_ours

        return is_target

    def _descendants(self) -> "list[psutil.Process]":
        """All processes that jobs may have started. Orphans that we cannot adopt are found by their mark."""
        if HAS_SUBREAPERS and not has_children():
            return []  # without a child there is no descendant, and listing all processes is slow
        import psutil

        found = psutil.Process().children(recursive=True)
        if HAS_SUBREAPERS:
            return found
        return list({*found, *processes_with(MARK, lambda mark: mark in self._under_way)})


def _adopt_orphans() -> None:
    """Become the parent of orphaned grandchildren, so that a daemon cannot escape (Linux)."""
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
    """The mark of a process's job: by its parents, else its session, else its environment."""
    import psutil

    leaders = {job.leader: mark for mark, job in jobs.items()}
    try:
        for each in (process, *process.parents()):
            if each.pid == os.getpid():
                break
            if each.pid in leaders:
                return leaders[each.pid]
            if each in before:
                return NOT_A_JOB
        if (session := os.getsid(process.pid)) in leaders:
            return leaders[session]
        mark = process.environ().get(MARK, UNKNOWN_JOB)
    except psutil.NoSuchProcess:
        return NOT_A_JOB if not process.is_running() else UNKNOWN_JOB
    except (psutil.AccessDenied, OSError):
        return UNKNOWN_JOB
    return mark if mark in jobs else UNKNOWN_JOB
