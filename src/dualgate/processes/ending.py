"""Processes that are still there: found by what their environment holds, signalled, and ended for good."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from heapq import nlargest
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil

GRACE_SECONDS = 1.0
KILLS = 5
PURSUIT_SECONDS = 2.0
CROWD = 200
"""Processes of one job, the dead among them. Who makes so many is not asked to end: meanwhile there would be more."""
QUIET_LOOKS = 3
AT_A_LOOK = 100
PROCESSES = Path("/proc")
STATE_FIELD, PARENT_FIELD = 0, 1
ZOMBIE = [b"Z"]

Prey = Callable[[int], bool | None]
"""Whether a process is to be ended, by its number; None where it is gone, or cannot be told yet."""


def carrying(variable: str, wanted: "Callable[[str], bool]") -> "list[psutil.Process]":
    """Processes of this user whose environment had a variable with a certain value when they began."""
    import psutil

    found = []
    for process in psutil.process_iter():
        # what is not ours to look into, or is gone, was not started by us
        with suppress(psutil.Error, OSError):
            if process.uids().real == os.getuid() and wanted(process.environ().get(variable, "")):
                found.append(process)
    return found


def end_all(
    survivors: "Callable[[], list[psutil.Process]]",
    leader: "subprocess.Popen[bytes] | None" = None,
    is_prey: Prey | None = None,
) -> None:
    """Ask, wait, then kill, and look again: what is killed may have forked meanwhile. Impatience skips the waiting.

    `is_prey` tells the same as `survivors` of one process, and quickly, for those that are gone when a list is made.
    """
    import psutil

    alive: list[psutil.Process] | None = None
    try:
        if is_prey is None or not _is_crowd(is_prey):
            alive = survivors()
            signal_all(alive, signal.SIGTERM)
            psutil.wait_procs(alive, timeout=GRACE_SECONDS)
    finally:
        for _ in range(KILLS):
            _kill_group(leader)
            if is_prey is not None and alive != []:
                pursue(is_prey)
            # what nobody is left of cannot fork either, and a look at all processes is dear
            alive = survivors() if alive is None or alive else []
            if not alive:
                break
            signal_all(alive, signal.SIGKILL)
            psutil.wait_procs(alive, timeout=GRACE_SECONDS)


def is_below(pid: int, ancestor: int, spared: Collection[int] = ()) -> bool | None:
    """Whether a process descends from another, and from none that is spared.

    None where it, or one of those between, is gone: what is left of them has another parent by now.
    """
    while pid > 1 and pid not in spared:
        parent = _parent_of(pid)
        if parent is None or parent == ancestor:
            return None if parent is None else True
        pid = parent
    return False


def is_dead(pid: int) -> bool:
    """Whether nothing is left of it but an entry that its parent has not read yet, or not even that."""
    return (_stat(pid) or ZOMBIE)[STATE_FIELD] == ZOMBIE[STATE_FIELD]


def _parent_of(pid: int) -> int | None:
    """None where it is gone, or the system does not tell."""
    fields = _stat(pid)
    return int(fields[PARENT_FIELD]) if fields else None


def _stat(pid: int) -> list[bytes]:
    """What stands behind the name in /proc/PID/stat."""
    try:
        return (PROCESSES / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return []


def pursue(is_prey: Prey) -> bool:
    """Kill each the moment it is seen, until none comes any more. Answers whether there was any.

    What forks and ends in one breath is never caught by who lists all processes first, and kills then.
    """
    known: set[int] = set()
    was_any, quiet, until = False, 0, time.monotonic() + PURSUIT_SECONDS
    while quiet < QUIET_LOOKS and time.monotonic() < until:
        there = _numbers()
        fresh = there - known
        # of those that only fork and end, all but the newest are dead, and can wait
        told = {pid: _caught(pid, is_prey) for pid in nlargest(AT_A_LOOK, fresh)}
        known = (known & there) | {pid for pid, is_told in told.items() if is_told is not None}
        was_any = was_any or any(told.values())
        quiet = 0 if any(told.values()) or len(told) < len(fresh) else quiet + 1
    return was_any


def _is_crowd(is_prey: Prey) -> bool:
    found = (pid for pid in _numbers() if is_prey(pid))
    return next(islice(found, CROWD, None), None) is not None


def _numbers() -> set[int]:
    """Of all processes; none where the system does not tell."""
    try:
        return {int(name) for name in os.listdir(PROCESSES) if name.isdigit()}  # noqa: PTH208 - thousands of names
    except OSError:
        return set()


def _caught(pid: int, is_prey: Prey) -> bool | None:
    is_it = is_prey(pid)
    if is_it:
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):  # the dead of a long chase make every later look slow
            os.waitpid(pid, os.WNOHANG)
    return is_it


def _kill_group(leader: "subprocess.Popen[bytes] | None") -> None:
    """What forks and ends faster than it can be looked for is met by the kernel, all of it at once.

    Only while the leader is not reaped, or nobody has its number: no group of anybody else can have the name then.
    """
    if leader is not None and (leader.returncode is None or not _exists(leader.pid)):
        with suppress(OSError):
            os.killpg(leader.pid, signal.SIGKILL)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def signal_all(processes: "Iterable[psutil.Process]", number: signal.Signals) -> None:
    import psutil

    for process in processes:
        # one of another user cannot be ended by us, and must not keep us from ending the others
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            process.send_signal(number)
