"""What the lines of a journal make up to one of them, so that a long session is not folded from its start.

It is never trusted over the journal: it holds the digest of its line, and the seal holds the digest of it.
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
from dualgate.store.codec import encode_json
from dualgate.store.lines import CHECKPOINT
from dualgate.store.seals import Seal, digest_of

FEWEST_EVENTS = 50
SHARE = 8
"""A new one is due after an eighth more events: what they cost in all grows no faster than the journal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogMark:
    """The beginning of the phase-status log that holds all records up to a checkpoint."""

    size: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A session between two turns."""

    seq: int
    digest: str
    """Of the line with that number, which holds the digest of the line before it, and so on."""
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
    """None where there is none, where the seal does not know it, or where other code made it."""
    if seal is None or not seal.checkpoint:
        return None
    try:
        content = read_whole(folder / CHECKPOINT)
        if digest_of(content) != seal.checkpoint:
            return None
        found = msgspec.json.decode(content, type=Checkpoint)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return found if found.code == code_mark() else None


@cache
def code_mark() -> str:
    """By which code a checkpoint was made: a later version may make something else of the same events."""
    root = Path(dualgate.__file__).parent
    files = [
        (os.path.relpath(entry.path, root), entry.stat().st_size, entry.stat().st_mtime_ns)
        for room in ("core", "store")
        for folder, _, _ in os.walk(root / room)
        for entry in os.scandir(folder)
        if entry.name.endswith(".py")
    ]
    return digest_of(repr((dualgate.__version__, sorted(files))).encode())
