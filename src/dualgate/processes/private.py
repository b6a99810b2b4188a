"""Folders and files for their owner alone, whatever the umask: prompts, answers and snapshots may hold secrets."""

import os
import stat
from contextlib import suppress
from pathlib import Path

FOLDER, FILE = 0o700, 0o600
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def make_private(folder: Path) -> Path:
    """Make a folder and those above it that are missing, each for the owner alone."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        with suppress(FileExistsError):
            place.mkdir(mode=FOLDER)
    folder.mkdir(exist_ok=True)  # raises if it is a file
    return folder


def open_private(name: str, flags: int) -> int:
    """Open a file; one that is made is for the owner alone. An `opener` of open()."""
    return os.open(name, flags, FILE)


def close_to_others(path: Path) -> bool:
    """Take the permissions of others from a file or folder. Returns whether there were any."""
    with suppress(OSError):
        mode = path.lstat().st_mode
        if not stat.S_ISLNK(mode) and mode & _OTHERS:
            path.chmod(stat.S_IMODE(mode) & ~_OTHERS)
            return True
    return False


def close_whole(folder: Path) -> None:
    """Take the permissions of others from a folder that was open to them, and from all that is in it."""
    if close_to_others(folder):
        for place, folders, files in os.walk(folder):
            for name in (*folders, *files):
                close_to_others(Path(place, name))


def why_open(folder: Path) -> str:
    """Why others can read a folder or replace it, in words; empty if they cannot."""
    try:
        if folder.stat().st_mode & _OTHERS:
            return f"{folder} is open to other users (mode {stat.S_IMODE(folder.stat().st_mode):03o})"
        return next((text for place in folder.resolve().parents if (text := _why_replaceable(place))), "")
    except OSError:
        return ""


def _why_replaceable(place: Path) -> str:
    """Why others can replace what is in a folder. One that is sticky, or only of our own group, is safe."""
    found = place.stat()
    is_shared = found.st_mode & stat.S_IWOTH or (found.st_mode & stat.S_IWGRP and found.st_gid != os.getgid())
    return f"other users can write in {place}" if is_shared and not found.st_mode & stat.S_ISVTX else ""
