"""Which folders are linked git worktrees: each is a work tree of its own, wherever it lies."""

import os
from pathlib import Path

LINK = ".git"
_BEGIN = "gitdir:"
_MOST = 4096


def is_linked_worktree(folder: Path) -> bool:
    """Whether a folder is a linked worktree: its .git names a folder among the worktrees of a repository, and that
    one names it in turn."""
    named = _read(folder / LINK)
    if not named.startswith(_BEGIN):
        return False
    place = folder / named.removeprefix(_BEGIN).strip()
    back = _read(place / "gitdir").strip()
    return place.parent.name == "worktrees" and bool(back) and (place / back).resolve() == (folder / LINK).resolve()


def main_work_tree(folder: Path) -> Path | None:
    """The main work tree of the repository that a linked worktree belongs to, or the repository itself, if it is bare;
    None if the folder is no linked worktree."""
    if not is_linked_worktree(folder):
        return None
    place = folder / _read(folder / LINK).removeprefix(_BEGIN).strip()
    common = (place / (_read(place / "commondir").strip() or "../..")).resolve()
    return common.parent if common.name == LINK else common


def _read(file: Path) -> str:
    """The beginning of a regular file; empty if there is none."""
    try:
        if not file.is_file():
            return ""
        with file.open("rb") as content:
            return os.fsdecode(content.read(_MOST))
    except OSError:
        return ""
