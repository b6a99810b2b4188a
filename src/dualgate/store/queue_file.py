"""The queue of a repository: one JSON line for each event, appended and synced, for the owner alone.

A line counts when its line break is written: a line that a killed writer began is cut off by the next writer.
While a queue runs, only that process writes how jobs stand. People add and remove jobs meanwhile.
"""

import fcntl
import itertools
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from dualgate.core.queue.history import queue_after, queue_of
from dualgate.core.values.queue import QUEUE_KINDS, JobAdded, JobRemoved, Queue, QueueEvent
from dualgate.errors import JournalDamaged, SessionLocked
from dualgate.processes.private import make_private, open_private
from dualgate.store.atomic import read_whole, refused, write_whole
from dualgate.store.codec import UNREADABLE, encode_json
from dualgate.store.home import QUEUES, own_name, sessions_home
from dualgate.store.lines import end_of_last_line
from dualgate.store.owners import described, epoch_of, is_alive, read_owner, write_nobody, write_owner

FORMAT = 1
_NO_EVENT = (*UNREADABLE, KeyError)
_MOST_KEPT = 10
"""How many forged files a run of the queue keeps."""


class _Line(msgspec.Struct):
    format: int
    kind: str
    data: msgspec.Raw = msgspec.Raw()


class QueueFile:
    """The events of a queue. Everybody may append; a lock keeps two writers apart for the time of one change."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.forgeries = 0
        """How often a program changed the file in another way than people may, since `watch` was called."""
        self._threads = threading.RLock()
        self._known: bytes | None = None
        self._tell: Callable[[str], None] = lambda _: None

    def watch(self, tell: Callable[[str], None]) -> None:
        """From now on this process runs the queue. Changes by others are reported; those that are no added or removed
        jobs are reverted."""
        with self._threads:
            self._known, self._tell = self._content(), tell

    def read(self) -> Queue:
        with self._threads:
            content = self._content()
            if self._known is not None and content != self._known:
                with self._locked() as descriptor:
                    content = self._screened(descriptor)
        return self._queue(content)

    def change(self, made: Callable[[Queue], Sequence[QueueEvent]]) -> Queue:
        """Append the events that `made` makes of the queue as it is, while no one else can; returns the new queue."""
        with self._threads, self._locked() as descriptor:
            queue = self._queue(self._screened(descriptor))
            events = tuple(made(queue))
            self._append(descriptor, events)
        for event in events:
            queue = queue_after(queue, event)
        return queue

    @contextmanager
    def _locked(self) -> Iterator[int]:
        """The file, while no other process changes it."""
        try:
            make_private(self.path.parent)
            if self._known is not None and self.path.is_symlink():
                self.path.unlink()  # a program made it, and the file that it leads to must not be written
            descriptor = open_private(str(self.path), os.O_RDWR | os.O_CREAT | os.O_APPEND)
        except OSError as error:
            raise refused(self.path, error) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield descriptor
        finally:
            os.close(descriptor)

    def _content(self) -> bytes:
        """All whole lines."""
        try:
            content = read_whole(self.path)
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise JournalDamaged(f"{self.path} cannot be read: {error.strerror}.", "Make it readable.") from error
        return content[: content.rfind(b"\n") + 1]

    def _queue(self, content: bytes) -> Queue:
        return queue_of(self._decoded(number, line) for number, line in enumerate(content.splitlines(), 1))

    def _screened(self, descriptor: int) -> bytes:
        """The lines of the file; if this process runs the queue, without those that it alone could have written."""
        content, known = self._content(), self._known
        if known is None or content == known:
            return content
        is_longer = content.startswith(known)
        others = content[len(known) :].splitlines(keepends=True) if is_longer else []
        events = [(line, event) for line in others if (event := _by_a_person(line))]
        self._known = known + b"".join(line for line, _ in events)
        if self._known != content:
            self.forgeries += 1
            if self.forgeries <= _MOST_KEPT:
                forged = self._free_place()
                write_whole(forged, content)
                self._tell(f"a program changed the file of the queue; the change is reverted, and kept in {forged}")
            self._rewrite(descriptor, self._known, len(known) if is_longer else 0)
        for _, event in events:
            self._tell(f"{event.id}: {'added or changed' if isinstance(event, JobAdded) else 'removed'} by {event.by}")
        return self._known

    def _free_place(self) -> Path:
        """The next place for a forged file; those of earlier runs stay."""
        places = (self.path.with_suffix(f".forged-{number}") for number in itertools.count(1))
        return next(place for place in places if not os.path.lexists(place))

    def _rewrite(self, descriptor: int, content: bytes, same: int) -> None:
        """Write other content behind what is the same: a kill between the steps must not cost the queue."""
        try:
            os.ftruncate(descriptor, same)
            if os.write(descriptor, content[same:]) != len(content) - same:
                raise OSError(28, "No space left on device")
            os.fsync(descriptor)
        except OSError as error:
            raise refused(self.path, error) from error

    def append(self, *events: QueueEvent) -> Queue:
        return self.change(lambda _: events)

    def _append(self, descriptor: int, events: Sequence[QueueEvent]) -> None:
        """Write all lines or none: a partial write is cut off again."""
        size = os.fstat(descriptor).st_size
        end = end_of_last_line(descriptor, size)
        lines = b"".join(_encoded(event) for event in events)
        try:
            if end < size:
                os.ftruncate(descriptor, end)
            if lines and os.write(descriptor, lines) != len(lines):
                raise OSError(28, "No space left on device")
            os.fsync(descriptor)
        except OSError as error:
            os.ftruncate(descriptor, end)
            raise refused(self.path, error) from error
        if self._known is not None:
            self._known += lines

    def _decoded(self, number: int, line: bytes) -> QueueEvent:
        try:
            found = msgspec.json.decode(line, type=_Line)
            if found.format > FORMAT:
                raise JournalDamaged(
                    f"{self.path}:{number}: a newer dualgate wrote this queue, in format {found.format}.",
                    "Update dualgate, or move the file away and add the specifications again.",
                )
            return msgspec.json.decode(found.data, type=QUEUE_KINDS[found.kind])
        except _NO_EVENT as error:
            raise JournalDamaged(
                f"{self.path}:{number}: the line is no event of a queue: {error}.",
                "Delete that line, or move the file away and add the specifications again.",
            ) from error


def _by_a_person(line: bytes) -> JobAdded | JobRemoved | None:
    """The event of a line, if people make such events while a queue runs."""
    with suppress(*_NO_EVENT):
        found = msgspec.json.decode(line, type=_Line)
        event = msgspec.json.decode(found.data, type=QUEUE_KINDS[found.kind])
        return event if isinstance(event, JobAdded | JobRemoved) else None
    return None


def _encoded(event: QueueEvent) -> bytes:
    return encode_json({"format": FORMAT, "kind": event.kind, "data": event}) + b"\n"


def queue_place(root: Path, environment: Mapping[str, str]) -> Path:
    """The file of a repository's queue, in the home folder: it is the same for all worktrees of the repository."""
    return sessions_home(environment) / QUEUES / f"{own_name(root)}.jsonl"


def logs_place(queue: Path) -> Path:
    """The folder for the output of the jobs' processes."""
    return queue.with_suffix(".logs")


def queue_owner(queue: Path) -> dict[str, Any] | None:
    """The owner record of the process that runs a queue; None if none does."""
    said = read_owner(_record(queue))
    return said if is_alive(said) else None


@contextmanager
def owned_queue(queue: Path, root: Path, environment: Mapping[str, str], now: datetime) -> Iterator[None]:
    """Run a queue until the block ends. Raises SessionLocked, which names the owner, if another process runs it."""
    record = _record(queue)
    try:
        make_private(queue.parent)
        descriptor = open_private(str(queue.with_suffix(".lock")), os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise refused(queue, error) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise SessionLocked(
                f"Another 'dualgate queue run' works on the queue of {root}: {described(read_owner(record))}.",
                "See its jobs with 'dualgate queue list'. Ctrl+C where it runs pauses them.",
            ) from error
        epoch = epoch_of(read_owner(record)) + 1
        write_owner(record, epoch, root, queue, now, environment)
        try:
            yield
        finally:
            write_nobody(record, epoch)
    finally:
        os.close(descriptor)


def _record(queue: Path) -> Path:
    return queue.with_suffix(".owner.json")
