"""Session folder -> whether a session is as its last run left it, by digests alone: nothing is decoded."""

from pathlib import Path

from dualgate.errors import DualgateError
from dualgate.store.atomic import read_whole
from dualgate.store.home import LOOP_STATE, METRICS
from dualgate.store.reading import StoredJournal
from dualgate.store.seals import digest_of

SHOWN = (LOOP_STATE, METRICS)
"""The files from which lists show a session without reading its journal."""


def digest_beside(folder: Path) -> str:
    """The digest of these files; empty if one is missing."""
    try:
        return digest_of(b"\n".join(read_whole(folder / name) for name in SHOWN))
    except OSError:
        return ""


def is_as_left(folder: Path) -> bool:
    """Whether neither the journal nor the files beside it changed since the last run.

    False also if that is unknown: for a session without a seal, with an open one, or of an older version.
    """
    try:
        journal = StoredJournal(folder)
    except DualgateError:
        return False
    seal = journal.seal
    if seal is None or seal.open or not seal.beside or seal.beside != digest_beside(folder):
        return False
    return journal.is_whole(seal)
