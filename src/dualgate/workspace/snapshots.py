"""Exact states of the work tree, by content. The user's repository is read and never touched."""

import gc
import json
import os
import stat
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from dualgate.errors import StoreFailed
from dualgate.workspace.ignore import IgnoreRules
from dualgate.workspace.objects import Objects
from dualgate.workspace.trees import (
    MISSING,
    NOT_KEPT,
    Change,
    Entry,
    Rows,
    changes,
    decoded,
    encoded,
    find,
    overlaid,
    walked,
)

# A file changed within the clock's own grain of a look at it may change again without a new time stamp.
RACY_NANOSECONDS = 50_000_000
FOLDERS_REMEMBERED = 20_000
DEEPEST = 300
LARGEST_KEPT = 64 << 20
LARGEST_IGNORED = 64 << 10
MOST_IGNORED = 2_000
WORTH_REMEMBERING = 200

_Stamp = tuple[int, int, int, int]
"""Time of the last change, size, number and mode of a path."""
_Seen = tuple[_Stamp, Entry | None]
"""A stamp, and what was found there; None: it is ignored."""
FOLDER = Entry(stat.S_IFDIR, MISSING)
"""What is found at the path of a folder that is looked into."""


@dataclass(slots=True)
class _Folder:
    """What is remembered of a folder: its files as they were seen, and the tree that they made."""

    mode: int
    seen: dict[str, _Seen]
    rows: Rows
    digest: str = MISSING


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """What is given back with a tree and is no part of the work: small ignored files, and unusual folders."""

    files: Mapping[str, Entry] = field(default_factory=dict)
    folders: Mapping[str, int] = field(default_factory=dict)
    """Folders that are empty, or whose mode is not the usual one."""
    usual: int = 0
    """The mode of all other folders; 0 where there is none."""

    def mode_of(self, folder: str) -> int:
        return self.folders.get(folder, self.usual)


def content_of(entry: Entry, objects: Objects) -> bytes:
    """The bytes of an entry; those of one that is not kept are its mark, so that they equal nothing else."""
    return objects.get(entry.digest) if entry.is_kept else entry.digest.encode()


