"""Processes that are still there: found by what their environment holds, signalled, and ended for good."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil

GRACE_SECONDS = 1.0
KILLS = 5


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


def end_all(survivors: "Callable[[], list[psutil.Process]]", leader: "subprocess.Popen[bytes] | None" = None) -> None:
    """Ask, wait, then kill, and look again: what is killed may have forked meanwhile. Impatience skips the waiting."""
    import psutil

    alive: list[psutil.Process] | None = None
    try:
        alive = survivors()
        signal_all(alive, signal.SIGTERM)
        psutil.wait_procs(alive, timeout=GRACE_SECONDS)
    finally:
        for _ in range(KILLS):
            _kill_group(leader)
            # what nobody is left of cannot fork either, and a look at all processes is dear
            alive = survivors() if alive is None or alive else []
            if not alive:
                break
            signal_all(alive, signal.SIGKILL)
            psutil.wait_procs(alive, timeout=GRACE_SECONDS)


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
