"""Put paths back as they were: no link is followed out of the tree, and what stands in the way is removed."""

import os
import shutil
import stat
from pathlib import Path, PurePosixPath

from dualgate.workspace.snapshots import Entry, Snapshots


def restore(root: Path, path: str, entry: Entry | None, snapshots: Snapshots) -> bool:
    """Give a path its entry back; None removes it. Answers whether that could be done."""
    target = root / path
    try:
        if entry is not None and not entry.is_kept:
            return False
        _clear_parents(root, PurePosixPath(path))
        _remove(target)
        if entry is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            _write(target, entry, snapshots.content(entry))
    except OSError:
        return False
    return True


def _clear_parents(root: Path, path: PurePosixPath) -> None:
    """A link or file where a folder was would lead the write somewhere else."""
    for parent in reversed(path.parents[:-1]):
        place = root / parent
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            place.unlink()


def _remove(target: Path) -> None:
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    else:
        target.unlink(missing_ok=True)


def _write(target: Path, entry: Entry, content: bytes) -> None:
    if entry.is_link:
        target.symlink_to(os.fsdecode(content))
        return
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with os.fdopen(os.open(target, flags, 0o600), "wb") as file:
        file.write(content)
    target.chmod(stat.S_IMODE(entry.mode))
