"""What a run that was killed left behind in a work tree: found by its tag, and ended."""

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dualgate.processes.ending import carrying, end_all, is_dead, pursue
from dualgate.processes.tags import OWNER, limit_of, limit_on, tree_of

if TYPE_CHECKING:
    import psutil

COMMAND_LENGTH = 80
UNLISTED = "? processes that fork and end faster than they can be listed"


def end_leftovers(project: Path) -> tuple[str, ...]:
    """End all that was started by earlier runs in a work tree; for whoever owns it, before anything is started.

    Answers with number and command of each.
    """
    limit, ours = limit_of(project), _ourselves()

    def is_prey(pid: int) -> bool:
        return pid not in ours and limit_on(pid) == limit and not is_dead(pid)

    told = name_leftovers(project)
    if told:
        end_all(lambda: _left_in(project), is_prey=is_prey)
    return (told or (UNLISTED,)) if pursue(is_prey) else told


def name_leftovers(project: Path) -> tuple[str, ...]:
    """Number and command of each process of earlier runs in a work tree. While one owns it, they are that run's."""
    return tuple(_told(process) for process in _left_in(project))


def _left_in(project: Path) -> "list[psutil.Process]":
    tree = f"{tree_of(project)}:"
    return _with_company({*carrying(OWNER, lambda owner: owner.startswith(tree)), *_with_limit(limit_of(project))})


def _with_limit(limit: int) -> "list[psutil.Process]":
    import psutil

    found = []
    for pid in psutil.pids():
        if pid != os.getpid() and limit_on(pid) == limit and not is_dead(pid):
            with suppress(psutil.NoSuchProcess):
                found.append(psutil.Process(pid))
    return found


def _with_company(marked: "set[psutil.Process]") -> "list[psutil.Process]":
    """With what they started and who shares a session with them, whatever their environment; never ourselves."""
    import psutil

    if not marked:
        return []
    ours = _ourselves()
    sessions = {_session(process.pid) for process in marked} - {_session(pid) for pid in ours} - {None}
    found = {process.pid: process for process in marked}
    for process in psutil.process_iter():
        if _session(process.pid) in sessions:
            found[process.pid] = process
    for process in marked:
        try:
            found |= {child.pid: child for child in process.children(recursive=True)}
        except psutil.NoSuchProcess:
            continue
    return [process for pid, process in found.items() if pid not in ours and _works(process)]


def _ourselves() -> set[int]:
    """And those above us."""
    import psutil

    return {process.pid for process in (psutil.Process(), *psutil.Process().parents())}


def _works(process: "psutil.Process") -> bool:
    """Whether there is more of it than an entry that its new parent has not read yet."""
    import psutil

    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None


def _told(process: "psutil.Process") -> str:
    import psutil

    try:
        words = " ".join(process.cmdline()) or process.name()
    except psutil.Error:
        words = "?"
    return f"{process.pid} {words[:COMMAND_LENGTH]}"
