"""The tag of whoever owns a work tree, on all that a run starts: a later run knows by it what a killed one left.

It is a variable, and a limit that no program feels. The limit stays with all that is started, through forks, new
sessions and an environment that is cleared, until somebody sets that limit.
"""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

OWNER = "DUALGATE_OWNER"
# for programs with real-time priority alone: microseconds, and ours are ten thousands of years
LIMIT: int | None = getattr(resource, "RLIMIT_RTTIME", None)
LEAST_TAG = 1 << 62


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    name: str
    """Of the work tree, without its path, and of the run."""
    limit: int
    """Of the work tree."""


def tag_of(project: Path, epoch: int) -> Tag:
    return Tag(name=f"{tree_of(project)}:{epoch}", limit=limit_of(project))


def tree_of(project: Path) -> str:
    """Path and device: a container that shares our processes may have a folder of the same name."""
    return sha256(os.fsencode(project) + f":{project.stat().st_dev}".encode()).hexdigest()[:16]


def limit_of(project: Path) -> int:
    return LEAST_TAG | int(tree_of(project), 16) >> 2


def limit_on(pid: int) -> int | None:
    try:
        return resource.prlimit(pid, LIMIT)[0] if LIMIT is not None else None
    except OSError:
        return None


@contextmanager
def inherited(tag: Tag) -> Iterator[None]:
    """All that this process starts meanwhile has the limit from its first moment, where the system has such a limit."""
    if LIMIT is None:
        yield
        return
    before, hard = resource.getrlimit(LIMIT)
    with suppress(ValueError, OSError):  # somebody has set the limit for all of us
        resource.setrlimit(LIMIT, (tag.limit, hard))
    try:
        yield
    finally:
        # a session beside this one may have set its own since, or have been there before and be over
        if resource.getrlimit(LIMIT)[0] == tag.limit:
            resource.setrlimit(LIMIT, (hard if before >= LEAST_TAG else before, hard))


def put_on(pid: int, tag: Tag) -> None:
    """On one process, though a session beside this one has set what this process hands on."""
    if LIMIT is not None and limit_on(pid) != tag.limit:
        with suppress(ValueError, OSError):
            resource.prlimit(pid, LIMIT, (tag.limit, resource.prlimit(pid, LIMIT)[1]))
