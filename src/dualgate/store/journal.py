"""The journal: JSON lines, appended and synced, the only truth. Everything else in a session is made from it."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from dualgate.core.history import Event, SessionStarted, apply, begin
from dualgate.core.state import LoopState
from dualgate.errors import JournalDamaged, SessionMissing
from dualgate.store.atomic import refused
from dualgate.store.codec import Record, decode, encode

JOURNAL = "journal.jsonl"


class Journal:
    """One owner's end of the journal; `is_owner` is asked before every append, so that a stale one cannot write."""

    def __init__(self, path: Path, epoch: int, is_owner: Callable[[], bool], seq: int = 0) -> None:
        self._path = path
        self._epoch = epoch
        self._is_owner = is_owner
        self.seq = seq

    def append(self, event: Event) -> Record:
        if not self._is_owner():
            raise JournalDamaged(
                f"{self._path} belongs to another run now; nothing was written.", "See it with: dualgate status"
            )
        record = Record(seq=self.seq + 1, epoch=self._epoch, event=event)
        try:
            self._write(encode(record))
        except OSError as error:
            raise refused(self._path, error) from error
        self.seq = record.seq
        return record

    def _write(self, line: bytes) -> None:
        """All of the line or nothing: what a full disk cut short is taken back."""
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            end = os.fstat(descriptor).st_size
            try:
                if os.write(descriptor, line) != len(line):
                    raise OSError(28, "No space left on device")
                os.fsync(descriptor)
            except OSError:
                os.ftruncate(descriptor, end)
                raise
        finally:
            os.close(descriptor)


def read_journal(folder: Path) -> Iterator[Record]:
    """All whole lines; a torn last one is what a crash leaves, and is passed over."""
    path = folder / JOURNAL
    try:
        lines = path.read_bytes().split(b"\n")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise SessionMissing(f"There is no session in {folder}.", "Start one with: dualgate run SPEC …") from error
    except OSError as error:
        raise JournalDamaged(f"{path} cannot be read: {error.strerror}.") from error
    *whole, _torn = lines
    for number, line in enumerate(whole, 1):
        try:
            record = decode(line)
        except JournalDamaged as error:
            raise JournalDamaged(f"{path}:{number}: {error.message}", error.next_step) from error
        if record.seq != number:
            raise JournalDamaged(f"{path}:{number}: carries number {record.seq}; lines are missing or foreign.")
        yield record


def fold(records: Iterator[Record]) -> LoopState:
    """The state that the events make."""
    first = next(records, None)
    if first is None or not isinstance(first.event, SessionStarted):
        raise JournalDamaged("The journal does not begin with the start of a session.")
    state = begin(first.event)
    for record in records:
        state = apply(state, record.event)
    return state
