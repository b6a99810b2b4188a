"""Checks the session folder before and after an agent or a test run, which must not write there.

Changes are reported. The journal is restored by its writer, and the files made from it are rebuilt.
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
from dualgate.store.reports import REPORT
from dualgate.store.sessions import TRACED

# people and other commands write these during a run; a set-up may end during one
_OF_OTHERS = ("requests", "archive", "snapshots.db", "memory.", "owner-", "setup", REPORT, FORGED)
NOT_OURS_ALONE = (*_OF_OTHERS, TRACED, f".{TRACED}.")  # traces are sent beside the run
# trusted when read, and not made from the journal
CACHE = "results/"


class FolderCheck:
    """For one session folder; `restore` restores its journal if it was changed, and returns whether it was.

    Without a folder nothing is checked. `calls` are the call files as the run itself writes them.
    """

    def __init__(
        self,
        folder: Path | None = None,
        restore: Callable[[], bool] = lambda: False,
        calls: CallFiles | None = None,
    ) -> None:
        self._folder = folder
        self._restore = restore
        self._calls = calls
        self._found: tuple[str, ...] = ()

    @contextmanager
    def during(self) -> Iterator[None]:
        """Find files that are changed, created or removed in the block, and restore those that decide anything."""
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
            if before.get(CALLS) != after.get(CALLS):  # a forged call file sorts among the last names
                after |= _seen_calls(calls, last_names(calls))
            changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)} - {JOURNAL}
            if self._restore():
                changed.add(JOURNAL)
            _put_back(self._folder, changed)
            self._found = (*self._found, *sorted(changed))

    def changed(self) -> tuple[str, ...]:
        """The names of changed files since the last call of this method."""
        found, self._found = self._found, ()
        return found


def _put_back(folder: Path, changed: set[str]) -> None:
    for name in changed:
        if name.startswith(CACHE) or name == CHECKPOINT or (name != CALLS and not _is_plain(folder / name)):
            _remove(folder / name)
    if any("/" not in name for name in changed - {CALLS}):
        from dualgate.store.projections import rebuild  # imported only if something changed

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
    """Marks of the call folder and its newest files: a long run has thousands and never reads the older ones again."""
    found: dict[str, tuple[int, ...]] = {}
    with suppress(OSError):
        found[CALLS] = marks_of(folder.lstat())
    for name in names:
        with suppress(OSError):
            found[f"{CALLS}/{name}"] = marks_of(os.lstat(folder / name))
    return found


def _is_plain(path: Path) -> bool:
    """Whether the path is a regular file or missing. A folder cannot be overwritten, and reading a pipe blocks."""
    return not os.path.lexists(path) or (path.is_file() and not path.is_symlink())


def _remove(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
