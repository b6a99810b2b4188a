"""Restore paths: write all files to a staging folder first, then move them, so that no file is ever partial.

No link is followed out of the tree. An interrupted restore can be repeated.
"""

import errno
import os
import shutil
import stat
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from dualgate.errors import StoreFailed
from dualgate.processes.folder_lock import lock_folder
from dualgate.workspace.bytecode import forget_bytecode
from dualgate.workspace.snapshots import Snapshots
from dualgate.workspace.trees import Entry

STAGING = ".dualgate-restore"
"""The staging folder, in the root of the work tree."""
NEVER_KEPT = "it was too large to keep, or could not be read"


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    done: tuple[str, ...] = ()
    failed: Mapping[str, str]
    """Path -> why it was not restored."""


def restore(
    root: Path,
    wanted: Mapping[str, Entry | None],
    snapshots: Snapshots,
    clear_folders: bool = False,
    surplus: Collection[str] = (),
) -> Restored:
    """Restore the entries of paths; None removes a path. If staging fails, nothing is changed.

    A folder in place of a file is removed if it is empty, or always with `clear_folders`. Empty folders in `surplus`
    are removed.
    """
    failed = {path: NEVER_KEPT for path, entry in wanted.items() if entry is not None and not entry.is_kept}
    failed |= {path: "its name leads out of the project" for path in wanted if not _is_inside(path)}
    todo = {path: entry for path, entry in wanted.items() if path not in failed}
    with ExitStack() as held:
        held.callback(clear_leftovers, root)
        ready = _lay_ready(root, todo, snapshots, held)
        _drop_surplus(root, surplus)
        removed = [path for path, entry in todo.items() if entry is None and _done(_remove, root, path, failed)]
        _drop_empty(root, removed)
        place = partial(_place, ready=ready, clear_folders=clear_folders)
        placed = [path for path in ready if _done(place, root, path, failed)]
    forget_bytecode(root, placed)
    return Restored(done=(*removed, *placed), failed=failed)


def clear_leftovers(root: Path) -> None:
    """Remove the staging folder, or anything else at its path."""
    staging = root / STAGING
    if _is_folder(staging):
        let_write(root, f"{STAGING}/any")
        shutil.rmtree(staging, ignore_errors=True)
    else:
        with suppress(OSError):
            staging.unlink(missing_ok=True)


def clear_abandoned(root: Path) -> None:
    """Remove the staging folder of a killed restore, so that it does not count as work.

    Only if it is not locked by a running restore and contains staged files only: files of an agent stay visible.
    """
    staging = root / STAGING
    with suppress(OSError), ExitStack() as held:
        lock_folder(staging, held)
        left = list(staging.iterdir())
        if left and all(item.name.isdecimal() and not _is_folder(item) for item in left):
            clear_leftovers(root)


def make_folders(root: Path, folders: Iterable[str]) -> None:
    for path in sorted(folders):
        if _is_inside(path) and not _is_behind_link(root, path):
            _done(_make, root, path, {})


def give_modes(root: Path, modes: Mapping[str, int]) -> None:
    """Set the modes of existing folders, inner ones first: an outer mode may forbid entering."""
    for path in sorted(modes, reverse=True):
        if _is_inside(path) and _is_folder(root / path) and not _is_behind_link(root, path):
            with suppress(OSError):
                if (root / path).stat().st_mode != modes[path]:
                    (root / path).chmod(stat.S_IMODE(modes[path]))


def _is_inside(path: str) -> bool:
    """Whether a path stays in the project and outside of a .git folder."""
    *folders, name = path.split("/")
    return not {"", ".", ".."} & {*folders, name} and ".git" not in folders


