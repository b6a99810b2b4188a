"""Work tree -> a tree in the object store, named by its digest. The user's repository is only read."""

import gc
import os
import stat
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from dualgate.errors import StoreFailed
from dualgate.processes.worktrees import is_set_apart
from dualgate.workspace import folders as memory
from dualgate.workspace.folders import UNSETTLED, SeenFolder, Stamp
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

# A file that changed this shortly before a look may change again without a new time stamp.
RACY_NANOSECONDS = 50_000_000
FOLDERS_REMEMBERED = 20_000
DEEPEST = 300
LARGEST_KEPT = 64 << 20
LARGEST_IGNORED = 64 << 10
MOST_IGNORED = 2_000
WORTH_REMEMBERING = 200

_Seen = tuple[Stamp, Entry | None]
"""The stamp of a path and its entry, if any."""
FOLDER = Entry(stat.S_IFDIR, MISSING)
"""The entry of every folder that is looked into."""
NEVER_SEEN = SeenFolder(stamps={})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """Paths that are restored with a tree but not part of the work: small ignored files, and unusual folders."""

    files: Mapping[str, Entry] = field(default_factory=dict)
    folders: Mapping[str, int] = field(default_factory=dict)
    """Folders that are empty or have an unusual mode, with their modes."""
    usual: int = 0
    """The mode of all other folders; 0 if there are no folders."""

    def mode_of(self, folder: str) -> int:
        return self.folders.get(folder, self.usual)


def content_of(entry: Entry, objects: Objects) -> bytes:
    """The bytes of an entry; for an entry that is not kept its digest, which equals no other content."""
    return objects.get(entry.digest) if entry.is_kept else entry.digest.encode()


class Snapshots:
    def __init__(self, root: Path, objects: Objects, rules: IgnoreRules, largest: int = LARGEST_KEPT) -> None:
        self._root = os.fspath(root)
        self._objects = objects
        self.rules = rules
        self._largest = largest
        self._known: dict[str, SeenFolder] = {}
        self._loaded: dict[str, Rows] = {}
        self._beside: dict[str, Stamp] = {}
        self._kept_beside: dict[str, _Seen] = {}
        self._settled = 0
        self._rollbacks = objects.rollbacks
        self.read_anew = 0
        """How many paths were read because they were new or changed."""

    def take(self) -> str:
        """Store the present work tree, and return its digest."""
        self._beside = {}
        self._settled = time.time_ns() - RACY_NANOSECONDS
        if self._rollbacks != self._objects.rollbacks:
            self._rollbacks = self._objects.rollbacks
            self._known, self._kept_beside = {}, {}
        with self._objects.writing(), _no_collection():
            folders = self._walk()
            tree = self._join(folders)
        self._known = folders
        return tree

    def remember(self) -> None:
        """Save what was seen for the next process with the same ignore rules, if that saves it enough work."""
        if self.read_anew < WORTH_REMEMBERING:
            return
        seen = memory.encoded(self._known)
        self._objects.write("INSERT OR REPLACE INTO seen VALUES (?, ?)", self._rules_name(), seen)
        self.read_anew = 0

    def recall(self) -> None:
        """Load what an earlier process saw. A run does not use this: it reads every file itself first."""
        with _no_collection():
            for (content,) in self._objects.rows("SELECT content FROM seen WHERE rules = ?", self._rules_name()):
                self._known = memory.decoded(content)

    def _rules_name(self) -> str:
        return sha256(memory.FORMAT + self.rules.encoded()).hexdigest()

    def rest(self) -> Rest:
        """The files and folders beside the work at the last look."""
        folders = self.folders
        modes = Counter(folders.values())
        usual = max(sorted(modes), key=modes.__getitem__, default=0)
        with self._objects.writing():
            found = {path: self._seen_beside(path, stamp) for path, stamp in self._beside.items()}
        self._kept_beside = {path: seen for path, seen in found.items() if seen[0][0] != UNSETTLED}
        return Rest(
            files={path: entry for path, (_, entry) in found.items() if entry is not None},
            folders={p: mode for p, mode in folders.items() if mode != usual or not self._known[p].digest},
            usual=usual,
        )

    @property
    def folders(self) -> dict[str, int]:
        """The folders of the work tree at the last look, with their modes."""
        return {
            f"{above}{name}": folder.stamps[name][3] for above, folder in self._looked_at() for name in folder.inner
        }

    @property
    def unkept(self) -> tuple[str, ...]:
        """Paths of the work tree at the last look that cannot be restored."""
        found = (f"{above}{name}" for above, folder in self._looked_at() for name in folder.unkept)
        return tuple(sorted(found, key=lambda path: path.split("/")))

    def _looked_at(self) -> Iterator[tuple[str, SeenFolder]]:
        return ((f"{path}/" if path else "", folder) for path, folder in self._known.items())

    def _seen_beside(self, path: str, stamp: Stamp) -> _Seen:
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
        """The entries of a folder by its digest; folders that were just read or stored are cached."""
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
        """Store a tree with some paths replaced (None removes a path), and return its digest."""
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

    def _walk(self) -> dict[str, SeenFolder]:
        """Look into every folder that is part of the work, parents first."""
        folders: dict[str, SeenFolder] = {}
        waiting = [""]
        while waiting:
            path = waiting.pop()
            folder = folders[path] = self._look(path)
            prefix = f"{path}/" if path else ""
            waiting += [prefix + name for name in folder.inner]
            for name in folder.ignored:
                if folder.stamps[name][1] <= LARGEST_IGNORED and len(self._beside) < MOST_IGNORED:
                    self._beside[prefix + name] = folder.stamps[name]
        return folders

    def _look(self, folder: str) -> SeenFolder:
        """Look into a folder; return the remembered object itself if nothing in the folder changed."""
        known = self._known.get(folder, NEVER_SEEN)
        try:
            same, other = _compared(f"{self._root}/{folder}", known.stamps)
        except (FileNotFoundError, NotADirectoryError) as error:
            if not folder:
                raise _unseen(self._root, error) from error
            same, other = [], {}  # the folder was deleted meanwhile
        except OSError as error:
            raise _unseen(f"{self._root}/{folder}", error) from error
        is_same = not other and len(same) == len(known.stamps)
        return known if is_same else self._read(folder, known, same, other)

    def _read(self, folder: str, known: SeenFolder, same: list[str], other: Mapping[str, os.stat_result]) -> SeenFolder:
        prefix = f"{folder}/" if folder else ""
        was = {**self._files(known), **dict.fromkeys(known.inner, FOLDER)}
        found = {name: was.get(name) for name in same}
        found |= {name: self._entry(prefix + name, status) for name, status in other.items()}
        self.read_anew += len(other)
        stamps = {name: known.stamps[name] for name in same}
        stamps |= {name: _stamp(status, self._settled) for name, status in other.items()}
        files = {name: entry for name, entry in found.items() if entry is not None and entry is not FOLDER}
        return SeenFolder(
            stamps=stamps,
            inner=tuple(name for name, entry in found.items() if entry is FOLDER),
            ignored=tuple(name for name, entry in found.items() if entry is None),
            unkept=tuple(name for name, entry in files.items() if not entry.is_kept),
            files=files,
        )

    def _files(self, folder: SeenFolder) -> Rows:
        if folder.files is not None:
            return folder.files
        return {name: entry for name, entry in self.load(folder.digest).items() if name not in folder.inner}

    def _join(self, folders: dict[str, SeenFolder]) -> str:
        """Store the changed folders, the deepest first, and return the root digest. Empty folders are left out."""
        other: set[str] = set()
        for path, folder in reversed(folders.items()):
            known = self._known.get(path)
            if folder is known and path not in other:
                continue
            digest = self._tree(path, folder, folders)
            folders[path] = replace(folder, digest=digest)
            if known is None or known.digest != digest:
                other.add(path.rpartition("/")[0])
        return folders[""].digest

    def _tree(self, path: str, folder: SeenFolder, folders: Mapping[str, SeenFolder]) -> str:
        rows = dict(self._files(folder))
        for name in folder.inner:
            if digest := folders[f"{path}/{name}" if path else name].digest:
                rows[name] = Entry(stat.S_IFDIR | 0o755, digest)
        return self._store(rows) if rows else MISSING

    def _entry(self, path: str, found: os.stat_result) -> Entry | None:
        is_folder = stat.S_ISDIR(found.st_mode)
        if self.rules.ignores(path, is_folder) or (is_folder and is_set_apart(Path(self._root), path)):
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


