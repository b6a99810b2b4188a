"""Which folders are git repositories and linked worktrees, by their files: git is not started."""

import os
from pathlib import Path

LINK = ".git"
PLACES = frozenset({"worktrees", ".worktrees"})
"""Names of folders in which tools make linked worktrees, such as `.claude/worktrees`."""
_BEGIN = "gitdir:"
_MOST = 4096


def nearest_repository(project: Path) -> Path | None:
    """The nearest folder, upwards, with a `.git`."""
    return next((place for place in (project, *project.parents) if (place / LINK).exists()), None)


def is_linked_worktree(folder: Path) -> bool:
    """Whether a folder is a linked worktree: its .git names a folder among the worktrees of a repository, and that
    one names it in turn."""
    named = _read(folder / LINK)
    if not named.startswith(_BEGIN):
        return False
    place = folder / named.removeprefix(_BEGIN).strip()
    back = _read(place / "gitdir").strip()
    return place.parent.name == "worktrees" and bool(back) and (place / back).resolve() == (folder / LINK).resolve()


def is_set_apart(root: Path, path: str) -> bool:
    """Whether a folder is a linked worktree in a hidden place for those, where no tool looks for tests or settings."""
    *above, _ = path.split("/")
    is_hidden = any(name.startswith(".") for name in above)
    return is_hidden and above[-1] in PLACES and is_linked_worktree(root / path)


def main_work_tree(folder: Path) -> Path | None:
    """The main work tree of the repository that a linked worktree belongs to, or the repository itself, if it is bare;
    None if the folder is no linked worktree."""
    if not is_linked_worktree(folder):
        return None
    place = folder / _read(folder / LINK).removeprefix(_BEGIN).strip()
    common = (place / (_read(place / "commondir").strip() or "../..")).resolve()
    return common.parent if common.name == LINK else common


def linked_to(folder: Path) -> Path | None:
    """The git folder of the repository that the `.git` of a folder names as that of a linked worktree; None if the
    folder has another one, or none."""
    named = _read(folder / LINK)
    place = folder / named.removeprefix(_BEGIN).strip()
    if not named.startswith(_BEGIN) or place.parent.name != "worktrees":
        return None
    return place.parent.parent.resolve()


def work_trees(main: Path) -> list[Path]:
    """The linked worktrees of the repository with this main work tree, or of a bare one."""
    common = main / LINK if (main / LINK).is_dir() else main
    try:
        named = [(place, _read(place / "gitdir").strip()) for place in (common / "worktrees").iterdir()]
    except OSError:
        return []
    return [(place / back).parent for place, back in named if back]


def is_submodule(repository: Path) -> bool:
    return "modules" in Path(_read(repository / LINK).strip()).parts


def _read(file: Path) -> str:
    """The beginning of a regular file; empty if there is none."""
    try:
        if not file.is_file():
            return ""
        with file.open("rb") as content:
            return os.fsdecode(content.read(_MOST))
    except OSError:
        return ""
