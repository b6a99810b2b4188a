"""Read a journal: all of it, its first line, or only the new lines. Any process may read; nothing is changed."""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dualgate.core.values.events import Event, SessionStarted
from dualgate.errors import DualgateError, JournalDamaged, SessionMissing
from dualgate.store.atomic import opened, read_whole
from dualgate.store.codec import Record, decode, stored_results
from dualgate.store.lines import JOURNAL, WHAT_TO_DO, Lines
from dualgate.store.results import ResultReader
from dualgate.store.seals import Chain, Seal, is_chain, misfit, read_seal, seal_place

_HASHED = re.compile(r"-[0-9a-f]{12}$")


class StoredJournal:
    """The complete lines of a journal at one moment. A torn last line, left by a crash, is skipped."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / JOURNAL
        self._place = seal_place(folder)
        self.seal = read_seal(self._place)
        try:
            *self._lines, self._torn = read_whole(self._path).split(b"\n")
        except OSError as error:
            raise unreadable(folder, error) from error

    def first(self) -> Event | None:
        return _decoded(self._path, 1, self._lines[0]).event if self._lines else None

    def records(self, after: int = 0) -> Iterator[Record]:
        """The events after number `after`. Raises JournalDamaged, which names a changed, foreign or missing line."""
        chain = Chain(self._lines[after - 1], after) if after else Chain()
        results = ResultReader(lambda seq: stored_results(self._lines[seq - 1]))
        for line in self._lines[after:]:
            yield _next(self._path, chain, line, results)
        if found := misfit(self._lines, self.seal, read_seal(self._place), is_torn=bool(self._torn)):
            raise JournalDamaged(f"{self._path}:{found[0]}: {found[1]}.", WHAT_TO_DO)

    def holds(self, seq: int, digest: str) -> bool:
        """Whether the first `seq` lines are an unbroken chain that ends with this digest."""
        return is_chain(self._lines[:seq], digest) if 0 < seq <= len(self._lines) else False

    def is_whole(self, seal: Seal) -> bool:
        """Whether the journal is an unbroken chain that ends with the sealed line."""
        return not self._torn and len(self._lines) == seal.seq and self.holds(seal.seq, seal.digest)


def read_journal(folder: Path) -> Iterator[Record]:
    yield from StoredJournal(folder).records()


def tail(folder: Path, after: int = 0) -> list[Record]:
    """The events after number `after`, oldest first. A line that is still being written is returned by the next call.

    The cost depends on the new lines only: of the older lines, only line `after` is read, for its digest, and those
    that new lines refer to. The seal is not checked.
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
    except RecursionError as error:
        raise JournalDamaged(f"{path}:{number}: its values are nested too deep.", WHAT_TO_DO) from error
    if record.seq != number:
        message = f"{path}:{number}: carries number {record.seq}; lines are missing or foreign."
        raise JournalDamaged(message, WHAT_TO_DO)
    return record


def journal_mark(folder: Path) -> tuple[int, int, int]:
    """Inode, size and time of the last write: if the mark is the same, so are the events."""
    try:
        found = (folder / JOURNAL).stat()
    except OSError as error:
        raise unreadable(folder, error) from error
    return found.st_ino, found.st_size, found.st_mtime_ns


def first_record(folder: Path) -> Record | None:
    """The first line, without reading the others; None if the journal is empty."""
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
    """A hint: the unhashed session belongs to a path that is gone; perhaps this project was moved."""
    plain = folder.with_name(_HASHED.sub("", folder.name))
    with suppress(DualgateError):
        first = first_record(plain) if plain != folder else None
        if first and isinstance(first.event, SessionStarted) and not Path(first.event.project).exists():
            where = first.event.project
            return f"If this project was moved, move it back to {where} to continue its session in {plain}. "
    return ""
