"""Watch the session folders: changes on disk -> the register -> the feed. Nothing in them is written.

The kernel reports changes. Where it has no watches left, the journals are looked at instead.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from watchfiles import awatch
from watchfiles._rust_notify import WatchfilesRustInternalError

from dualgate.store.archive import ARCHIVE
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
        self.loaded = False
        """Whether all sessions were read once."""
        self.polls = not pace.watches
        self.failure: ExceptionGroup[Exception] | None = None
        """A bug that ended the watching."""
        self.at_failure: Callable[[], None] = lambda: None

    async def run(self) -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._watch())
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
        self._feed.publish(await asyncio.to_thread(self._register.check_alive))

    async def _sweep(self) -> None:
        sweep = self._register.sweep()
        while (changes := await asyncio.to_thread(next, sweep, None)) is not None:
            self._feed.publish(changes)

    async def _watch(self) -> None:
        while not self.polls:
            try:
                await self._watch_roots(await asyncio.to_thread(self._roots))
            except FileNotFoundError:  # a folder is gone this very moment
                await asyncio.sleep(self._pace.poll)
            except (OSError, WatchfilesRustInternalError):  # no watches left
                self.polls = True
        await _repeated(self._pace.poll, self._look_at_all)

    async def _watch_roots(self, roots: list[Path]) -> None:
        """Handle changes until there are other folders to watch."""
        if not roots:
            await asyncio.sleep(self._pace.poll)
            await self._sweep()
            return
        async for paths in self._reported(roots):
            await self._handle(paths)
            if any(path.parent.name == OWNERS for path in paths) and roots != await asyncio.to_thread(self._roots):
                return

    def _roots(self) -> list[Path]:
        """The folders to watch, each with all below it."""
        homes = [home for home in self._register.homes if home.is_dir()]
        return [*homes, *(top for top in self._register.tops() if top.parent not in homes)]

    async def _reported(self, roots: list[Path]) -> AsyncIterator[set[Path]]:
        homes = {str(home) for home in self._register.homes}
        async for changes in awatch(
            *roots,
            watch_filter=lambda _, path: _matters(path, homes),
            debounce=DEBOUNCE_MS,
            step=STEP_MS,
            stop_event=self._stop,
            ignore_permission_denied=True,
        ):
            yield {Path(path) for _, path in changes}

    async def _look_at_all(self) -> None:
        await self._handle([entry.folder / JOURNAL for entry in self._register.entries()])

    async def _handle(self, paths: Iterable[Path]) -> None:
        self._feed.publish(await asyncio.to_thread(lambda: list(self._looked_at(paths))))

    def _looked_at(self, paths: Iterable[Path]) -> "Iterator[Change]":
        """A session that is known is read on; any other folder is looked at with its archive."""
        for folder in dict.fromkeys(path.parent if path.name == JOURNAL else path for path in paths):
            if self._register.knows(folder) and (folder / JOURNAL).exists():
                yield from self._register.refresh(folder)
            elif folder.parent.name != OWNERS:
                yield from self._register.look(folder.parent.parent if folder.parent.name == ARCHIVE else folder)


async def _repeated(seconds: float, look: Callable[[], Awaitable[None]]) -> None:
    while True:
        await asyncio.sleep(seconds)
        await look()


def _matters(path: str, homes: set[str]) -> bool:
    """Whether a changed path may be a session that is new, changed or gone."""
    folder, _, name = path.rpartition("/")
    return name == JOURNAL or folder in homes or folder.rpartition("/")[2] in (ARCHIVE, OWNERS)
