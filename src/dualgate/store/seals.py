"""How a journal is known to be as it was written: each line holds a digest of the one before, a seal that of the last.

The seal lies away from the session, so that a journal whose lines were all written anew does not fit it. Nothing here
is secret: whoever knows of both, and runs as the user, can change both.
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
from dualgate.store.owners import boot

_SEALS = ".seals"
_DIGEST_BYTES = 16
_HEAD = re.compile(rb'\{"format":\d+,"seq":(\d+),"epoch":\d+,"kind":"[\w.]+","before":"([0-9a-f]+)",')


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """The last line that was written, by number and digest.

    While it is open a line may be there that it does not know of yet: whoever wrote it was killed in between.
    """

    seq: int = 0
    digest: str = ""
    before: str = ""
    """The digest of the line before it, by which a journal is known whose last line is torn."""
    open: bool = True
    boot: str = ""
    checkpoint: str = ""
    """The digest of the checkpoint; one that has another is not looked at."""


class Chain:
    """Lines one after another; those of older versions, before the first that holds a digest, are not checked."""

    def __init__(self, last: bytes = b"", number: int = 0) -> None:
        """Behind the line `last` of this number, where it is not the first that comes."""
        self.number = number
        self._last = last
        self._is_chained = False

    def break_at(self, line: bytes, before: str) -> str:
        """Take the next line. Number and problem of the one that is not as it was written; empty where all is well."""
        self.number += 1
        last, self._last = self._last, line
        self._is_chained = self._is_chained or bool(before)
        if not self._is_chained or before == digest_of(last):
            return ""
        if not before:
            return f"{self.number}: was changed after it was written: it holds no digest of the line before it."
        return f"{self.number - 1}: was changed after it was written: the line after it holds another digest of it."


def is_chain(lines: Sequence[bytes], digest: str) -> bool:
    """Whether each line but the first holds its number and the digest of the one before, and the last has this one.

    The lines are not decoded, only what they begin with is looked at.
    """
    before = digest_of(lines[0])
    for number, line in enumerate(lines[1:], 2):
        head = _HEAD.match(line)
        if head is None or int(head[1]) != number or head[2].decode() != before:
            return False
        before = digest_of(line)
    return before == digest


def digest_of(line: bytes) -> str:
    """Of a line without its end."""
    return running_digest(line).hexdigest()


def running_digest(content: bytes = b"") -> blake2b:
    return blake2b(content, digest_size=_DIGEST_BYTES)


def seal_place(folder: Path) -> Path:
    """Where the seal of a session folder lies: at home, whatever the session directory."""
    home = Path(os.environ.get("HOME") or Path.home())
    return home / ".bp-sessions" / _SEALS / f"{sha256(os.fsencode(folder.resolve())).hexdigest()[:16]}.json"


def read_seal(place: Path) -> Seal | None:
    """None where there is none, as with journals of older versions and those that were copied from elsewhere."""
    try:
        return _DECODER.decode(read_whole(place))
    except (OSError, msgspec.MsgspecError):
        return None


def write_seal(place: Path, seal: Seal) -> None:
    """One that cannot be written is no reason to stop: what it proves is then not proven."""
    with suppress(StoreFailed):
        write_whole(place, msgspec.json.encode(replace(seal, boot=boot())))


def move_seal(folder: Path, to: Path) -> None:
    with suppress(OSError):
        seal_place(folder).rename(seal_place(to))


def remove_seal(folder: Path) -> None:
    with suppress(OSError):
        seal_place(folder).unlink()


def without_last(seal: Seal) -> Seal:
    """The seal of a journal whose last line is torn, and taken away."""
    return Seal(seq=seal.seq - 1, digest=seal.before, checkpoint=seal.checkpoint)


def is_torn_at(seal: Seal, lines: int) -> bool:
    """Whether a rest behind so many lines stands in the place of the last one: a disk may lose the end of what it said
    it kept."""
    return lines == seal.seq - 1 and bool(seal.before)


def misfit(
    lines: Sequence[bytes], before: Seal | None, after: Seal | None, is_torn: bool = False
) -> tuple[int, str] | None:
    """Number and problem of the line by which a journal does not fit its seal; `is_torn` where a rest is behind them.

    `before` and `after` are the seal as it was read before and after the lines: a run may be writing meanwhile.
    """
    if before is None or after is None:
        return None
    if is_torn and is_torn_at(before, len(lines)):
        before = without_last(before)
    if len(lines) < before.seq:
        lost = f"is missing, and with it all up to line {before.seq}: the end of the journal was cut off"
        return len(lines) + 1, lost
    if before.seq and digest_of(lines[before.seq - 1]) != before.digest:
        return before.seq, "is another than was written: it was changed, or the whole journal was written anew"
    # what was not synced when the power failed may be older than the journal, which was
    if len(lines) > after.seq + after.open and after.boot == boot():
        return after.seq + 1 + after.open, "was written by somebody else than the run"
    return None


_DECODER = msgspec.json.Decoder(Seal)