def _compared(place: str, known: Mapping[str, Stamp]) -> tuple[list[str], dict[str, os.stat_result]]:
    """The names in a folder with an unchanged stamp, and all others. A snapshot spends most of its time here."""
    same: list[str] = []
    other: dict[str, os.stat_result] = {}
    descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for name in os.listdir(descriptor):  # noqa: PTH208 - thousands of names
            try:
                found = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            except OSError:
                continue  # the file was deleted meanwhile
            if known.get(name) == (found.st_ctime_ns, found.st_size, found.st_ino, found.st_mode):
                same.append(name)
            else:
                other[name] = found
    finally:
        os.close(descriptor)
    return same, other


def _stamp(found: os.stat_result, settled: int) -> Stamp:
    changed = found.st_ctime_ns if found.st_ctime_ns < settled else UNSETTLED
    return changed, found.st_size, found.st_ino, found.st_mode


@contextmanager
def _no_collection() -> Iterator[None]:
    """Stop the garbage collector: all of the many small values are kept, and the search would double the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _unseen(place: str, error: OSError) -> StoreFailed:
    """The error for an unreadable folder. It must not count as empty: all its files would count as deleted."""
    if isinstance(error, FileNotFoundError):
        way_back = "make the folder again, and in it 'dualgate snapshot list' and 'dualgate snapshot restore ID'"
        return StoreFailed(f"{place} is gone.", f"Its last seen content can be restored: {way_back}.")
    return StoreFailed(f"{place} cannot be read: {error.strerror}.", "Give permission, and try again.")


def _too_large(file: BinaryIO) -> str:
    """The digest of a large file that is not kept. Holes are skipped: a huge sparse file may have few bytes to read."""
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
    """The parts of a file between its holes; a file that ends with a hole has an empty part at its end."""
    at = 0
    while at < size:
        try:
            begin = os.lseek(descriptor, at, os.SEEK_DATA)
        except OSError:
            yield size, size
            return
        at = os.lseek(descriptor, begin, os.SEEK_HOLE)
        yield begin, at
