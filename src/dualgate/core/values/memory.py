"""Memory across sessions: one entry, and the question that a phase asks."""

from dataclasses import dataclass
from datetime import datetime

from dualgate.core.values.vocabulary import EntryKind, Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEntry:
    """One thing that a session showed. `key` is the same whenever the entry is made again from the journal."""

    key: str
    kind: EntryKind
    project: str
    text: str
    at: datetime
    signature: str = ""
    """Hash of the normalised error."""
    files: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    """Ids of criteria."""
    cure: str = ""
    change: str = ""
    """The changed lines of the cure, cut short."""
    session: str = ""
    """Empty for a note."""
    phase: Phase | None = None
    iteration: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEntry:
    """An entry with the number by which a person names it."""

    id: int
    entry: MemoryEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryQuery:
    """The query of a phase: errors by signature and words, or files and the words of criteria."""

    kinds: tuple[EntryKind, ...]
    signatures: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    session: str = ""
    """The present session, whose own entries are left out."""
