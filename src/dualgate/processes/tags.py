"""The tag of a work tree's owner on all processes of a run: a later run finds the processes of a killed run by it.

It is an environment variable, and a resource limit too large to have an effect. The limit survives forks, new sessions
and a cleared environment, until a program sets that limit itself.
"""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

OWNER = "DUALGATE_OWNER"
# in microseconds, and only for programs with real-time priority: ours means tens of thousands of years
LIMIT: int | None = getattr(resource, "RLIMIT_RTTIME", None)
LEAST_TAG = 1 << 62


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    name: str
    """Digest of the work tree, and number of the run."""
    limit: int


def tag_of(project: Path, epoch: int) -> Tag:
    return Tag(name=f"{tree_of(project)}:{epoch}", limit=tree_limit(project))


def tree_of(project: Path) -> str:
    """Digest of path and device: a container that shares our processes may have a folder of the same path."""
    return sha256(os.fsencode(project) + f":{project.stat().st_dev}".encode()).hexdigest()[:16]


def tree_limit(project: Path) -> int:
    return LEAST_TAG | int(tree_of(project), 16) >> 2


def process_limit(pid: int) -> int | None:
    try:
        return resource.prlimit(pid, LIMIT)[0] if LIMIT is not None else None
    except OSError:
        return None


@contextmanager
def inherited(tag: Tag) -> Iterator[None]:
    """Processes started before the block ends have the limit from the start, if the system has such a limit."""
    if LIMIT is None:
        yield
        return
    before, hard = resource.getrlimit(LIMIT)
    with suppress(ValueError, OSError):  # a hard limit below ours
        resource.setrlimit(LIMIT, (tag.limit, hard))
    try:
        yield
    finally:
        # a session beside this one may have set its own limit since, or have ended meanwhile
        if resource.getrlimit(LIMIT)[0] == tag.limit:
            resource.setrlimit(LIMIT, (hard if before >= LEAST_TAG else before, hard))


def set_tag(pid: int, tag: Tag) -> None:
    """Tag one process, even if a session beside this one has changed the inherited limit."""
    if LIMIT is not None and process_limit(pid) != tag.limit:
        with suppress(ValueError, OSError):
            resource.prlimit(pid, LIMIT, (tag.limit, resource.prlimit(pid, LIMIT)[1]))
