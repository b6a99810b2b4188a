"""The prompts and answers of a session. The oldest are deleted above a size, and an archive compresses them.

The journal holds the evidence for decisions. These files are for people, and for the current turn.
"""

import codecs
import gzip
import os
import shutil
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from dualgate.processes.private import open_private
from dualgate.store.atomic import opened, write_whole

CALLS = "calls"


class CallText(StrEnum):
    """The texts of a call, by the names that its files end with."""

    PROMPT = "prompt.md"
    ANSWER = "answer.txt"
    OUTPUT = "stderr.txt"
    """Other output of the agent's program."""


LOOK_EVERY = 20
"""Calls between two checks of the total size."""
ALWAYS_KEPT = 20
"""Number of newest calls that are never deleted: a resumed turn reads its answer."""
PACKED_FROM = 1 << 16
NEWEST = 12


class CallFiles:
    """The call files of one session. The folder is listed once, and written files are counted from then on.

    So a late call costs no more than an early one, although a long run has thousands of files.
    """

    def __init__(self, folder: Path, largest: int | None = None) -> None:
        self._session = folder
        self._largest = largest
        self._size: int | None = None
        self._newest: deque[str] | None = None

    @property
    def folder(self) -> Path:
        return self._session / CALLS

    def write(self, name: str, content: bytes, synced: bool = False) -> None:
        write_whole(self.folder / name, content, synced)
        if self._newest is not None and name not in self._newest:
            self._newest.append(name)
        if self._size is not None:
            self._size += len(content)

    def newest(self) -> tuple[str, ...]:
        """The names of the last few files."""
        if self._newest is None:
            self._newest = deque(last_names(self.folder), maxlen=NEWEST)
        return tuple(self._newest)

    def trim(self) -> None:
        """Delete the oldest files if the total is above the limit."""
        if self._largest is None:
            return
        if self._size is None:
            self._size = sum(size for _, size, _ in _files(self.folder))
        if self._size > self._largest:
            trim_calls(self._session, self._largest)
            self._size = None


def last_names(folder: Path) -> list[str]:
    """The newest names in the folder."""
    try:
        return sorted(os.listdir(folder))[-NEWEST:]  # noqa: PTH208 - thousands of names
    except OSError:
        return []


def trim_calls(folder: Path, largest: int) -> int:
    """Delete the files of the oldest calls until the others fit. Returns the bytes deleted; never raises."""
    files = sorted(_files(folder / CALLS), reverse=True)
    kept = sorted({number for number, _, _ in files})[-ALWAYS_KEPT:]
    total = freed = 0
    for number, size, path in files:
        total += size
        if total > largest and number not in kept:
            with suppress(OSError):
                path.unlink()
                freed += size
    return freed


def pack_calls(folder: Path) -> None:
    """Compress large files one by one. After an interruption each file exists plain or compressed."""
    for _, size, path in _files(folder / CALLS):
        if size < PACKED_FROM or path.suffix == ".gz":
            continue
        packed = path.with_name(f"{path.name}.gz")
        part = path.with_name(f".{packed.name}.{os.getpid()}")
        with suppress(OSError):  # a full disk must not keep the next session from starting
            with (
                path.open("rb") as plain,
                open(part, "wb", opener=open_private) as made,
                gzip.open(made, "wb", compresslevel=3) as to,
            ):
                shutil.copyfileobj(plain, to)
            part.replace(packed)
            path.unlink()


def files_of_call(folder: Path, number: int, name: CallText) -> list[Path]:
    """The files of a text of a call, plain or compressed; none if they were deleted."""
    return sorted(folder.glob(f"{number:04}-*-{name}*"))


def read_whole_text(path: Path) -> str | None:
    """A text, plain or compressed; None if it is deleted or damaged."""
    try:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError, zlib.error):
        return None
    return content.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a text, by the bytes of the file before it is compressed."""

    text: str
    offset: int
    size: int
    """The bytes of the whole text."""
    next: int | None
    """The offset of the next piece; None if this is the last one."""


def read_piece(path: Path, offset: int, most: int) -> Piece | None:
    """A piece of a text, plain or compressed, of at most so many bytes; None if it is deleted, damaged or a link."""
    try:
        if path.is_symlink():  # it could name a file of somebody else
            return None
        with opened(path) as file:
            size = _text_size(file, path.suffix == ".gz")
            content = _content(file, path.suffix == ".gz", offset, most)
    except (OSError, EOFError, zlib.error):
        return None
    is_last = len(content) < most or offset + len(content) >= size
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = decoder.decode(content, final=is_last)
    end = offset + len(content) - len(decoder.getstate()[0])  # half a character is left to the next piece
    return Piece(text=text, offset=offset, size=max(size, end), next=None if is_last else end)


def _text_size(file: BinaryIO, is_packed: bool) -> int:
    size = file.seek(0, os.SEEK_END)
    if not is_packed:
        return size
    file.seek(max(0, size - 4))
    return int.from_bytes(file.read(4), "little")  # gzip ends with it


def _content(file: BinaryIO, is_packed: bool, offset: int, most: int) -> bytes:
    file.seek(0)
    if is_packed:
        with gzip.open(file) as unpacked:
            unpacked.seek(offset)
            return unpacked.read(most)
    file.seek(offset)
    return file.read(most)


def _files(folder: Path) -> Iterator[tuple[int, int, Path]]:
    """Call number, size and path of each call file."""
    with suppress(OSError):
        for path in list(folder.iterdir()):
            number = path.name.partition("-")[0]
            if number.isdigit():
                yield int(number), path.lstat().st_size, path
