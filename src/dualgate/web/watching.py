"""Watch the session folders: changes on disk -> the register -> the feed. Nothing in them is written.

The kernel reports changes. Where it has no watches left, the journals are looked at instead.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from watchfiles import awatch
from watchfiles._rust_notify import WatchfilesRustInternalError

from dualgate.store.archive import ARCHIVE, has_journal
from dualgate.store.home import written_path
from dualgate.store.lines import JOURNAL
from dualgate.store.owners import OWNERS

if TYPE_CHECKING:
    from dualgate.web.feed import Feed
    from dualgate.web.register import Change, Register

DEBOUNCE_MS, STEP_MS = 100, 40
"""Changes that follow each other so soon are one; together they stay below the 200 ms of a change on the stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Seconds between two looks."""

    poll: float = 0.5
    """At journals, if the kernel does not report changes."""
    alive: float = 2.0
    """At the processes of runs."""
    sweep: float = 15.0
    """At all folders, for changes that were not reported."""
    watches: bool = True
    """Whether the kernel is asked for changes."""


PACE = Pace()


class Watcher:
    """Keeps the register up to date and publishes its changes, until it is cancelled."""

    def __init__(self, register: "Register", feed: "Feed", pace: Pace) -> None:
        self._register = register
        self._feed = feed
        self._pace = pace
        self._stop = asyncio.Event()
        self._looking = asyncio.Lock()
        self.loaded = False
        """Whether all sessions were read once."""
        self.polls = not pace.watches
        self.failure: ExceptionGroup[Exception] | None = None
        """A bug that ended the watching."""
        self.at_failure: Callable[[], None] = lambda: None

    async def run(self) -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._watch(tasks))
                await self._sweep()
                self.loaded = True
                tasks.create_task(_repeated(self._pace.alive, self._check_alive))
                tasks.create_task(_repeated(self._pace.sweep, self._sweep))
        except ExceptionGroup as failure:  # a page that shows old rows as new ones would be worse than none
            self.failure = failure
            self.at_failure()
        finally:
            self._stop.set()

    async def _check_alive(self) -> None:
        await self._publish(self._register.check_alive)

    async def _sweep(self) -> None:
        sweep = self._register.sweep()
        while await self._publish(lambda: next(sweep, None)):
            pass

    async def _publish(self, look: "Callable[[], list[Change] | None]") -> bool:
        """Look in a thread, and publish the changes; one look at a time, so that an older row never follows a newer."""
        async with self._looking:
            changes = await asyncio.to_thread(look)
            self._feed.publish(changes or ())
        return changes is not None

    async def _watch(self, tasks: asyncio.TaskGroup) -> None:
        while not self.polls:
            try:
                await self._watch_folders(await asyncio.to_thread(self._folders), tasks)
            except FileNotFoundError:  # a folder is gone this very moment
                await asyncio.sleep(self._pace.poll)
            except (OSError, WatchfilesRustInternalError):  # no watches left
                self.polls = True
        await _repeated(self._pace.poll, self._look_at_all)

    async def _watch_folders(self, folders: list[Path], tasks: asyncio.TaskGroup) -> None:
        """Handle changes until there are other folders to watch."""
        if not folders:
            await asyncio.sleep(self._pace.poll)
            await self._sweep()
            return
        tasks.create_task(self._sweep())  # it begins when the watches are set, and finds the changes before that
        async with aclosing(self._reported(folders)) as reports:
            async for paths in reports:
                await self._handle(paths)
                if await self._are_others(folders, paths):
                    return

    async def _are_others(self, folders: list[Path], changed: set[Path]) -> bool:
        """Whether other folders are to be watched after a change. One that was made again needs a new watch."""
        if all(path.name == JOURNAL for path in changed):
            return False
        return not changed.isdisjoint(folders) or folders != await asyncio.to_thread(self._folders)

    def _folders(self) -> list[Path]:
        """The folders to watch, each without those below it: a link in a session could lead to the whole disk."""
        homes = [home for home in self._register.homes if home.is_dir()]
        tops = [top for top in self._register.tops() if _can_be_watched(top)]  # others are found by sweeps
        inside = (*(home / OWNERS for home in homes), *(top / ARCHIVE for top in tops))
        return [*homes, *tops, *(each for each in inside if each.is_dir() and not each.is_symlink())]

    async def _reported(self, folders: list[Path]) -> AsyncGenerator[set[Path], None]:
        homes, watched = {str(home) for home in self._register.homes}, {str(folder) for folder in folders}
        async for changes in awatch(
            *folders,
            watch_filter=lambda _, path: path in watched or _matters(path, homes),
            debounce=DEBOUNCE_MS,
            step=STEP_MS,
            stop_event=self._stop,
            recursive=False,
            ignore_permission_denied=False,  # it would hide that there are no watches left
        ):
            yield {Path(path) for _, path in changes}

    async def _look_at_all(self) -> None:
        await self._handle([entry.folder / JOURNAL for entry in self._register.entries()])

    async def _handle(self, paths: Iterable[Path]) -> None:
        await self._publish(lambda: list(self._looked_at(paths)))

    def _looked_at(self, paths: Iterable[Path]) -> "Iterator[Change]":
        """A session that is known is read on; any other folder is looked at with its archive."""
        for folder in dict.fromkeys(path.parent if path.name in (JOURNAL, ARCHIVE) else path for path in paths):
            if self._register.knows(folder) and has_journal(folder):
                yield from self._register.refresh(folder)
            elif folder.parent.name != OWNERS:
                yield from self._register.look(folder.parent.parent if folder.parent.name == ARCHIVE else folder)


def _can_be_watched(folder: Path) -> bool:
    return written_path(folder) == str(folder) and os.access(folder, os.R_OK)


async def _repeated(seconds: float, look: Callable[[], Awaitable[None]]) -> None:
    while True:
        await asyncio.sleep(seconds)
        await look()


def _matters(path: str, homes: set[str]) -> bool:
    """Whether a changed path may be a session that is new, changed or gone."""
    folder, _, name = path.rpartition("/")
    return name in (JOURNAL, ARCHIVE) or folder in homes or folder.rpartition("/")[2] in (ARCHIVE, OWNERS)
