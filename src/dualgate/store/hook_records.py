"""One small file for each session of a host (Claude Code, Codex …): where it began, and how its last stop ended.

A record is plain JSON. A hook reads it at every stop: no module that is imported here may take long.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from dualgate.store.atomic import read_whole, write_whole
from dualgate.store.home import sessions_home

FORMAT = 1
RECORDS = ".hooks"
KEPT_SECONDS = 14 * 24 * 3600.0
_NAME_LENGTH = 32


def record_of(session: str, environment: Mapping[str, str]) -> Path:
    """The record of a session. Two hosts that name one session alike share it: both may call the same hook."""
    name = sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:_NAME_LENGTH]
    return sessions_home(environment) / RECORDS / f"{name}.json"


def read_record(path: Path) -> dict[str, Any]:
    """The record; empty if it is missing, damaged or of another format."""
    try:
        found = json.loads(read_whole(path))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and found.get("format") == FORMAT else {}


def write_record(path: Path, record: Mapping[str, Any]) -> None:
    write_whole(path, json.dumps({**record, "format": FORMAT}).encode())


@contextmanager
def held(path: Path) -> Iterator[bool]:
    """Whether this process alone works on a record, until the block ends. It never waits."""
    import fcntl

    from dualgate.processes.private import make_private, open_private

    make_private(path.parent)
    with open(path.with_suffix(".lock"), "wb", opener=open_private) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        yield True


def clear_old(environment: Mapping[str, str], now: float | None = None) -> None:
    """Remove records of sessions that did not stop for two weeks."""
    oldest = (time.time() if now is None else now) - KEPT_SECONDS
    with suppress(OSError), os.scandir(sessions_home(environment) / RECORDS) as found:
        for each in found:
            with suppress(OSError):
                if each.is_file(follow_symlinks=False) and each.stat(follow_symlinks=False).st_mtime < oldest:
                    os.unlink(each.path)  # noqa: PTH108
