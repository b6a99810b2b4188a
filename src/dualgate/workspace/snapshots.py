"""Exact states of the work tree, by content. The user's repository is read and never touched."""

import json
import os
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from dualgate.workspace.ignore import IgnoreRules
from dualgate.workspace.objects import Objects

# A file changed within the clock's own grain of a look at it may change again without a new time stamp.
RACY_NANOSECONDS = 50_000_000
TREES_REMEMBERED = 6
LARGEST_KEPT = 32 << 20
NOT_KEPT = "not-kept:"
"""Marks the digest of what is known and cannot be given back: too large, unreadable, or no file at all."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One path: `mode` as the file system gives it, `digest` of its bytes or of its link's target."""

    mode: int
    digest: str

    @property
    def is_link(self) -> bool:
        return stat.S_ISLNK(self.mode)

    @property
    def is_kept(self) -> bool:
        return not self.digest.startswith(NOT_KEPT)


Tree = Mapping[str, Entry]
_Stamp = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    created: tuple[str, ...]
    modified: tuple[str, ...]
    deleted: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        return (*self.created, *self.modified, *self.deleted)


class Snapshots:
    def __init__(self, root: Path, objects: Objects, rules: IgnoreRules) -> None:
        self._root = root
        self._objects = objects
        self._rules = rules
        self._known: dict[str, tuple[_Stamp, Entry]] = {}
        self._trees: dict[str, Tree] = {}

    def take(self) -> str:
        """Keep the present state; its name is the digest of its content."""
        now = time.time_ns()
        known: dict[str, tuple[_Stamp, Entry]] = {}
        tree: dict[str, Entry] = {}
        for path, found in self._walk():
            entry, stamp = self._entry(path, found)
            tree[path] = entry
            if found.st_ctime_ns < now - RACY_NANOSECONDS:
                known[path] = (stamp, entry)
        self._known = known
        return self._remember(self._objects.put(_encoded(tree)), tree)

    def tree(self, name: str) -> Tree:
        """A kept state. Its name is that of its content, so what was read or just taken need not be read again."""
        if name not in self._trees:
            rows = json.loads(self._objects.get(name))
            self._remember(name, {path: Entry(mode, digest) for path, mode, digest in rows})
        return self._trees[name]

    def _remember(self, name: str, tree: Tree) -> str:
        self._trees[name] = tree
        while len(self._trees) > TREES_REMEMBERED:
            del self._trees[next(iter(self._trees))]
        return name

    def content(self, entry: Entry) -> bytes:
        """The bytes of an entry; those of one that is not kept are its mark, so that they equal nothing else."""
        return self._objects.get(entry.digest) if entry.is_kept else entry.digest.encode()

    def _walk(self) -> Iterator[tuple[str, os.stat_result]]:
        """Every path that is part of the work. What vanishes meanwhile is not there; what cannot be read is."""
        folders = [""]
        while folders:
            folder = folders.pop()
            for item in self._items(folder):
                path = f"{folder}/{item.name}" if folder else item.name
                try:
                    found = item.stat(follow_symlinks=False)
                except OSError:
                    continue
                is_folder = stat.S_ISDIR(found.st_mode)
                if self._rules.ignores(path, is_folder):
                    continue
                if not is_folder:
                    yield path, found
                elif os.access(self._root / path, os.R_OK | os.X_OK):
                    folders.append(path)
                else:
                    yield path, found

    def _items(self, folder: str) -> "list[os.DirEntry[str]]":
        try:
            with os.scandir(self._root / folder) as found:
                return list(found)
        except OSError:
            return []

    def _entry(self, path: str, found: os.stat_result) -> tuple[Entry, _Stamp]:
        stamp = (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_mode)
        stamped, entry = self._known.get(path, (None, None))
        if entry is not None and stamped == stamp:
            return entry, stamp
        return Entry(found.st_mode, self._digest(self._root / path, found)), stamp

    def _digest(self, target: Path, found: os.stat_result) -> str:
        try:
            if stat.S_ISLNK(found.st_mode):
                return self._objects.put(os.fsencode(target.readlink()))
            if not stat.S_ISREG(found.st_mode):
                return f"{NOT_KEPT}{stat.S_IFMT(found.st_mode)}"
            if found.st_size > LARGEST_KEPT:
                with target.open("rb") as file:
                    return f"{NOT_KEPT}{_digest_of(file)}"
            return self._objects.put(target.read_bytes())
        except OSError:
            return f"{NOT_KEPT}unreadable"


def difference(before: Tree, after: Tree) -> Difference:
    return Difference(
        created=tuple(sorted(after.keys() - before.keys())),
        modified=tuple(sorted(path for path in after.keys() & before.keys() if after[path] != before[path])),
        deleted=tuple(sorted(before.keys() - after.keys())),
    )


def _digest_of(file: BinaryIO) -> str:
    digest = sha256()
    while chunk := file.read(1 << 20):
        digest.update(chunk)
    return digest.hexdigest()


def _encoded(tree: Tree) -> bytes:
    """Names that are not UTF-8 survive as escaped surrogates."""
    rows = [[path, entry.mode, entry.digest] for path, entry in sorted(tree.items())]
    return json.dumps(rows, separators=(",", ":")).encode("ascii")
