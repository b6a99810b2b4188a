"""A journal read: all of it, its first line, or what is new. It takes no right to the session, and changes nothing."""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dualgate.core.machine.history import apply, begin, first_of
from dualgate.core.values.events import SessionStarted
from dualgate.core.values.state import LoopState
from dualgate.errors import DualgateError, JournalDamaged, SessionMissing
from dualgate.store.atomic import opened, read_whole
from dualgate.store.codec import Record, decode, stored_results
from dualgate.store.lines import JOURNAL, WHAT_TO_DO, Lines
from dualgate.store.results import ResultReader
from dualgate.store.seals import Chain, is_chain, misfit, read_seal, seal_place

_HASHED = re.compile(r"-[0-9a-f]{12}$")


class StoredJournal:
    """The whole lines of a journal as they are when this is made; a torn last one is what a crash leaves."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / JOURNAL
        self._place = seal_place(folder)
        self.seal = read_seal(self._place)
        try:
            *self._lines, self._torn = read_whole(self._path).split(b"\n")
        except OSError as error:
            raise unreadable(folder, error) from error

    def first(self) -> SessionStarted:
        return first_of(_decoded(self._path, 1, self._lines[0]).event if self._lines else None)

    def records(self, after: int = 0) -> Iterator[Record]:
        """Those behind a number. A line that is not as it was written is an error that names it, as far as digests and
        a seal are there."""
        chain = Chain(self._lines[after - 1], after) if after else Chain()
        results = ResultReader(lambda seq: stored_results(self._lines[seq - 1]))
        for line in self._lines[after:]:
            yield _next(self._path, chain, line, results)
        if found := misfit(self._lines, self.seal, read_seal(self._place), is_torn=bool(self._torn)):
            raise JournalDamaged(f"{self._path}:{found[0]}: {found[1]}.", WHAT_TO_DO)

    def holds(self, seq: int, digest: str) -> bool:
        """Whether each of the first lines holds the digest of the one before it, and the last of them has this one."""
        return is_chain(self._lines[:seq], digest) if 0 < seq <= len(self._lines) else False


def read_journal(folder: Path) -> Iterator[Record]:
    yield from StoredJournal(folder).records()


def tail(folder: Path, after: int = 0) -> list[Record]:
    """The events behind number `after`, oldest first. A line that is being written comes with the next call.

    It costs what is new, however long the journal is: the lines before are neither read nor checked, but for those
    that the new ones refer to and for the digest of line `after`.
    """
    path = folder / JOURNAL
    try:
        with opened(path) as file:
            lines = Lines(path, file.fileno())
            chain = Chain(lines.line(after) if after else b"", after)
            results = ResultReader(lambda seq: stored_results(lines.line(seq)))
            return [_next(path, chain, line, results) for line in lines.after(after)]
    except OSError as error:
        raise unreadable(folder, error) from error


def _next(path: Path, chain: Chain, line: bytes, results: ResultReader) -> Record:
    record = _decoded(path, chain.number + 1, line, results)
    if problem := chain.break_at(line, record.before):
        raise JournalDamaged(f"{path}:{problem}", WHAT_TO_DO)
    return record


def _decoded(path: Path, number: int, line: bytes, results: ResultReader | None = None) -> Record:
    try:
        record = decode(line, results)
    except JournalDamaged as error:
        raise JournalDamaged(f"{path}:{number}: {error.message}.", error.next_step or WHAT_TO_DO) from error
    if record.seq != number:
        message = f"{path}:{number}: carries number {record.seq}; lines are missing or foreign."
        raise JournalDamaged(message, WHAT_TO_DO)
    return record


def journal_mark(folder: Path) -> tuple[int, int, int]:
    """Which file it is, how long, and when it was last written to: the same mark, the same events."""
    try:
        found = (folder / JOURNAL).stat()
    except OSError as error:
        raise unreadable(folder, error) from error
    return found.st_ino, found.st_size, found.st_mtime_ns


def first_record(folder: Path) -> Record | None:
    """The first whole line, without reading any other; None where there is none yet."""
    path = folder / JOURNAL
    try:
        with opened(path) as file:
            line = file.readline()
    except OSError as error:
        raise unreadable(folder, error) from error
    return _decoded(path, 1, line) if line.endswith(b"\n") else None


def unreadable(folder: Path, error: OSError) -> DualgateError:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return SessionMissing(
            f"There is no session in {folder}.", f"{_moved(folder)}Start one with: dualgate run SPEC …"
        )
    return JournalDamaged(f"{folder / JOURNAL} cannot be read: {error.strerror}.", "Make it readable.")


def _moved(folder: Path) -> str:
    """Said where the plain name is that of a session whose project is not where it was: it may be this one."""
    plain = folder.with_name(_HASHED.sub("", folder.name))
    with suppress(DualgateError):
        first = first_record(plain) if plain != folder else None
        if first and isinstance(first.event, SessionStarted) and not Path(first.event.project).exists():
            where = first.event.project
            return f"If this project was moved, put it back to {where}, where its session in {plain} goes on. "
    return ""


def fold(records: Iterator[Record]) -> LoopState:
    """The state that the events make."""
    first = next(records, None)
    state = begin(first_of(first.event if first else None))
    for record in records:
        state = apply(state, record.event)
    return state
