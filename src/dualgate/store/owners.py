"""The owner record of a work tree. It shows a dead owner as dead, even after a reboot or if its pid is reused.

The lock itself is held by the kernel and ends with the process; the record only names its owner.
"""

import fcntl
import json
import os
import platform
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from dualgate.store.atomic import read_whole, write_whole

OWNERS = ".owners"
"""The folder of the records, beside the sessions."""
# index among the fields after the name in /proc/PID/stat
STARTED_FIELD = 19
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
# tolerance between two readings of one process's start time
SAME_START_SECONDS = 1.0


def person(environment: Mapping[str, str]) -> str:
    """The current user as user@host."""
    return f"{environment.get('USER') or environment.get('LOGNAME') or _user()}@{platform.node()}"


def _user() -> str:
    """The name of the user by its id, which is all that some containers know."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def write_owner(
    record: Path, epoch: int, project: Path, session: Path, now: datetime, environment: Mapping[str, str]
) -> None:
    """Record this process as the owner of a work tree, with its session folder."""
    said = {
        "epoch": epoch,
        "pid": os.getpid(),
        "since": now.isoformat(timespec="seconds"),
        "by": person(environment),
        "host": platform.node(),
        "session": str(session),
        "project": str(project),
        "boot": boot(),
        "started": started_at(os.getpid()),
    }
    write_whole(record, json.dumps(said).encode())


def write_nobody(record: Path, epoch: int) -> None:
    """Record that there is no owner; keep the last epoch and session folder."""
    said = {"epoch": epoch, "session": read_owner(record).get("session", "")}
    write_whole(record, json.dumps(said).encode())


def read_owner(record: Path) -> dict[str, Any]:
    try:
        found = json.loads(read_whole(record))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def owners_in(home: Path) -> Iterator[dict[str, Any]]:
    """The owner records of all work trees whose sessions a folder holds."""
    return map(read_owner, sorted((home / OWNERS).glob("*.json")))


def epoch_of(said: Mapping[str, Any]) -> int:
    epoch = said.get("epoch")
    return epoch if isinstance(epoch, int) else 0


def is_alive(said: Mapping[str, Any]) -> bool:
    """Whether the process that a record names still runs. A process on another machine counts as alive."""
    pid = said.get("pid")
    if not isinstance(pid, int):
        return False
    if said.get("host", platform.node()) != platform.node():
        return True
    if said.get("boot", boot()) != boot():
        return False
    now, then = started_at(pid), said.get("started")
    return now is not None and (not isinstance(then, int | float) or abs(now - then) <= SAME_START_SECONDS)


def is_owned(project: Path) -> bool:
    """Whether a run is alive in a work tree."""
    descriptor = os.open(project, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def described(said: Mapping[str, Any]) -> str:
    """The owner in words, for messages."""
    if not is_alive(said):
        return "it has just begun, or its record cannot be read"
    by = f", by {said['by']}" if said.get("by") else ""
    return f"process {said['pid']}, since {said.get('since', '?')}{by}"


@cache
def boot() -> str:
    """Identifies the current boot of this machine."""
    try:
        return BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        import psutil

        return f"{psutil.boot_time():.0f}"


def started_at(pid: int) -> float | None:
    """Start time of a process, or None if it is gone. On Linux since boot, so that setting the clock has no effect."""
    if BOOT_ID.exists():
        try:
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            return None
        return int(fields[STARTED_FIELD]) / os.sysconf("SC_CLK_TCK")
    import psutil

    try:
        return psutil.Process(pid).create_time()
    except psutil.NoSuchProcess:
        return None
