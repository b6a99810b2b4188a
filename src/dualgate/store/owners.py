"""Who owns a work tree, written down so that a dead owner is known: after a reboot, and by another of its number.

The lock itself is the kernel's and goes with the process; this record only says whose it is.
"""

import json
import os
import platform
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from dualgate.store.atomic import read_whole, write_whole

# of what stands behind the name in /proc/PID/stat
STARTED_FIELD = 19
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
# of a process's start; what two readings of it may differ by
SAME_START_SECONDS = 1.0


def person(environment: Mapping[str, str]) -> str:
    """Who we are, as others would say it: user@host."""
    user = environment.get("USER") or environment.get("LOGNAME") or str(os.getuid())
    return f"{user}@{platform.node()}"


def write_owner(record: Path, epoch: int, session: Path, now: datetime, environment: Mapping[str, str]) -> None:
    """Write this process down as the owner, and where its session lies."""
    said = {
        "epoch": epoch,
        "pid": os.getpid(),
        "since": now.isoformat(timespec="seconds"),
        "by": person(environment),
        "host": platform.node(),
        "session": str(session),
        "boot": boot(),
        "started": _started(os.getpid()),
    }
    write_whole(record, json.dumps(said).encode())


def write_nobody(record: Path, epoch: int) -> None:
    """Nobody owns it any more; the number of the last owner stays, and where its session lies."""
    said = {"epoch": epoch, "session": read_owner(record).get("session", "")}
    write_whole(record, json.dumps(said).encode())


def read_owner(record: Path) -> dict[str, Any]:
    try:
        found = json.loads(read_whole(record))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def epoch_of(said: Mapping[str, Any]) -> int:
    epoch = said.get("epoch")
    return epoch if isinstance(epoch, int) else 0


def is_alive(said: Mapping[str, Any]) -> bool:
    """Whether the process that a record names still runs. That of another machine is taken for alive."""
    pid = said.get("pid")
    if not isinstance(pid, int):
        return False
    if said.get("host", platform.node()) != platform.node():
        return True
    if said.get("boot", boot()) != boot():
        return False
    now, then = _started(pid), said.get("started")
    return now is not None and (not isinstance(then, int | float) or abs(now - then) <= SAME_START_SECONDS)


def described(said: Mapping[str, Any]) -> str:
    """The owner in words; one that has not written itself down yet has only just begun."""
    if not is_alive(said):
        return "it has just begun, or its record cannot be read"
    by = f", by {said['by']}" if said.get("by") else ""
    return f"process {said['pid']}, since {said.get('since', '?')}{by}"


@cache
def boot() -> str:
    """A name of this start of the machine."""
    try:
        return BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        import psutil

        return f"{psutil.boot_time():.0f}"


def _started(pid: int) -> float | None:
    """When a process began; None where there is none. On Linux since the boot, so that no clock that is set matters."""
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
