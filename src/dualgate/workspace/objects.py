"""Digest -> bytes, in one database file outside the user's repository. An object never changes."""

import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from dualgate.errors import StoreFailed
from dualgate.processes.private import close_to_others, make_private, open_private

if TYPE_CHECKING:
    import sqlite3

CHUNK = 1 << 20
"""A larger file is stored in pieces of this size, so that a change stores only the changed pieces."""
PATIENCE = 30.0
SCHEMA = """
CREATE TABLE IF NOT EXISTS objects (digest BLOB PRIMARY KEY, form INTEGER NOT NULL, content BLOB NOT NULL)
    WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS snapshots (
    id TEXT PRIMARY KEY, at TEXT NOT NULL, label TEXT NOT NULL, tree TEXT NOT NULL, rest TEXT NOT NULL,
    rules TEXT NOT NULL, session TEXT NOT NULL, number INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS seen (rules TEXT PRIMARY KEY, content BLOB NOT NULL);
"""
FORMAT = 1
MAKE_ROOM = "Make room or give permission, or choose another place with PRP_SESSION_DIR."
SPOILT = (
    "The file is damaged: move it away, and dualgate creates a new one; 'sqlite3 FILE .recover' may save what is in it."
)
# message of SQLite -> advice
WAYS_OUT = {
    "not a database": SPOILT,
    "malformed": SPOILT,
    "locked": "Another dualgate is using it: wait until that run ends, and try again.",
}
PLAIN, PACKED, PIECES = range(3)


class _Explained:
    """Turns errors of the file into StoreFailed with advice. Not a generator: every object enters it several times."""

    def __init__(self, file: Path, make_room: str) -> None:
        self._file = file
        self._make_room = make_room

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is None:
            return
        import sqlite3

        if isinstance(error, (OSError, sqlite3.Error)):
            way_out = next((way for words, way in WAYS_OUT.items() if words in str(error)), self._make_room)
            raise StoreFailed(f"A snapshot cannot be kept or read in {self._file}: {error}.", way_out) from error


