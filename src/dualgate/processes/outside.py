"""Find programs outside a project: to look at a project must not run a program that came with it."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from dualgate.processes.worktrees import is_submodule, main_work_tree, nearest_repository, work_trees


def path_outside(project: Path, environment: Mapping[str, str]) -> str:
    """The PATH without relative folders and without folders of the project and its repository."""
    places = _places(project, environment)
    folders = environment.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(each for each in folders if Path(each).is_absolute() and not _is_in(Path(each), places))


def is_inside(path: Path, project: Path, environment: Mapping[str, str]) -> bool:
    """Whether a path lies in the project or its repository: as it is written, or where its links lead."""
    return _is_in(path, _places(project, environment))


def _is_in(path: Path, places: frozenset[Path]) -> bool:
    real, parent = path.resolve(), path.absolute().parent.resolve()
    return any(real.is_relative_to(place) or parent.is_relative_to(place) for place in places)


def _places(project: Path, environment: Mapping[str, str]) -> frozenset[Path]:
    """The project, and the work trees of its repository and of the one around it, if that is a submodule.

    A repository around the home folder, in which people keep their settings, does not count: its programs are theirs.
    """
    home = Path(environment.get("HOME") or os.devnull).resolve()
    found = (place.resolve() for place in _repositories(project))
    return frozenset({project.resolve(), *(place for place in found if not home.is_relative_to(place))})


def _repositories(project: Path) -> Iterator[Path]:
    place = nearest_repository(project)
    while place:
        main = main_work_tree(place) or place
        yield from (place, main, *work_trees(main))
        place = nearest_repository(place.parent) if is_submodule(place) else None
