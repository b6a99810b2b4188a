"""A started job -> how it ends: by itself, at its deadline, by a stop, idle or with too much output."""

import os
import select
import subprocess
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from dualgate.core.values.answer import Ending
from dualgate.core.values.control import Activity, Control
from dualgate.processes.job import Job, output_size

SLICE_SECONDS = 0.2
WORKING_SHARE = 0.03
"""Share of a processor, over the time of a silence. Agents that wait for an answer use less: Claude Code
0.004, Codex 0.01, opencode 0.02, for their timers."""
LOOKS = 10
"""Looks at the processor time in one idle limit."""


def watch(process: subprocess.Popen[bytes], job: Job, control: Control, relieve: Callable[[], None]) -> Ending:
    """Wait in short slices, so that a stop, a deadline, a silence or a flood is noticed soon.

    `relieve` is called in each slice.
    """
    size = 0
    silence = Silence(control.idle, control.clock, lambda: _processor_seconds(process.pid))
    with _waiter(process) as ended_within:
        while True:
            left = control.remaining()
            if ended_within(SLICE_SECONDS if left is None else min(SLICE_SECONDS, left)):
                return Ending.EXITED
            if control.cancel.is_set():
                return Ending.EXITED
            if left == 0:
                return Ending.TIMED_OUT
            relieve()
            if job.meanwhile is not None:
                job.meanwhile()
            if job.enough is not None and job.enough():
                return Ending.CUT_SHORT
            size_now = output_size(job)
            if size_now > job.output_limit:
                return Ending.FLOODED
            if size_now != size:
                size = size_now
                silence.broken()
                control.on_activity(Activity(source="output", text=f"{size} bytes"))
            elif silence.is_too_long():
                return Ending.IDLE


class Silence:
    """How long a process has written nothing and hardly used the processor: both, for the whole limit, are idle."""

    def __init__(self, limit: float | None, clock: Callable[[], float], worked: Callable[[], float]) -> None:
        self._limit = limit
        self._clock = clock
        self._worked = worked
        self._looks: deque[_Look] = deque()

    def broken(self) -> None:
        self._looks.clear()

    def is_too_long(self) -> bool:
        if self._limit is None:
            return False
        now = self._clock()
        if self._looks and now - self._looks[-1].at < self._limit / LOOKS:
            return False
        worked = self._worked()
        last = self._looks[-1] if self._looks else _Look(at=now, worked=worked, work=0.0)
        # either direction: a process that ended since the last look takes its seconds along
        self._looks.append(_Look(at=now, worked=worked, work=last.work + abs(worked - last.worked)))
        # a start that kept the processor busy is no part of the silence that follows it
        while len(self._looks) > 1 and now - self._looks[1].at >= self._limit:
            self._looks.popleft()
        silent = now - self._looks[0].at
        return silent >= self._limit and self._looks[-1].work - self._looks[0].work < silent * WORKING_SHARE


class _Look(NamedTuple):
    at: float
    worked: float
    """Processor seconds of the process and its descendants."""
    work: float
    """The sum of all changes of `worked` in this silence."""


@contextmanager
def _waiter(process: subprocess.Popen[bytes]) -> Iterator[Callable[[float], bool]]:
    """A function that waits for the process: with a pidfd, which wakes at once, or by polling."""

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
    try:
        return os.pidfd_open(number)
    except (AttributeError, OSError):
        return None


def _processor_seconds(pid: int) -> float:
    """Processor time of a process and its descendants, ended ones included."""
    import psutil

    total = 0.0
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        for each in (process, *process.children(recursive=True)):
            with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                total += sum(each.cpu_times()[:4])  # user, system, and both of its children
    return total
