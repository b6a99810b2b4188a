"""Which process descends from which, by the files of /proc: quick, even among thousands of processes."""

import os
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

PROCESSES = Path("/proc")
STATE_FIELD, PARENT_FIELD = 0, 1
ZOMBIE = [b"Z"]


def process_ids() -> list[int]:
    """The ids of all processes, the largest first."""
    try:
        return sorted((int(name) for name in os.listdir(PROCESSES) if name.isdigit()), reverse=True)  # noqa: PTH208
    except OSError:
        return []


def children_of(pid: int) -> list[int] | None:
    """The children of a process, ended ones too, the newest first; None if the kernel keeps no list of them."""
    tasks = PROCESSES / str(pid) / "task"
    found: list[int] = []
    try:
        for task in os.listdir(tasks):  # noqa: PTH208
            found += map(int, (tasks / task / "children").read_bytes().split())
    except OSError:
        return None
    return found[::-1]


def descendants_of(pid: int) -> list[int] | None:
    """All descendants of a process, its newest children first; None if the kernel keeps no lists of children."""
    found = children_of(pid)
    if found is not None:
        for each in found:  # it grows meanwhile
            found += children_of(each) or []
    return found


def is_descendant(pid: int, ancestor: int, spared: Collection[int] = ()) -> bool | None:
    """Whether a process descends from the ancestor, and not through a spared one.

    None if it or a process between is gone: the kernel has given its children another parent.
    """
    while pid > 1 and pid not in spared:
        parent = _parent_of(pid)
        if parent is None or parent == ancestor:
            return None if parent is None else True
        pid = parent
    return False


def is_dead(pid: int) -> bool:
    """Whether the process is gone or a zombie."""
    return (_stat(pid) or ZOMBIE)[STATE_FIELD] == ZOMBIE[STATE_FIELD]


def session_of(pid: int) -> int | None:
    """The session of a process; None if it is gone."""
    try:
        return os.getsid(pid)
    except OSError:
        return None


def reap(pid: int) -> None:
    """Take an ended child out of the table of processes; any other process stays as it is."""
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def has_children() -> bool:
    """Whether this process has any child, ended or not. Reaps none."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _parent_of(pid: int) -> int | None:
    fields = _stat(pid)
    return int(fields[PARENT_FIELD]) if fields else None


def _stat(pid: int) -> list[bytes]:
    """The fields after the name in /proc/PID/stat; empty if they cannot be read."""
    try:
        return (PROCESSES / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return []
