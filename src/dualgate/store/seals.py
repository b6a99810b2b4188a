"""Detecting a changed journal: each line holds the digest of the line before, and a seal holds that of the last line.

The seal is outside the session folder, so that a rewritten journal does not match it. Nothing here is secret:
a process that runs as the user and knows both can change both.
"""

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b, sha256
from pathlib import Path

import msgspec

from dualgate.errors import StoreFailed
from dualgate.store.atomic import read_whole, write_whole
from dualgate.store.codec import UNREADABLE
from dualgate.store.owners import boot

_SEALS = ".seals"
_DIGEST_BYTES = 16
_HEAD = re.compile(rb'\{"format":\d+,"seq":(\d+),"epoch":\d+,"kind":"[\w.]+","before":"([0-9a-f]+)",')


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """Number and digest of the last line.

    While the seal is open, one more line is accepted: its writer may have been killed before it updated the seal.
    """

    seq: int = 0
    digest: str = ""
    before: str = ""
    """The digest of the second last line, to verify a journal whose last line is torn."""
    open: bool = True
    boot: str = ""
    checkpoint: str = ""
    """The digest of the checkpoint; a checkpoint with another digest is ignored."""
    beside: str = ""
    """The digest of the files from which lists show a session, as its run left them; empty while the seal is open."""


class Chain:
    """Checks lines in order. Lines of older versions, before the first that holds a digest, are not checked."""

    def __init__(self, last: bytes = b"", number: int = 0) -> None:
        """`last` and `number` are the line before the first one that is checked."""
        self.number = number
        self._last = last
        self._is_chained = _HEAD.match(last) is not None

    def break_at(self, line: bytes, before: str) -> str:
        """Check the next line. Returns the number and problem of a changed line, or an empty text."""
        self.number += 1
        last, self._last = self._last, line
        self._is_chained = self._is_chained or bool(before)
        if not self._is_chained or before == digest_of(last):
            return ""
        if not before:
            return f"{self.number}: was changed after it was written: it holds no digest of the line before it."
        return f"{self.number - 1}: was changed after it was written: the next line holds a different digest."


def is_chain(lines: Sequence[bytes], digest: str) -> bool:
    """Whether the lines are numbered and chained from the first on, and the last of them has this digest.

    Only the beginning of each line is read, so that this is quick.
    """
    before = digest_of(lines[0])
    for number, line in enumerate(lines[1:], 2):
        head = _HEAD.match(line)
        if head is None or int(head[1]) != number or head[2].decode() != before:
            return False
        before = digest_of(line)
    return before == digest


def digest_of(line: bytes) -> str:
    """The digest of a line without its newline."""
    return running_digest(line).hexdigest()


def running_digest(content: bytes = b"") -> blake2b:
    return blake2b(content, digest_size=_DIGEST_BYTES)


def seal_place(folder: Path) -> Path:
    """The path of a session's seal: in the home folder, wherever the session is."""
    home = Path(os.environ.get("HOME") or Path.home())
    return home / ".bp-sessions" / _SEALS / f"{sha256(os.fsencode(folder.resolve())).hexdigest()[:16]}.json"


def heard_list(folder: Path) -> Path:
    """The list of requests that a run of a session has heard, beside its seal."""
    return seal_place(folder).with_suffix(".heard")


def read_seal(place: Path) -> Seal | None:
    """None if the seal is missing or unreadable, as for sessions of older versions or copied from another machine."""
    try:
        return _DECODER.decode(read_whole(place))
    except (OSError, *UNREADABLE):
        return None


def write_seal(place: Path, seal: Seal) -> None:
    """Write the seal. A failed write is ignored: the journal is then only checked line by line."""
    with suppress(StoreFailed):
        write_whole(place, msgspec.json.encode(replace(seal, boot=boot())))


def move_seal(folder: Path, to: Path) -> None:
    with suppress(OSError):
        heard_list(folder).unlink(missing_ok=True)
        seal_place(folder).rename(seal_place(to))


def remove_seal(folder: Path) -> None:
    with suppress(OSError):
        seal_place(folder).unlink()


def without_last(seal: Seal) -> Seal:
    """The seal after the torn last line was cut off."""
    return Seal(seq=seal.seq - 1, digest=seal.before, checkpoint=seal.checkpoint)


def is_torn_at(seal: Seal, lines: int) -> bool:
    """Whether the sealed line is the torn one: a disk may lose the end of a line that it reported as synced."""
    return lines == seal.seq - 1 and bool(seal.before)


def misfit(
    lines: Sequence[bytes], before: Seal | None, after: Seal | None, is_torn: bool = False
) -> tuple[int, str] | None:
    """Number and problem of the line that does not match the seal; `is_torn` if a partial line follows.

    `before` and `after` are the seal, read before and after the lines: a run may be writing meanwhile.
    """
    if before is None or after is None:
        return None
    if is_torn and is_torn_at(before, len(lines)):
        before = without_last(before)
    if len(lines) < before.seq:
        lost = f"is missing, and with it all up to line {before.seq}: the end of the journal was cut off"
        return len(lines) + 1, lost
    if before.seq and digest_of(lines[before.seq - 1]) != before.digest:
        return before.seq, "does not match the seal: it was changed, or the whole journal was rewritten"
    # the seal is not synced: after a power cut it may be older than the journal
    if len(lines) > after.seq + after.open and after.boot == boot():
        return after.seq + 1 + after.open, "was not written by the run"
    return None


_DECODER = msgspec.json.Decoder(Seal)
