"""What a reporter says of its interpreter -> one line that changes when what ran the tests changes."""

import os
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

FILES_KEPT = 1 << 14


def fingerprint(told: Mapping[str, Any], runner: str, ours: Sequence[str]) -> str:
    """`ours` are the names that this run alone has put into the variables."""
    parts = [
        told["python"],
        str(Path(told["executable"]).resolve()),
        told["flags"],
        *told["installed"],
        *(f"{name}={value}" for name, value in _variables(told["variables"], ours)),
        *(f"{path} {_digest(path)}" for path in told["files"]),
    ]
    digest = sha256("\n".join(parts).encode("utf-8", "backslashreplace")).hexdigest()[:16]
    packages = sum(name.endswith(("-info", "-link")) for name in told["installed"])
    return f"{told['python']}, {runner}, {packages} packages, {digest}"


def _variables(told: Mapping[str, str], ours: Sequence[str]) -> list[tuple[str, str]]:
    parts = {name: re.split("[,:]", value) for name, value in told.items()}
    kept = {name: [part for part in found if not any(own in part for own in ours)] for name, found in parts.items()}
    return [(name, ":".join(parts)) for name, parts in sorted(kept.items()) if any(parts)]


def _digest(path: str) -> str:
    try:
        found = os.stat(path)  # noqa: PTH116 - of a hundred files in every run, a path object costs more than the look
        return _read(path, (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino))
    except OSError:
        return "unreadable"


@lru_cache(maxsize=FILES_KEPT)
def _read(path: str, stamp: tuple[int, ...]) -> str:
    del stamp
    return sha256(Path(path).read_bytes()).hexdigest()
