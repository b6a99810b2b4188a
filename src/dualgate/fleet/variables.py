"""The environment of a run in a worktree: variables that name the checkout lead to the worktree."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from dualgate.processes.worktrees import is_linked_worktree, nearest_repository

if TYPE_CHECKING:
    from dualgate.store.worktree_records import WorktreeRecord

LED = ("VIRTUAL_ENV", "PATH", "PYTHONPATH", "NODE_PATH")
OTHERS = ("CONDA_PREFIX", "CONDA_DEFAULT_ENV", "PYTHONHOME")


def environment_in(project: Path, given: Mapping[str, str]) -> Mapping[str, str]:
    """The environment for programs in a folder: the given one, unless dualgate made the worktree around the folder."""
    root = nearest_repository(project)
    if root is None or not is_linked_worktree(root):
        return given
    from dualgate.store.worktree_records import record_at  # most commands need no record

    record = record_at(root, given)
    return given if record is None else _led(record, project, given)


def _led(record: "WorktreeRecord", project: Path, given: Mapping[str, str]) -> dict[str, str]:
    # a run that imports from the checkout is not trusted; uv must not compare what is shared with the lock file
    found = dict(given) | {"DUALGATE_ORIGIN": record.origin, "PWD": str(project), "UV_NO_SYNC": "1"}
    for name in LED:
        if name in found:
            found[name] = os.pathsep.join(_there(each, record) for each in found[name].split(os.pathsep))
    if record.environment:
        own = record.root / record.environment
        found |= {"VIRTUAL_ENV": str(own), "PATH": os.pathsep.join((f"{own}/bin", found.get("PATH", os.defpath)))}
        found = {name: value for name, value in found.items() if name not in OTHERS}
    return found


def _there(path: str, record: "WorktreeRecord") -> str:
    """A path of the checkout in the worktree, if it is there."""
    if not path or not Path(path).is_relative_to(record.origin):
        return path
    there = record.root / Path(path).relative_to(record.origin)
    return str(there) if there.exists() else path
