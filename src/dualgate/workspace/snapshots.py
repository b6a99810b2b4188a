"""Exact states of the work tree, by content. The user's repository is read and never touched."""

import json
import os
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dualgate.errors import StoreFailed
from dualgate.workspace.ignore import IgnoreRules
from dualgate.workspace.objects import Objects

# A file changed within the clock's own grain of a look at it may change again without a new time stamp.
RACY_NANOSECONDS = 50_000_000


@dataclass(frozen=True, slots=True)
class Entry:
    """One path: `mode` as the file system gives it, `digest` of its bytes or of its link's target."""

    mode: int
    digest: str

    @property
    def is_link(self) -> bool:
        return stat.S_ISLNK(self.mode)


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
        return self._objects.put(_encoded(tree))

    def tree(self, name: str) -> Tree:
        return {path: Entry(mode, digest) for path, mode, digest in json.loads(self._objects.get(name))}

    def content(self, entry: Entry) -> bytes:
        return self._objects.get(entry.digest)

    def restore(self, path: str, entry: Entry | None) -> None:
        """Put one path back as it was; None removes it."""
        target = self._root / path
        try:
            if target.is_symlink() or target.is_file():
                target.unlink()
            if entry is not None:
                target.parent.mkdir(parents=True, exist_ok=True)
                self._write(target, entry)
        except OSError as error:
            raise StoreFailed(f"{path} cannot be put back: {error.strerror}.") from error

    def _write(self, target: Path, entry: Entry) -> None:
        if entry.is_link:
            target.symlink_to(os.fsdecode(self.content(entry)))
            return
        target.write_bytes(self.content(entry))
        target.chmod(stat.S_IMODE(entry.mode))

    def _walk(self, folder: str = "") -> Iterator[tuple[str, os.stat_result]]:
        with os.scandir(self._root / folder) as found:
            items = sorted(found, key=lambda item: item.name)
        for item in items:
            path = f"{folder}/{item.name}" if folder else item.name
            is_folder = item.is_dir(follow_symlinks=False)
            if self._rules.ignores(path, is_folder):
                continue
            if is_folder:
                yield from self._walk(path)
            elif item.is_symlink() or item.is_file(follow_symlinks=False):
                yield path, item.stat(follow_symlinks=False)

    def _entry(self, path: str, found: os.stat_result) -> tuple[Entry, _Stamp]:
        stamp = (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_mode)
        stamped, entry = self._known.get(path, (None, None))
        if entry is not None and stamped == stamp:
            return entry, stamp
        target = self._root / path
        try:
            content = os.fsencode(target.readlink()) if stat.S_ISLNK(found.st_mode) else target.read_bytes()
        except OSError as error:
            raise StoreFailed(f"{path} cannot be read: {error.strerror}.", "Give it back its permissions.") from error
        return Entry(found.st_mode, self._objects.put(content)), stamp


def difference(before: Tree, after: Tree) -> Difference:
    return Difference(
        created=tuple(sorted(after.keys() - before.keys())),
        modified=tuple(sorted(path for path in after.keys() & before.keys() if after[path] != before[path])),
        deleted=tuple(sorted(before.keys() - after.keys())),
    )


def _encoded(tree: Tree) -> bytes:
    """Names that are not UTF-8 survive as escaped surrogates."""
    rows = [[path, entry.mode, entry.digest] for path, entry in sorted(tree.items())]
    return json.dumps(rows, separators=(",", ":")).encode("ascii")
