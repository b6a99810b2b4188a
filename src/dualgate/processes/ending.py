"""Find the processes that are still running, signal them, and end them for good."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from dualgate.processes.descent import process_ids, reap

if TYPE_CHECKING:
    import psutil

GRACE_SECONDS = 1.0
KILLS = 5
PURSUIT_SECONDS = 2.0
CROWD = 200
"""Processes of one job, zombies included. With more than these, SIGTERM is skipped: they would fork meanwhile."""
QUIET_LOOKS = 3
AT_A_LOOK = 100

IsTarget = Callable[[int], bool | None]
"""Whether the process with this id must be ended; None if it is gone or its parents are not known yet."""
Look = Callable[[], Sequence[int]]
"""The ids of all processes that may be targets, the newest first."""


def processes_with(variable: str, wanted: "Callable[[str], bool]") -> "list[psutil.Process]":
    """This user's processes that were started with a wanted value of the variable."""
    import psutil

    found = []
    for process in psutil.process_iter():
        # a process that is gone, or that we may not read, was not started by us
        with suppress(psutil.Error, OSError):
            if process.uids().real == os.getuid() and wanted(process.environ().get(variable, "")):
                found.append(process)
    return found


def end_all(
    survivors: "Callable[[], list[psutil.Process]]",
    leader: "subprocess.Popen[bytes] | None" = None,
    is_target: IsTarget | None = None,
    look: Look = process_ids,
) -> None:
    """Send SIGTERM, wait, send SIGKILL, and look again, since a process may fork before it dies.

    `is_target` answers the same as `survivors`, quickly and for one process: short-lived ones never appear in a list.
    """
    import psutil

    alive: list[psutil.Process] | None = None
    try:
        if is_target is None or not _are_many(is_target, look):
            alive = survivors()
            signal_all(alive, signal.SIGTERM)
            psutil.wait_procs(alive, timeout=GRACE_SECONDS)
    finally:
        for _ in range(KILLS):
            _kill_group(leader)
            if is_target is not None and alive != []:
                pursue(is_target, look)
            # with no process left nothing can fork, and listing all processes is slow
            alive = survivors() if alive is None or alive else []
            if not alive:
                break
            signal_all(alive, signal.SIGKILL)
            psutil.wait_procs(alive, timeout=GRACE_SECONDS)


def pursue(is_target: IsTarget, look: Look = process_ids) -> bool:
    """Kill each target the moment it is seen, until no more appear. Returns whether there were any.

    A process that forks and exits at once is gone before a full list of processes is ready.
    """
    known: set[int] = set()
    found_any, quiet, until = False, 0, time.monotonic() + PURSUIT_SECONDS
    while quiet < QUIET_LOOKS and time.monotonic() < until:
        there = look()
        fresh = [pid for pid in there if pid not in known]
        # of processes that only fork and exit, all but the newest are dead already
        checked = {pid: _kill_target(pid, is_target) for pid in fresh[:AT_A_LOOK]}
        known.intersection_update(there)
        known |= {pid for pid, is_ours in checked.items() if is_ours is not None}
        found_any = found_any or any(checked.values())
        quiet = 0 if any(checked.values()) or len(checked) < len(fresh) else quiet + 1
    return found_any


def _are_many(is_target: IsTarget, look: Look) -> bool:
    found = (pid for pid in look() if is_target(pid))
    return next(islice(found, CROWD, None), None) is not None


def _kill_target(pid: int, is_target: IsTarget) -> bool | None:
    is_ours = is_target(pid)
    if is_ours:
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
        reap(pid)  # zombies make every later look slow
    return is_ours


def _kill_group(leader: "subprocess.Popen[bytes] | None") -> None:
    """Kill the whole process group at once, also processes that fork and exit faster than they can be listed.

    Only while the leader is not reaped, or its id is unused: otherwise another group may have the id.
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
        # a process of another user must not keep us from ending the others
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            process.send_signal(number)
