"""A session folded up to one line of its journal, so that a long journal need not be folded from its first event.

A checkpoint is a cache, never trusted over the journal: it holds the digest of its line, and the seal holds its digest.
"""

import os
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import msgspec

import dualgate
from dualgate.core.record.metrics import Metrics
from dualgate.core.values.answer import Thread
from dualgate.core.values.state import LoopState
from dualgate.store.atomic import read_whole
from dualgate.store.codec import UNREADABLE, encode_json
from dualgate.store.lines import CHECKPOINT
from dualgate.store.seals import Seal, digest_of

FEWEST_EVENTS = 50
SHARE = 8
"""A checkpoint is due when the journal has grown by an eighth, so that their total cost grows like the journal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogMark:
    """Size and digest of the phase-status log at the checkpoint."""

    size: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The state and metrics of a session between two turns."""

    seq: int
    digest: str
    """The digest of line `seq`, which covers all lines before it."""
    state: LoopState
    metrics: Metrics
    spec: str
    tree: str
    thread: Thread | None
    log: LogMark
    code: str = ""


def is_due(seq: int, last: int) -> bool:
    return seq - last >= max(FEWEST_EVENTS, seq // SHARE)


def encode_checkpoint(checkpoint: Checkpoint) -> bytes:
    return encode_json(replace(checkpoint, code=code_mark()))


def read_checkpoint(folder: Path, seal: Seal | None) -> Checkpoint | None:
    """The checkpoint; None if it is missing, damaged, not the sealed one, or written by other code."""
    if seal is None or not seal.checkpoint:
        return None
    try:
        content = read_whole(folder / CHECKPOINT)
        if digest_of(content) != seal.checkpoint:
            return None
        found = msgspec.json.decode(content, type=Checkpoint)
    except (OSError, *UNREADABLE):
        return None
    return found if found.code == code_mark() else None


@cache
def code_mark() -> str:
    """Identifies the installed code: another version may fold the same events differently."""
    root = Path(dualgate.__file__).parent
    files = [
        (os.path.relpath(entry.path, root), entry.stat().st_size, entry.stat().st_mtime_ns)
        for room in ("core", "store")
        for folder, _, _ in os.walk(root / room)
        for entry in os.scandir(folder)
        if entry.name.endswith(".py")
    ]
    return digest_of(repr((dualgate.__version__, sorted(files))).encode())
