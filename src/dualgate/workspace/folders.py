"""What was seen in each folder of a work tree, kept for the next program."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from dualgate.workspace.trees import MISSING, Rows

Stamp = tuple[int, int, int, int]
"""Time of the last change, size, number and mode of a path."""
UNSETTLED = -1
"""In the place of a time, equal to none: the path may have changed after it was looked at without a new one."""
FORMAT = b"2"
_Kept = list[tuple[bytes, str, bytes, bytes, bytes, bytes, list[int]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenFolder:
    """All paths in a folder as they were seen; while each has the same stamp, the rest is as it was."""

    stamps: Mapping[str, Stamp]
    inner: tuple[str, ...] = ()
    """Folders in it that are looked into."""
    ignored: tuple[str, ...] = ()
    unkept: tuple[str, ...] = ()
    """Files whose content could not be kept."""
    files: Rows | None = None
    """The entries of the others; None: they are in its tree."""
    digest: str = MISSING
    """Its tree."""


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
    """Nothing where a byte of it turned: it is only there to save work."""
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