class Objects:
    """The object store, a database: a crash or a full disk during a snapshot leaves the earlier content intact."""

    def __init__(self, file: Path, make_room: str = MAKE_ROOM) -> None:
        self.file = file
        self.rollbacks = 0
        """How often writes were rolled back; after each, a cache of stored objects is invalid."""
        self._depth = 0
        self._explained = _Explained(file, make_room)

    @cached_property
    def database(self) -> "sqlite3.Connection":
        import sqlite3

        with self._explained:
            make_private(self.file.parent)
            # files may contain secrets, such as those of an .env
            os.close(open_private(str(self.file), os.O_RDWR | os.O_CREAT))
            close_to_others(self.file)
            database = sqlite3.connect(self.file, timeout=PATIENCE, isolation_level=None)
            database.execute("PRAGMA auto_vacuum = INCREMENTAL")
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = FULL")
            self._prepare(database)
        return database

    @contextmanager
    def writing(self, at_once: bool = False) -> Iterator[None]:
        """A transaction: the block's writes are committed together or rolled back. It begins with the first write.

        With `at_once` it begins now, and no other process can write: what the block reads cannot be deleted.
        """
        self._depth += 1
        try:
            if at_once:
                self._begin()
            yield
            if self._depth == 1:
                self._commit()
        except BaseException:
            if self._depth == 1:
                self._roll_back()
            raise
        finally:
            self._depth -= 1

    def write(self, statement: str, *values: object) -> None:
        """Execute a statement that writes, in the transaction of the surrounding `writing` block."""
        with self.writing(), self._explained:
            self._begin()
            self.database.execute(statement, values)

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        with self._explained:
            return self.database.execute(statement, values).fetchall()

    def _begin(self) -> None:
        if not self.database.in_transaction:
            with self._explained:
                self.database.execute("BEGIN IMMEDIATE")

    def _commit(self) -> None:
        with self._explained:
            if self.database.in_transaction:
                self.database.execute("COMMIT")

    def _roll_back(self) -> None:
        """Roll back, unless SQLite has done so already or the file could not be opened."""
        self.rollbacks += 1
        if "database" in self.__dict__ and self.database.in_transaction:
            with self._explained:
                self.database.execute("ROLLBACK")

    def put(self, content: bytes) -> str:
        digest = sha256(content)
        if len(content) <= CHUNK:
            self._keep(digest.digest(), content)
        else:
            self._keep_pieces(digest.digest(), (content[i : i + CHUNK] for i in range(0, len(content), CHUNK)))
        return digest.hexdigest()

    def put_file(self, file: BinaryIO, size: int = CHUNK) -> str:
        """Store the rest of an open file, piece by piece; `size` is its recent size, which may have changed."""
        first = file.read(min(size, CHUNK) + 1)  # a buffer for a whole piece takes longer than reading
        if size < len(first) <= CHUNK:
            first += file.read(CHUNK + 1 - len(first))
        if len(first) <= CHUNK:
            return self.put(first)
        digest = sha256(first)
        pieces = [self.put(first[:CHUNK])]
        carried = first[CHUNK:]
        while read := file.read(CHUNK - len(carried)):
            digest.update(read)
            carried += read
            if len(carried) == CHUNK:
                pieces.append(self.put(carried))
                carried = b""
        if carried:
            pieces.append(self.put(carried))
        self._insert(digest.digest(), PIECES, b"".join(map(bytes.fromhex, pieces)))
        return digest.hexdigest()

    def get(self, digest: str) -> bytes:
        return b"".join(self.pieces(digest))

    def pieces(self, digest: str) -> Iterator[bytes]:
        """The bytes of an object, piece by piece."""
        form, content = self._read(bytes.fromhex(digest))
        if form == PIECES:
            for i in range(0, len(content), 32):
                yield from self.pieces(content[i : i + 32].hex())
        else:
            yield self._checked(digest, form, content)

    def parts(self, digest: str) -> Iterable[str]:
        """The digest of an object, and those of the pieces that it is stored in."""
        form, content = self._read(bytes.fromhex(digest))
        yield digest
        if form == PIECES:
            yield from (content[i : i + 32].hex() for i in range(0, len(content), 32))

    def has(self, digest: str) -> bool:
        return self._has(bytes.fromhex(digest))

    def keep_only(self, wanted: Callable[[str], bool]) -> None:
        """Delete every object that is not wanted."""
        with self.writing():
            for (digest,) in self.rows("SELECT digest FROM objects"):
                if not wanted(digest.hex()):
                    self.write("DELETE FROM objects WHERE digest = ?", digest)

    def shrink(self) -> None:
        """Return the space of deleted objects to the disk."""
        self.rows("PRAGMA incremental_vacuum")
        self.rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def size(self) -> int:
        """Bytes in use."""
        pages, free, length = (
            self.rows(f"PRAGMA {name}")[0][0] for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * length)

    def close(self) -> None:
        if "database" in self.__dict__:
            self.database.close()
            del self.__dict__["database"]

    def _prepare(self, database: "sqlite3.Connection") -> None:
        ((found,),) = database.execute("PRAGMA user_version").fetchall()
        if found > FORMAT:
            raise StoreFailed(
                f"The snapshots in {self.file} were written by a newer dualgate (format {found}).",
                "Use that version, or another place with PRP_SESSION_DIR.",
            )
        if found < FORMAT:
            database.executescript(f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version = {FORMAT}; COMMIT;")

    def _keep(self, digest: bytes, content: bytes) -> None:
        if self._has(digest):
            return
        packed = zlib.compress(content, 1)
        if len(packed) < len(content):
            self._insert(digest, PACKED, packed)
        else:
            self._insert(digest, PLAIN, content)

    def _keep_pieces(self, digest: bytes, pieces: Iterable[bytes]) -> None:
        if not self._has(digest):
            self._insert(digest, PIECES, b"".join(bytes.fromhex(self.put(piece)) for piece in pieces))

    def _has(self, digest: bytes) -> bool:
        return bool(self.rows("SELECT 1 FROM objects WHERE digest = ?", digest))

    def _insert(self, digest: bytes, form: int, content: bytes) -> None:
        self.write("INSERT OR IGNORE INTO objects VALUES (?, ?, ?)", digest, form, content)

    def _read(self, digest: bytes) -> tuple[int, bytes]:
        for form, content in self.rows("SELECT form, content FROM objects WHERE digest = ?", digest):
            return form, content
        raise StoreFailed(
            f"The stored object {digest.hex()[:12]} is missing in {self.file}.",
            "It was pruned, or the file was replaced; 'dualgate snapshot list' shows what is there.",
        )

    def _checked(self, digest: str, form: int, content: bytes) -> bytes:
        """Unpack an object and compare its digest: SQLite does not notice a damaged byte on the disk."""
        with suppress(zlib.error):
            plain = zlib.decompress(content) if form == PACKED else content
            if sha256(plain).hexdigest() == digest:
                return plain
        raise StoreFailed(f"The stored object {digest[:12]} in {self.file} is damaged.", SPOILT)
