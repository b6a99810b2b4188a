"""Write the journal: JSON lines, appended and synced. All other session files are made from it."""

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.events import Event
from dualgate.errors import JournalDamaged, StoreFailed
from dualgate.processes.private import make_private
from dualgate.store.as_left import digest_beside
from dualgate.store.atomic import marks_of, opened, read_whole, refused, write_whole
from dualgate.store.codec import Record, digest_before, stored_line
from dualgate.store.lines import CHECKPOINT, JOURNAL, end_of_last_line, last_line
from dualgate.store.owners import boot
from dualgate.store.results import ResultWriter
from dualgate.store.seals import (
    Seal,
    digest_of,
    is_torn_at,
    read_seal,
    seal_place,
    without_last,
    write_seal,
)

FORGED = "journal.forged"


class Journal:
    """Appends events for one owner. `is_owner` is called before every append, so that a former owner cannot write.

    Events are redacted before they are written; `append` returns the event as written. If another process changes
    the file, it is restored from a copy that has no name.
    """

    def __init__(
        self,
        path: Path,
        epoch: int,
        is_owner: Callable[[], bool],
        seq: int = 0,
        redactor: Redactor | None = None,
        seal: Path | None = None,
    ) -> None:
        self._path = path
        self._epoch = epoch
        self._is_owner = is_owner
        self.seq = seq
        self._redactor = redactor or Redactor()
        self._results = ResultWriter()
        self._seal = seal
        self._before = ""
        self._before_that = ""
        self._checkpoint = ""
        self._left: tuple[int, ...] = ()
        self._copy: int | None = None

    def append(self, event: Event) -> Record:
        if not self._is_owner():
            raise JournalDamaged(
                f"{self._path} belongs to another run now; nothing was written.", "See it with: dualgate status"
            )
        try:
            self._take_up()
            self.restore()
            record = Record(seq=self.seq + 1, epoch=self._epoch, event=event, before=self._before)
            shortened, results = self._results.taken_out(event)
            line = stored_line(record, shortened, results)
            if self._redactor.suspects(line.decode()):  # referenced results are already redacted
                record = replace(record, event=self._redactor.value(event))
                shortened, results = self._results.taken_out(record.event)
                line = stored_line(record, shortened, results)
            self._write(line)
        except OSError as error:
            raise refused(self._path, error) from error
        self.seq = record.seq
        self._before_that, self._before = self._before, digest_of(line[:-1])
        self._results.written(record.seq, record.event, results)
        self._sealed()
        return record

    @property
    def digest(self) -> str:
        """The digest of the last line."""
        return self._before

    def keep_checkpoint(self, content: bytes) -> None:
        """Write the checkpoint, and its digest into the seal. A failed write is ignored: it is a cache."""
        if self._seal is None:
            return
        with suppress(StoreFailed):
            write_whole(self._path.with_name(CHECKPOINT), content)
            self._checkpoint = digest_of(content)
            self._sealed()

    def restore(self) -> bool:
        """Restore the file if another process changed it, and keep the changed one. Returns whether it was changed."""
        if self._copy is None or _state(self._path) == self._left:
            return False
        truth = os.pread(self._copy, os.fstat(self._copy).st_size, 0)
        is_forged = not _holds(self._path, truth)
        if is_forged:
            _put_aside(self._path)
            write_whole(self._path, truth)
            _sync(self._path)
        self._left = _state(self._path)
        return is_forged

    def _take_up(self) -> None:
        """Before the first append: cut off a torn last line and copy the rest."""
        if self._copy is not None:
            return
        make_private(self._path.parent)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "rb") as file, tempfile.TemporaryFile() as copy:
            _cut(descriptor)
            shutil.copyfileobj(file, copy)
            last = last_line(descriptor)
            self._copy = os.dup(copy.fileno())
        weakref.finalize(self, os.close, self._copy)
        self._before = digest_of(last) if last else ""
        self._before_that = digest_before(last) if last else ""
        self._left = _state(self._path)
        self._checkpoint = known.checkpoint if self._seal and (known := read_seal(self._seal)) else ""
        self._sealed()

    def _sealed(self) -> None:
        if self._seal is not None:
            seal = Seal(seq=self.seq, digest=self._before, before=self._before_that, checkpoint=self._checkpoint)
            write_seal(self._seal, seal)

    def _write(self, line: bytes) -> None:
        """Write the whole line or nothing: a partial write is cut off again."""
        assert self._copy is not None
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND)
        ends = [(each, os.fstat(each).st_size) for each in (self._copy, descriptor)]
        try:
            os.lseek(self._copy, 0, os.SEEK_END)
            for each, _ in ends:
                if os.write(each, line) != len(line):
                    raise OSError(28, "No space left on device")
            os.fsync(descriptor)
        except OSError:
            for each, end in ends:
                os.ftruncate(each, end)
            raise
        finally:
            self._left = marks_of(os.fstat(descriptor))
            os.close(descriptor)