class Snapshots:
    def __init__(self, root: Path, objects: Objects, rules: IgnoreRules, largest: int = LARGEST_KEPT) -> None:
        self._root = os.fspath(root)
        self._objects = objects
        self.rules = rules
        self._largest = largest
        self._known: dict[str, _Folder] = {}
        self._loaded: dict[str, Rows] = {}
        self._beside: dict[str, _Stamp] = {}
        self._kept_beside: dict[str, _Seen] = {}
        self._settled = 0
        self._rollbacks = objects.rollbacks
        self.read_anew = 0
        """How many files were looked into, since nothing was known of them."""

    def take(self) -> str:
        """Keep the present state; its name is the digest of its content."""
        self._beside = {}
        self._settled = time.time_ns() - RACY_NANOSECONDS
        if self._rollbacks != self._objects.rollbacks:
            self._rollbacks = self._objects.rollbacks
            self._known, self._kept_beside = {}, {}
        with self._objects.writing(), _no_collection():
            folders = self._walk(self._settled)
            tree = self._join(folders)
        self._known = folders
        return tree

    def remember(self) -> None:
        """Keep what was seen for the next program that looks by the same rules, where that saves it work."""
        if self.read_anew < WORTH_REMEMBERING:
            return
        seen = {
            path: {name: (*stamp, entry and entry.digest) for name, (stamp, entry) in folder.seen.items()}
            for path, folder in self._known.items()
        }
        content = zlib.compress(json.dumps(seen, separators=(",", ":")).encode("ascii"), 1)
        self._objects.write("INSERT OR REPLACE INTO seen VALUES (?, ?)", self._rules_name(), content)
        self.read_anew = 0

    def recall(self) -> None:
        """Take up what another program saw. A run does not: what it has not seen itself, it looks at."""
        with _no_collection():
            for (content,) in self._objects.rows("SELECT content FROM seen WHERE rules = ?", self._rules_name()):
                for path, names in json.loads(zlib.decompress(content)).items():
                    seen = {n: ((c, s, i, m), _recalled(m, digest)) for n, (c, s, i, m, digest) in names.items()}
                    self._known[path] = _Folder(mode=0, seen=seen, rows={})

    def _rules_name(self) -> str:
        return sha256(self.rules.encoded()).hexdigest()

    def rest(self) -> Rest:
        """What was beside the work when it was last looked at."""
        folders = self.folders
        modes = Counter(folders.values())
        usual = max(sorted(modes), key=modes.__getitem__, default=0)
        with self._objects.writing():
            found = {path: self._seen_beside(path, stamp) for path, stamp in self._beside.items()}
        self._kept_beside = {path: seen for path, seen in found.items() if seen[0][0] < self._settled}
        return Rest(
            files={path: entry for path, (_, entry) in found.items() if entry is not None},
            folders={p: mode for p, mode in folders.items() if mode != usual or not self._known[p].digest},
            usual=usual,
        )

    @property
    def folders(self) -> dict[str, int]:
        """The folders that were there when the work tree was last looked at, with their modes."""
        return {path: folder.mode for path, folder in self._known.items() if path}

    def _seen_beside(self, path: str, stamp: _Stamp) -> _Seen:
        was = self._kept_beside.get(path)
        return was if was is not None and was[0] == stamp else (stamp, self._kept_file(path))

    def _kept_file(self, path: str) -> Entry | None:
        target = f"{self._root}/{path}"
        try:
            found = os.lstat(target)
        except OSError:
            return None
        digest = NOT_KEPT if stat.S_ISDIR(found.st_mode) else self._digest(target, found)
        return None if digest.startswith(NOT_KEPT) else Entry(found.st_mode, digest)

    def load(self, tree: str) -> Rows:
        """The entries of a folder by its digest. What was read once, or just made, need not be read again."""
        if tree == MISSING:
            return {}
        if tree not in self._loaded:
            self._remember(tree, decoded(self._objects.get(tree)))
        return self._loaded[tree]

    def changes(self, before: str, after: str) -> Iterator[Change]:
        return changes(before, after, self.load)

    def entry(self, tree: str, path: str) -> Entry | None:
        return find(tree, path, self.load)

    def entries(self, tree: str) -> Iterator[tuple[str, Entry]]:
        return walked(tree, self.load)

    def overlaid(self, tree: str, changed: Mapping[str, Entry | None]) -> str:
        """A tree with some of its paths as given; None for a path that is not there."""
        with self._objects.writing():
            return overlaid(tree, changed, self.load, self._store)

    def content(self, entry: Entry) -> bytes:
        return content_of(entry, self._objects)

    def put(self, content: bytes) -> str:
        return self._objects.put(content)

    def pieces(self, entry: Entry) -> Iterator[bytes]:
        return self._objects.pieces(entry.digest)

    def _store(self, rows: Rows) -> str:
        return self._remember(self._objects.put(encoded(rows)), rows)

    def _remember(self, tree: str, rows: Rows) -> str:
        if len(self._loaded) > FOLDERS_REMEMBERED:
            self._loaded.clear()
        self._loaded[tree] = rows
        return tree

    def _walk(self, now: int) -> dict[str, _Folder]:
        """Every folder that is part of the work, a folder before those in it."""
        folders: dict[str, _Folder] = {}
        waiting = [("", 0)]
        while waiting:
            path, mode = waiting.pop()
            folders[path] = self._look(path, mode, now, waiting)
        return folders

    def _look(self, folder: str, mode: int, now: int, waiting: list[tuple[str, int]]) -> _Folder:
        """The files of a folder; those in it are put on the list. This is where the time goes: a line costs."""
        known = self._known[folder].seen if folder in self._known else {}
        seen: dict[str, _Seen] = {}
        rows: dict[str, Entry] = {}
        prefix = f"{folder}/" if folder else ""
        for item in self._items(folder):
            name = item.name
            try:
                found = item.stat(follow_symlinks=False)
            except OSError:
                continue  # it vanished meanwhile
            stamp = (found.st_ctime_ns, found.st_size, found.st_ino, found.st_mode)
            was = known.get(name)
            if was is not None and was[0] == stamp:
                seen[name], entry = was, was[1]
            else:
                entry = self._entry(prefix + name, found)
                self.read_anew += 1
                if stamp[0] < now:
                    seen[name] = (stamp, entry)
            if entry is FOLDER:
                waiting.append((prefix + name, found.st_mode))
            elif entry is not None:
                rows[name] = entry
            elif found.st_size <= LARGEST_IGNORED and len(self._beside) < MOST_IGNORED:
                self._beside[prefix + name] = stamp
        return _Folder(mode=mode, seen=seen, rows=rows)

    def _join(self, folders: dict[str, _Folder]) -> str:
        """From the deepest folder up: each is an entry in the one above it, unless there is nothing in it."""
        below: dict[str, dict[str, Entry]] = {}
        for path, folder in reversed(folders.items()):
            folder.rows = {**folder.rows, **below.pop(path, {})}
            memory = self._known.get(path)
            if memory is not None and memory.rows == folder.rows:
                folder.digest = memory.digest
            elif folder.rows:
                folder.digest = self._store(folder.rows)
            if folder.digest:
                parent, _, name = path.rpartition("/")
                below.setdefault(parent, {})[name] = Entry(stat.S_IFDIR | 0o755, folder.digest)
        return folders[""].digest

    def _items(self, folder: str) -> "list[os.DirEntry[str]]":
        try:
            with os.scandir(f"{self._root}/{folder}") as found:
                return list(found)
        except (FileNotFoundError, NotADirectoryError) as error:
            if folder:
                return []  # it vanished meanwhile
            raise _unseen(self._root, error) from error
        except OSError as error:
            raise _unseen(f"{self._root}/{folder}", error) from error

    def _entry(self, path: str, found: os.stat_result) -> Entry | None:
        is_folder = stat.S_ISDIR(found.st_mode)
        if self.rules.ignores(path, is_folder):
            return None
        target = f"{self._root}/{path}"
        if is_folder and path.count("/") < DEEPEST and os.access(target, os.R_OK | os.X_OK):
            return FOLDER
        return Entry(found.st_mode, self._digest(target, found))

    def _digest(self, target: str, found: os.stat_result) -> str:
        try:
            if stat.S_ISLNK(found.st_mode):
                return self._objects.put(os.fsencode(Path(target).readlink()))
            if not stat.S_ISREG(found.st_mode):
                return f"{NOT_KEPT}{stat.S_IFMT(found.st_mode)}"
            with os.fdopen(os.open(target, os.O_RDONLY | os.O_NOFOLLOW), "rb", buffering=0) as file:
                return (
                    _too_large(file) if found.st_size > self._largest else self._objects.put_file(file, found.st_size)
                )
        except OSError:
            return f"{NOT_KEPT}unreadable"


