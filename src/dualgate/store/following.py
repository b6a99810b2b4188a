"""Follow a journal while its run is at work: new events as they are written, and a sign for each change."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from dualgate.errors import SessionMissing
from dualgate.store.codec import Record
from dualgate.store.reading import journal_mark, tail

LOOK_SECONDS = 0.25
"""Between two looks at the journal: four a second. A look that finds it unchanged reads nothing."""
Wait = Callable[[float], None]


def follow(folder: Path, after: int, is_alive: Callable[[], bool], wait: Wait = time.sleep) -> Iterator[Record]:
    """The events after number `after`, and those to come, until the run ends or another session takes the folder."""
    inode = journal_mark(folder)[0]
    for mark in _marks(folder, is_alive, wait):
        if mark[0] != inode:
            return
        for record in tail(folder, after):
            after = record.seq
            yield record


def changes_of(
    folder: Path, is_alive: Callable[[], bool], wait: Wait = time.sleep, is_due: Callable[[], bool] = lambda: False
) -> Iterator[bool]:
    """True at once and for each change of the journal, until the run ends; False where `is_due` asks for a sign."""
    seen = None
    for mark in _marks(folder, is_alive, wait, is_due):
        yield mark != seen
        seen = mark


def _marks(
    folder: Path, is_alive: Callable[[], bool], wait: Wait, is_due: Callable[[], bool] = lambda: False
) -> Iterator[tuple[int, int, int]]:
    """The mark of the journal, and each new one. The last look is made after the run has ended."""
    seen = journal_mark(folder)
    yield seen
    goes_on = True
    while goes_on:
        goes_on = is_alive()
        with suppress(SessionMissing):  # it was archived this very moment
            if (mark := journal_mark(folder)) != seen or is_due():
                seen = mark
                yield mark
        if goes_on:
            wait(LOOK_SECONDS)
