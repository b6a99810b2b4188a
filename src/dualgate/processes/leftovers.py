"""Find the processes that a killed run left in a work tree by their tag, and end them."""

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dualgate.processes.descent import is_dead, session_of
from dualgate.processes.ending import end_all, processes_with, pursue
from dualgate.processes.tags import OWNER, process_limit, tree_limit, tree_of

if TYPE_CHECKING:
    import psutil

COMMAND_LENGTH = 80
UNLISTED = "? processes that fork and end faster than they can be listed"


def end_leftovers(project: Path) -> tuple[str, ...]:
    """End all processes of earlier runs in a work tree, and return the id and command of each.

    Only the owner of the tree may call this, before it starts anything.
    """
    limit, ours = tree_limit(project), _ourselves()

    def is_target(pid: int) -> bool:
        return pid not in ours and process_limit(pid) == limit and not is_dead(pid)

    names = name_leftovers(project)
    if names:
        end_all(lambda: _left_in(project), is_target=is_target)
    return (names or (UNLISTED,)) if pursue(is_target) else names


def name_leftovers(project: Path) -> tuple[str, ...]:
    """Id and command of each process of any run in a work tree, also of a run that is still running."""
    return tuple(_describe(process) for process in _left_in(project))


def _left_in(project: Path) -> "list[psutil.Process]":
    tree = f"{tree_of(project)}:"
    return _with_relatives(
        {*processes_with(OWNER, lambda owner: owner.startswith(tree)), *_with_limit(tree_limit(project))}
    )


def _with_limit(limit: int) -> "list[psutil.Process]":
    import psutil

    found = []
    for pid in psutil.pids():
        if pid != os.getpid() and process_limit(pid) == limit and not is_dead(pid):
            with suppress(psutil.NoSuchProcess):
                found.append(psutil.Process(pid))
    return found


def _with_relatives(marked: "set[psutil.Process]") -> "list[psutil.Process]":
    """Add the descendants and session members of marked processes; leave out ourselves and our ancestors."""
    import psutil

    if not marked:
        return []
    ours = _ourselves()
    sessions = {session_of(process.pid) for process in marked} - {session_of(pid) for pid in ours} - {None}
    found = {process.pid: process for process in marked}
    for process in psutil.process_iter():
        if session_of(process.pid) in sessions:
            found[process.pid] = process
    for process in marked:
        try:
            found |= {child.pid: child for child in process.children(recursive=True)}
        except psutil.NoSuchProcess:
            continue
    return [process for pid, process in found.items() if pid not in ours and _is_running(process)]


def _ourselves() -> set[int]:
    """The ids of this process and its ancestors."""
    import psutil

    return {process.pid for process in (psutil.Process(), *psutil.Process().parents())}


def _is_running(process: "psutil.Process") -> bool:
    import psutil

    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _describe(process: "psutil.Process") -> str:
    import psutil

    try:
        words = " ".join(process.cmdline()) or process.name()
    except psutil.Error:
        words = "?"
    return f"{process.pid} {words[:COMMAND_LENGTH]}"
