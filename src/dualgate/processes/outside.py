"""Find programs outside a project: to look at a project must not run a program that came with it."""

import os
from collections.abc import Mapping
from pathlib import Path


def path_outside(project: Path, environment: Mapping[str, str]) -> str:
    """The PATH without relative folders and without folders of the project."""
    folders = environment.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(each for each in folders if Path(each).is_absolute() and not is_inside(Path(each), project))


def is_inside(path: Path, project: Path) -> bool:
    """Whether a path lies in the project: as it is written, or where its links lead."""
    inside = project.resolve()
    return path.resolve().is_relative_to(inside) or path.absolute().parent.resolve().is_relative_to(inside)
