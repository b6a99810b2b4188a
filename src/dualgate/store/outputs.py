"""The prompts and answers of a session: the oldest give way when they grow too large, and an archive packs them.

The journal holds what decisions were made from. These files are for people, and for the turn that is under way.
"""

import gzip
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

CALLS = "calls"
LOOK_EVERY = 20
"""Calls between two looks at the size of all of them, so that a look costs a late call no more than an early one."""
ALWAYS_KEPT = 20
"""Calls, the newest: a turn that is resumed reads its answer."""
PACKED_FROM = 1 << 16


def trim_calls(folder: Path, largest: int) -> int:
    """Remove the files of the oldest calls until the others fit. Answers how many bytes went; it never fails."""
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
    """Pack what is large, file by file: each is there plain or packed, whenever this is broken off."""
    for _, size, path in _files(folder / CALLS):
        if size < PACKED_FROM or path.suffix == ".gz":
            continue
        packed = path.with_name(f"{path.name}.gz")
        part = path.with_name(f".{packed.name}.{os.getpid()}")
        with suppress(OSError):  # a full disk is no reason not to begin the next session
            with path.open("rb") as plain, gzip.open(part, "wb", compresslevel=3) as to:
                shutil.copyfileobj(plain, to)
            part.replace(packed)
            path.unlink()


def _files(folder: Path) -> Iterator[tuple[int, int, Path]]:
    """The number of the call, the size and the path of each file that is ours."""
    with suppress(OSError):
        for path in list(folder.iterdir()):
            number = path.name.partition("-")[0]
            if number.isdigit():
                yield int(number), path.lstat().st_size, path
