"""Runs above and below a work tree: one tree has one owner. A linked git worktree is a tree of its own."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dualgate.errors import SessionLocked
from dualgate.processes.worktrees import is_linked_worktree
from dualgate.store.home import sessions_home
from dualgate.store.owners import described, is_alive, owners_in


def require_alone(project: Path, environment: Mapping[str, str]) -> None:
    """Raise SessionLocked if a run is alive in a folder above or below a work tree."""
    for place, said in _running(environment):
        if place == project:
            continue
        inside, around = _below(place, project), _below(project, place)
        if (inside and not is_apart(place, inside)) or (around and not is_apart(project, around)):
            side = "above" if inside else "below"
            raise SessionLocked(
                f"A run owns {place}, which is {side} {project}: {described(said)}.",
                "Wait until it ends, or pause it there with 'dualgate pause'. A linked git worktree (git worktree add) "
                "is a tree of its own.",
            )


def _below(outer: Path, inner: Path) -> Path | None:
    """The path of a folder below another one, also if a mount or another spelling leads there; None if it is not."""
    if inner.is_relative_to(outer):
        return inner
    mark = _identity(outer)
    above = next((each for each in (inner, *inner.parents) if mark and _identity(each) == mark), None)
    return outer / inner.relative_to(above) if above else None


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def foreign_trees(project: Path, environment: Mapping[str, str]) -> Iterator[tuple[Path, int]]:
    """The folders below a work tree in which another run is alive, with the process of that run."""
    for place, said in _running(environment):
        if place != project and place.is_relative_to(project):
            yield place, int(said["pid"])


def running_in(root: Path, environment: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    """The folders of a work tree in which a run is alive, with the owner in words."""
    for place, said in _running(environment):
        if place.is_relative_to(root):
            yield place, described(said)


def is_apart(outer: Path, inner: Path) -> bool:
    """Whether a folder is in a linked git worktree that lies below the outer folder."""
    between = (place for place in (inner, *inner.parents) if place.is_relative_to(outer) and place != outer)
    return any(is_linked_worktree(place) for place in between)


def _running(environment: Mapping[str, str]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The work trees in which runs are alive, with their owner records."""
    for said in owners_in(sessions_home(environment)):
        project = said.get("project")
        if isinstance(project, str) and project.startswith("/") and is_alive(said):
            yield Path(project), said