@contextmanager
def _no_collection() -> Iterator[None]:
    """Many small values are made and all are kept: looking for garbage among them takes as long as making them."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _unseen(place: str, error: OSError) -> StoreFailed:
    """What cannot be looked at is never taken for empty: all that was in it would count as deleted."""
    if isinstance(error, FileNotFoundError):
        way_back = "make the folder again, and in it 'dualgate snapshot list' and 'dualgate snapshot restore ID'"
        return StoreFailed(
            f"{place} is gone.", f"What was in it when it was last looked at can be had back: {way_back}."
        )
    return StoreFailed(f"{place} cannot be looked into: {error.strerror}.", "Give permission, and do the same again.")


def _too_large(file: BinaryIO) -> str:
    """By its bytes, and by where its holes are: of a file that is said to be huge there may be hardly any to read."""
    digest, at, size = sha256(), 0, os.fstat(file.fileno()).st_size
    for begin, end in _with_bytes(file.fileno(), size):
        if begin != at:
            digest.update(b"hole to %d\n" % begin)
        file.seek(begin)
        while begin < end and (chunk := file.read(min(1 << 20, end - begin))):
            digest.update(chunk)
            begin += len(chunk)
        at = end
    return f"{NOT_KEPT}{digest.hexdigest()}"


def _with_bytes(descriptor: int, size: int) -> Iterator[tuple[int, int]]:
    """The parts of a file that are no holes; at the end of one that ends with a hole, an empty part."""
    at = 0
    while at < size:
        try:
            begin = os.lseek(descriptor, at, os.SEEK_DATA)
        except OSError:
            yield size, size
            return
        at = os.lseek(descriptor, begin, os.SEEK_HOLE)
        yield begin, at


def _recalled(mode: int, digest: str | None) -> Entry | None:
    if digest is None:
        return None
    return FOLDER if digest == MISSING else Entry(mode, digest)