def _state(path: Path) -> tuple[int, ...]:
    try:
        return marks_of(path.stat())
    except OSError:
        return ()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fchmod(descriptor, 0o600)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _holds(path: Path, content: bytes) -> bool:
    """Whether a file has this content. A new hard link or other permissions change its marks, but not its content."""
    try:
        return read_whole(path) == content
    except OSError:
        return False


def _put_aside(path: Path) -> None:
    """Keep the changed journal under another name, for a person to look at."""
    names = (path.with_name(f"{FORGED}-{number}") for number in range(1, 1000))
    name = next((name for name in names if not name.exists()), path.with_name(f"{FORGED}-last"))
    with suppress(OSError):
        if path.is_dir():
            path.rename(name)
        elif path.is_file():
            os.link(path, name, follow_symlinks=False)


def incomplete_line(folder: Path) -> str:
    """The damage to the last line of a journal that no run owns, in words; empty if it is complete.

    A crash leaves a part of a line that was never acknowledged. A sealed line can only lose its end with the power.
    """
    path = folder / JOURNAL
    try:
        content = read_whole(path)
    except OSError:
        return ""
    if not content or content.endswith(b"\n"):
        return ""
    number, seal = content.count(b"\n") + 1, read_seal(seal_place(folder))
    if seal is not None and seal.seq >= number and seal.boot == boot():
        return (
            f"line {number} of the journal was cut after it was written and sealed: somebody changed {path}; "
            "its event is dropped, and the session continues from the line before it"
        )
    return f"line {number} of the journal is incomplete, as a crash leaves it, and is dropped"


def cut_torn_line(folder: Path) -> bool:
    """Cut off the partial last line that a crash left. Returns whether there was one.

    Only for the owner of the session: to others, a line that is being written looks torn.
    """
    path = folder / JOURNAL
    try:
        descriptor = os.open(path, os.O_RDWR)
        try:
            is_torn = end_of_last_line(descriptor, size := os.fstat(descriptor).st_size) != size
            if is_torn:
                _unseal_last(folder)
            _cut(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise refused(path, error) from error
    return is_torn


def _unseal_last(folder: Path) -> None:
    """If the torn line is the sealed one, seal the line before it, so that the torn line is not reported as missing."""
    place = seal_place(folder)
    seal = read_seal(place)
    if seal is not None and is_torn_at(seal, read_whole(folder / JOURNAL).count(b"\n")):
        write_seal(place, without_last(seal))


def _cut(descriptor: int) -> None:
    size = os.fstat(descriptor).st_size
    whole = end_of_last_line(descriptor, size)
    if whole != size:
        os.ftruncate(descriptor, whole)
        os.fsync(descriptor)


def close_seal(folder: Path) -> None:
    """Close the seal when the owner ends: any line after the last one is then foreign."""
    place = seal_place(folder)
    seal = read_seal(place)
    if seal is None or not seal.open:
        return
    with suppress(OSError), opened(folder / JOURNAL) as journal:
        if digest_of(last_line(journal.fileno())) == seal.digest:
            write_seal(place, replace(seal, open=False, beside=digest_beside(folder)))
