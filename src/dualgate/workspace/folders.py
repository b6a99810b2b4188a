"""The content of each folder at the last look <-> bytes, so that the next process need not read all files."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from dualgate.workspace.trees import MISSING, Rows

Stamp = tuple[int, int, int, int]
"""Change time, size, inode number and mode of a path."""
UNSETTLED = -1
"""Replaces a change time that is too recent: the path may change again without a new one. It equals no time."""
FORMAT = b"2"
_Kept = list[tuple[bytes, str, bytes, bytes, bytes, bytes, list[int]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenFolder:
    """The paths in a folder at the last look. The other fields are valid while no stamp changes."""

    stamps: Mapping[str, Stamp]
    inner: tuple[str, ...] = ()
    """Subfolders that are looked into."""
    ignored: tuple[str, ...] = ()
    unkept: tuple[str, ...] = ()
    """Paths that cannot be restored."""
    files: Rows | None = None
    """The entries of all paths that are neither ignored nor looked into; None if they must be loaded from the tree."""
    digest: str = MISSING
    """The digest of its tree."""


def encoded(folders: Mapping[str, SeenFolder]) -> bytes:
    import msgspec

    kept: _Kept = [
        (
            os.fsencode(path),
            folder.digest,
            _joined(folder.stamps),
            _joined(folder.inner),
            _joined(folder.ignored),
            _joined(folder.unkept),
            [number for stamp in folder.stamps.values() for number in stamp],
        )
        for path, folder in folders.items()
    ]
    content = msgspec.msgpack.encode(kept)
    return sha256(content).digest() + content


def decoded(content: bytes) -> dict[str, SeenFolder]:
    """Empty if the bytes are damaged: they only save work."""
    import msgspec

    if sha256(content[32:]).digest() != content[:32]:
        return {}
    folders: dict[str, SeenFolder] = {}
    for path, digest, names, inner, ignored, unkept, numbers in msgspec.msgpack.decode(content[32:], type=_Kept):
        each = iter(numbers)
        folders[os.fsdecode(path)] = SeenFolder(
            stamps=dict(zip(_split(names), zip(each, each, each, each, strict=True), strict=True)),
            inner=_split(inner),
            ignored=_split(ignored),
            unkept=_split(unkept),
            digest=digest,
        )
    return folders


def _joined(names: Iterable[str]) -> bytes:
    return os.fsencode("\0".join(names))


def _split(names: bytes) -> tuple[str, ...]:
    return tuple(os.fsdecode(names).split("\0")) if names else ()
