"""The queue of a repository: one JSON line for each event, appended and synced, for the owner alone.

A line counts when its line break is written: a line that a killed writer began is cut off by the next writer.
"""

import fcntl
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from dualgate.core.queue.history import queue_after, queue_of
from dualgate.core.values.queue import QUEUE_KINDS, Queue, QueueEvent
from dualgate.errors import JournalDamaged, SessionLocked
from dualgate.processes.private import make_private, open_private
from dualgate.store.atomic import read_whole, refused
from dualgate.store.codec import encode_json
from dualgate.store.home import own_name, sessions_home
from dualgate.store.lines import end_of_last_line
from dualgate.store.owners import described, epoch_of, is_alive, read_owner, write_nobody, write_owner

FORMAT = 1
QUEUES = ".queues"


class _Line(msgspec.Struct):
    format: int
    kind: str
    data: msgspec.Raw = msgspec.Raw()


class QueueFile:
    """The events of a queue. Everybody may append; a lock keeps two writers apart for the time of one change."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Queue:
        try:
            content = read_whole(self.path)
        except FileNotFoundError:
            return Queue()
        except OSError as error:
            raise JournalDamaged(f"{self.path} cannot be read: {error.strerror}.", "Make it readable.") from error
        whole = content[: content.rfind(b"\n") + 1]
        return queue_of(self._decoded(number, line) for number, line in enumerate(whole.splitlines(), 1))

    def change(self, made: Callable[[Queue], Sequence[QueueEvent]]) -> Queue:
        """Append the events that `made` makes of the queue as it is, while no one else can; returns the new queue."""
        try:
            make_private(self.path.parent)
            descriptor = open_private(str(self.path), os.O_RDWR | os.O_CREAT | os.O_APPEND)
        except OSError as error:
            raise refused(self.path, error) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            queue = self.read()
            events = tuple(made(queue))
            self._append(descriptor, events)
        finally:
            os.close(descriptor)
        for event in events:
            queue = queue_after(queue, event)
        return queue

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

    def _decoded(self, number: int, line: bytes) -> QueueEvent:
        try:
            found = msgspec.json.decode(line, type=_Line)
            if found.format > FORMAT:
                raise JournalDamaged(
                    f"{self.path}:{number}: a newer dualgate wrote this queue, in format {found.format}.",
                    "Update dualgate, or move the file away and add the specifications again.",
                )
            return msgspec.json.decode(found.data, type=QUEUE_KINDS[found.kind])
        except (msgspec.MsgspecError, UnicodeDecodeError, KeyError) as error:
            raise JournalDamaged(
                f"{self.path}:{number}: the line is no event of a queue: {error}.",
                "Delete that line, or move the file away and add the specifications again.",
            ) from error


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