def _lay_ready(root: Path, todo: Mapping[str, Entry | None], snapshots: Snapshots, held: ExitStack) -> dict[str, Path]:
    staging = root / STAGING
    clear_leftovers(root)
    ready: dict[str, Path] = {}
    try:
        if any(todo.values()):
            let_write(root, STAGING)
            staging.mkdir(mode=0o700)
            with suppress(OSError):  # a file system may have no locks; there, no staging folder counts as abandoned
                lock_folder(staging, held)
        for number, (path, entry) in enumerate(todo.items()):
            if entry is not None:
                ready[path] = staging / str(number)
                _write(ready[path], entry, snapshots)
    except OSError as error:
        raise StoreFailed(
            f"{root} cannot be written: {error.strerror}. Nothing in it was changed.",
            "Make room or give permission, and try again.",
        ) from error
    return ready


def _write(target: Path, entry: Entry, snapshots: Snapshots) -> None:
    if entry.is_link:
        target.symlink_to(os.fsdecode(snapshots.content(entry)))
        return
    with target.open("xb") as file:
        for piece in snapshots.pieces(entry):
            file.write(piece)
    target.chmod(stat.S_IMODE(entry.mode))


def _done(step: Callable[[Path, str], None], root: Path, path: str, failed: dict[str, str]) -> bool:
    """Whether a step succeeded, if needed after making its parent folders writable."""
    for _attempt in range(2):
        try:
            step(root, path)
        except PermissionError as error:
            failed[path] = error.strerror or "not allowed"
            let_write(root, path)
        except OSError as error:
            failed[path] = error.strerror or type(error).__name__
            return False
        else:
            failed.pop(path, None)
            return True
    return False


def _remove(root: Path, path: str) -> None:
    """Remove a file. An unreadable folder has unknown content, so it is made readable and stays."""
    target = root / path
    if _is_folder(target):
        target.chmod(target.stat().st_mode | 0o700)
    elif not _is_behind_link(root, path):
        with suppress(FileNotFoundError, NotADirectoryError):
            target.unlink()


def _make(root: Path, path: str) -> None:
    (root / path).mkdir(parents=True, exist_ok=True)


def _drop(root: Path, path: str) -> None:
    (root / path).rmdir()


def _place(root: Path, path: str, ready: Mapping[str, Path], clear_folders: bool) -> None:
    target = root / path
    _clear_parents(root, PurePosixPath(path))
    if _is_folder(target):
        (shutil.rmtree if clear_folders and target.name != ".git" else Path.rmdir)(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        ready[path].replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        beside = target.with_name(f"{STAGING}-{os.getpid()}")
        shutil.copy2(ready[path], beside, follow_symlinks=False)
        beside.replace(target)


def _is_folder(target: Path) -> bool:
    return target.is_dir() and not target.is_symlink()


def _is_behind_link(root: Path, path: str) -> bool:
    return any((root / parent).is_symlink() for parent in PurePosixPath(path).parents[:-1])


def _clear_parents(root: Path, path: PurePosixPath) -> None:
    """Remove links and files at the paths of parent folders: a link would redirect the write."""
    for parent in reversed(path.parents[:-1]):
        place = root / parent
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            place.unlink()


def let_write(root: Path, path: str) -> None:
    """Make the parent folders of a path writable, so that it can be restored."""
    for parent in reversed(PurePosixPath(path).parents):
        place = root / parent
        with suppress(OSError):
            found = place.lstat()
            if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and found.st_mode & 0o700 != 0o700:
                place.chmod(stat.S_IMODE(found.st_mode) | 0o700)


def _drop_surplus(root: Path, folders: Collection[str]) -> None:
    for path in sorted(folders, reverse=True):
        if _is_inside(path) and _is_folder(root / path) and not _is_behind_link(root, path):
            _done(_drop, root, path, {})  # a folder with files that are not part of the work stays


def _drop_empty(root: Path, removed: Iterable[str]) -> None:
    """Remove folders that became empty."""
    for path in removed:
        for parent in PurePosixPath(path).parents:
            if parent == PurePosixPath("."):
                break
            try:
                (root / parent).rmdir()
            except OSError:
                break
