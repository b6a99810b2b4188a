"""Trees of entries, one object per folder: similar trees share most of their objects."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

NOT_KEPT = "not-kept:"
"""Begins the digest of an entry that cannot be restored: too large, unreadable, or not a regular file."""
MISSING = ""
"""The digest of a missing or empty folder."""


class Entry(NamedTuple):
    """One path: its `mode` in the file system, and the `digest` of its bytes, its link target or its entries.

    A tuple: there is one for every file, and a dataclass takes five times as long to create.
    """

    mode: int
    digest: str

    @property
    def is_link(self) -> bool:
        return stat.S_ISLNK(self.mode)

    @property
    def is_folder(self) -> bool:
        """Whether the digest is that of a tree. An unreadable folder is an entry without content."""
        return stat.S_ISDIR(self.mode) and self.is_kept

    @property
    def is_kept(self) -> bool:
        return not self.digest.startswith(NOT_KEPT)


Rows = Mapping[str, Entry]
Load = Callable[[str], Rows]
"""Digest of a folder -> its entries; MISSING has no entries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Changed paths. A deleted file and a created one with the same bytes count as a rename."""

    created: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    """Pairs of old and new path; they are in `deleted` and `created` too."""

    @property
    def paths(self) -> tuple[str, ...]:
        return (*self.created, *self.modified, *self.deleted)


Change = tuple[str, Entry | None, Entry | None]


def encoded(rows: Rows) -> bytes:
    """The bytes of a folder object; any file name is legal."""
    return b"".join(
        b"%o %s %s\0" % (entry.mode, entry.digest.encode("ascii"), os.fsencode(name))
        for name, entry in sorted(rows.items())
    )


def decoded(content: bytes) -> Rows:
    rows: dict[str, Entry] = {}
    for row in content.split(b"\0")[:-1]:
        mode, digest, name = row.split(b" ", 2)
        rows[os.fsdecode(name)] = Entry(int(mode, 8), digest.decode("ascii"))
    return rows


def walked(root: str, load: Load, folder: str = "") -> Iterator[tuple[str, Entry]]:
    """Every path of a tree except folders, with its entry."""
    for name, entry in sorted(load(root).items()):
        path = f"{folder}{name}"
        if entry.is_folder:
            yield from walked(entry.digest, load, f"{path}/")
        else:
            yield path, entry


def find(root: str, path: str, load: Load) -> Entry | None:
    entry: Entry | None = Entry(stat.S_IFDIR, root)
    for name in path.split("/"):
        if entry is None or not entry.is_folder:
            return None
        entry = load(entry.digest).get(name)
    return None if entry is None or entry.is_folder else entry


def changes(before: str, after: str, load: Load, folder: str = "") -> Iterator[Change]:
    """Changed paths with both entries; folders with equal digests are skipped."""
    if before == after:
        return
    old, new = load(before), load(after)
    for name in sorted(old.keys() | new.keys()):
        was, now = old.get(name), new.get(name)
        if was == now:
            continue
        path = f"{folder}{name}"
        yield from changes(_below(was), _below(now), load, f"{path}/")
        was, now = _itself(was), _itself(now)
        if was != now:
            yield path, was, now


def difference(changed: Iterable[Change]) -> Difference:
    changed = list(changed)
    created = {path: now for path, was, now in changed if was is None and now is not None}
    deleted = {path: was for path, was, now in changed if now is None and was is not None}
    return Difference(
        created=tuple(created),
        modified=tuple(path for path, was, now in changed if was is not None and now is not None),
        deleted=tuple(deleted),
        renamed=tuple(_renames(deleted, created)),
    )


def overlaid(root: str, changed: Mapping[str, Entry | None], load: Load, store: Callable[[Rows], str]) -> str:
    """Store a tree with some paths replaced (None removes a path), and return its digest."""
    rows = dict(load(root))
    deeper: dict[str, dict[str, Entry | None]] = {}
    for path, entry in changed.items():
        name, _, rest = path.partition("/")
        if rest:
            deeper.setdefault(name, {})[rest] = entry
        elif entry is not None:
            rows[name] = entry
        elif name in rows and not rows[name].is_folder:
            del rows[name]
    for name, below in deeper.items():
        folder = rows.get(name)
        digest = overlaid(_below(folder), below, load, store)
        if digest:
            mode = folder.mode if folder is not None and folder.is_folder else stat.S_IFDIR | 0o755
            rows[name] = Entry(mode, digest)
        elif folder is not None and folder.is_folder:
            del rows[name]
    return store(rows) if rows else MISSING


def _below(entry: Entry | None) -> str:
    return entry.digest if entry is not None and entry.is_folder else MISSING


def _itself(entry: Entry | None) -> Entry | None:
    return None if entry is not None and entry.is_folder else entry


def _renames(deleted: Mapping[str, Entry], created: Mapping[str, Entry]) -> Iterator[tuple[str, str]]:
    """Pairs of paths with equal content, each path once; a path with the same file name is preferred."""
    by_digest: dict[str, list[str]] = {}
    for path, entry in created.items():
        if entry.is_kept:
            by_digest.setdefault(entry.digest, []).append(path)
    for old, entry in deleted.items():
        fitting = by_digest.get(entry.digest, [])
        if fitting:
            name = old.rpartition("/")[2]
            new = min(fitting, key=lambda path: (path.rpartition("/")[2] != name, path))
            fitting.remove(new)
            yield old, new
