"""A folder -> the project that its queue goes with: the same from each worktree of the repository."""

from dataclasses import dataclass
from pathlib import Path

from dualgate.workspace.linked import read_checkout


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    main: Path
    """The main work tree."""
    project: Path
    """The folder of the project in it."""


def repository_of(folder: Path) -> Repository:
    """The repository of a project. Raises WorktreeRefused if there is none, or if it has no commits."""
    checkout = read_checkout(folder)
    return Repository(main=checkout.main, project=checkout.main / folder.relative_to(checkout.root))
