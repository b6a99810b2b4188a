"""A look at the files of a session before and after something runs that has no business there.

What is changed is told, and what decides anything is put back: the journal by whoever writes it, the rest from it.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dualgate.store.atomic import marks_of
from dualgate.store.call_files import CALLS, CallFiles, last_names
from dualgate.store.journal import FORGED
from dualgate.store.lines import CHECKPOINT, JOURNAL
from dualgate.store.projections import rebuild

# people put requests there, and look after the archive and the snapshots, while a run is at work; set-ups end there
NOT_OURS_ALONE = ("requests", "archive", "snapshots.db", "owner-", "setup", FORGED)
# what is believed when it is found, and is not made from the journal
CACHE = "results/"


class FolderCheck:
    """Over one session folder; `mend` makes its journal again what the run wrote, and says whether it had to.

    Without a folder nothing is looked at. `calls` are the files of its calls as the run itself writes them.
    """

    def __init__(
        self,
        folder: Path | None = None,
        mend: Callable[[], bool] = lambda: False,
        calls: CallFiles | None = None,
    ) -> None:
        self._folder = folder
        self._mend = mend
        self._calls = calls
        self._found: tuple[str, ...] = ()

    @contextmanager
    def during(self) -> Iterator[None]:
        """What is changed, made or removed meanwhile is found, and put back as far as it decides anything."""
        if self._folder is None:
            yield
            return
        self._calls = self._calls or CallFiles(self._folder)
        calls, newest = self._calls.folder, self._calls.newest()
        before = _seen(self._folder) | _seen_calls(calls, newest)
        try:
            yield
        finally:
            after = _seen(self._folder) | _seen_calls(calls, newest)
            if before.get(CALLS) != after.get(CALLS):  # what came is among the last, if it is to look like one of ours
                after |= _seen_calls(calls, last_names(calls))
            changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)} - {JOURNAL}
            if self._mend():
                changed.add(JOURNAL)
            _put_back(self._folder, changed)
            self._found = (*self._found, *sorted(changed))

    def changed(self) -> tuple[str, ...]:
        """What was found since this was last asked."""
        found, self._found = self._found, ()
        return found


def _put_back(folder: Path, changed: set[str]) -> None:
    for name in changed:
        if name.startswith(CACHE) or name == CHECKPOINT or (name != CALLS and not _is_plain(folder / name)):
            _remove(folder / name)
    if any("/" not in name for name in changed - {CALLS}):
        rebuild(folder)


def _seen(folder: Path) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    pending = [""]
    while pending:
        inside = pending.pop()
        with suppress(OSError), os.scandir(folder / inside) as entries:
            for entry in entries:
                name = f"{inside}{entry.name}"
                if not inside and name.startswith(NOT_OURS_ALONE):
                    continue
                if name == CALLS:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    pending.append(f"{name}/")
                    continue
                found[name] = marks_of(entry.stat(follow_symlinks=False))
    return found


def _seen_calls(folder: Path, names: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """That none came or went, and of all the last: a long run has thousands, which nothing goes on with."""
    found: dict[str, tuple[int, ...]] = {}
    with suppress(OSError):
        found[CALLS] = marks_of(folder.lstat())
    for name in names:
        with suppress(OSError):
            found[f"{CALLS}/{name}"] = marks_of(os.lstat(folder / name))
    return found


def _is_plain(path: Path) -> bool:
    """A file, or nothing. A folder cannot be written in the place of one, and a pipe would be waited for."""
    return not os.path.lexists(path) or (path.is_file() and not path.is_symlink())


def _remove(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
