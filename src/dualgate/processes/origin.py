"""A process -> the runs that started it: by its ancestors, the tags in their environments, and their limits.

A program that clears its environment, forks twice or starts a session of its own is still found: the run adopts it.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dualgate.processes.tags import LEAST_TAG, OWNER, process_limit, tree_limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The origin of a process."""

    marks: frozenset[str] = frozenset()
    """The marks of the work trees whose runs started it."""
    ancestors: tuple[int, ...] = ()
    """The ids of its ancestors, the nearest first."""
    homes: frozenset[Path] = frozenset()
    """The home folders of its ancestors, to which the sessions of a person belong."""


def mark_of(project: Path) -> str:
    """The mark that all processes of a run in a work tree have."""
    return f"{tree_limit(project):x}"


def origin_of(pid: int) -> Origin:
    """The origin of a process; an empty one if the process is gone."""
    import psutil

    try:
        process = psutil.Process(pid)
        lineage = (process, *process.parents())
    except psutil.Error:
        return Origin()
    surroundings = [(each.pid, _environment(each)) for each in lineage]
    if pid == os.getpid():
        surroundings.append((pid, dict(os.environ)))
    found = (mark for each, environment in surroundings for mark in _marks(each, environment))
    homes = {environment.get("HOME", "") for each, environment in surroundings if each != pid}
    return Origin(
        marks=frozenset(found),
        ancestors=tuple(each.pid for each in lineage[1:]),
        homes=frozenset(Path(home).resolve() for home in homes if home.startswith("/")),
    )


def _environment(process: object) -> Mapping[str, str]:
    import psutil

    assert isinstance(process, psutil.Process)
    try:
        return process.environ()
    except (psutil.Error, OSError):
        return {}  # gone, or of another user


def _marks(pid: int, environment: Mapping[str, str]) -> Iterator[str]:
    limit = process_limit(pid)
    if limit is not None and limit >= LEAST_TAG:
        yield f"{limit:x}"
    with suppress(ValueError):
        if tree := environment.get(OWNER, "").partition(":")[0]:
            yield f"{LEAST_TAG | int(tree, 16) >> 2:x}"
