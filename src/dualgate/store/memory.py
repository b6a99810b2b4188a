"""Memory across sessions and projects: a SQLite file with full-text search, shared by all processes of a person.

Entries are made from journals and are never evidence: a run continues without its memory. Each operation opens the
file again, so that a file that another process moved aside is noticed.
"""

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.memory import MemoryEntry, MemoryQuery, StoredEntry
from dualgate.errors import StoreFailed
from dualgate.processes.private import close_to_others, make_private, open_private
from dualgate.store.codec import UNREADABLE, encode_json

if TYPE_CHECKING:
    import sqlite3

T = TypeVar("T")
FORMAT = 1
PATIENCE = 10.0
MOST_FOUND = 200
FTS = "fts5"
SCHEMA = """
CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, project TEXT NOT NULL,
    at REAL NOT NULL, signature TEXT NOT NULL, content TEXT NOT NULL);
CREATE INDEX by_project ON entries (project, at);
CREATE INDEX by_signature ON entries (signature);
CREATE TABLE forgotten (key TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE marks (session TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING {fts} (text, cure, files, criteria);
"""
# messages of SQLite about a damaged file
DAMAGED = ("not a database", "malformed")
MAKE_ROOM = "Make room or give permission, or switch it off with: dualgate memory off"
WAYS_OUT = {
    "no such module": "Its SQLite lacks full-text search (FTS5): use a Python that has it, or: dualgate memory off",
    "locked": "Another dualgate is writing: try again.",
}


class MemoryStore:
    """The memory in one file. Secrets are redacted when an entry is written, and again when it is read."""

    def __init__(
        self, file: Path, redactor: Redactor, tell: Callable[[str], None] = lambda _: None, fts: str = FTS
    ) -> None:
        self._file = file
        self._redactor = redactor
        self._tell = tell
        self._schema = SCHEMA.format(fts=fts)

    def keep(self, entries: Sequence[MemoryEntry], most: int, session: str = "", seq: int = 0) -> None:
        """Write entries in one transaction, except those that a person forgot; `most` of a project stay.

        `seq` is the last event of the session that the memory has seen.
        """
        redacted = self._redactor.value(tuple(entries))

        def write(database: "sqlite3.Connection") -> None:
            for entry in redacted:
                _put(database, entry)
            for project in dict.fromkeys(entry.project for entry in redacted):
                _delete(database, _beyond(database, project, most))
            if session:
                database.execute("INSERT OR REPLACE INTO marks VALUES (?, ?)", (session, seq))

        self._in_transaction(write)

    def seen(self, session: str) -> int:
        """The last event of a session that was kept; 0 if none was."""
        rows = self._rows("SELECT seq FROM marks WHERE session = ?", session)
        return int(rows[0][0]) if rows else 0

    def find(self, query: MemoryQuery, project: str | None) -> tuple[StoredEntry, ...]:
        """Candidates for a query, in one project or (None) in all of them."""
        marks = ", ".join("?" * len(query.signatures))
        by_signature = self._entries(f"signature IN ({marks})", project, *query.signatures) if marks else ()
        return tuple({each.id: each for each in (*by_signature, *self._with_words(query, project))}.values())

    def search(self, words: Sequence[str], project: str | None) -> tuple[StoredEntry, ...]:
        """The entries that hold all words, the best first."""
        return self._matching(" AND ".join(map(_phrase, words)), project)

    def all(self, project: str | None) -> tuple[StoredEntry, ...]:
        """Every entry, the newest first."""
        return self._entries("1", project)

    def forget(self, ids: Sequence[int]) -> None:
        """Delete entries; their session does not add them again."""

        def write(database: "sqlite3.Connection") -> None:
            for each in ids:
                database.execute("INSERT OR IGNORE INTO forgotten SELECT key FROM entries WHERE id = ?", (each,))
            _delete(database, ids)
            database.execute("INSERT INTO words (words) VALUES ('optimize')")  # else the index keeps deleted words

        self._in_transaction(write)
        self._using(lambda database: database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())

    def _with_words(self, query: MemoryQuery, project: str | None) -> tuple[StoredEntry, ...]:
        parts = [*map(_phrase, query.words), *(f"files : {_phrase(path)}" for path in query.files[:MOST_FOUND])]
        return self._matching(" OR ".join(parts), project) if parts else ()

    def _matching(self, expression: str, project: str | None) -> tuple[StoredEntry, ...]:
        project = project and self._redactor.text(project)
        rows = self._rows(
            "SELECT entries.id, content FROM words JOIN entries ON entries.id = words.rowid "
            "WHERE words MATCH ? AND (? IS NULL OR project = ?) ORDER BY rank, entries.id DESC LIMIT ?",
            *(expression, project, project, MOST_FOUND),
        )
        return self._read(rows)

    def _entries(self, condition: str, project: str | None, *values: object) -> tuple[StoredEntry, ...]:
        project = project and self._redactor.text(project)
        rows = self._rows(
            f"SELECT id, content FROM entries WHERE {condition} AND (? IS NULL OR project = ?) "
            "ORDER BY at DESC, id DESC",
            *(*values, project, project),
        )
        return self._read(rows)

    def _read(self, rows: Iterable[tuple[Any, ...]]) -> tuple[StoredEntry, ...]:
        decoded = ((number, _decoded(content)) for number, content in rows)
        return self._redactor.value(tuple(StoredEntry(id=number, entry=entry) for number, entry in decoded if entry))

    def _rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        if not self._file.exists():
            return []
        return self._using(lambda database: database.execute(statement, values).fetchall())

    def _in_transaction(self, write: Callable[["sqlite3.Connection"], None]) -> None:
        def written(database: "sqlite3.Connection") -> None:
            database.execute("BEGIN IMMEDIATE")
            write(database)
            database.execute("COMMIT")  # without it, closing rolls back

        self._using(written)

    def _using(self, work: Callable[["sqlite3.Connection"], T]) -> T:
        """Do the work; a damaged file is moved aside, and the work is done in a new one."""
        import sqlite3

        before = _inode(self._file)
        try:
            try:
                return self._tried(work)
            except sqlite3.DatabaseError as error:
                if not any(words in str(error) for words in DAMAGED):
                    raise
                self._move_aside(before)
                return self._tried(work)
        except (OSError, sqlite3.Error) as error:
            way_out = next((way for words, way in WAYS_OUT.items() if words in str(error)), MAKE_ROOM)
            raise StoreFailed(f"The memory {self._file} cannot be used: {error}.", way_out) from error

    def _tried(self, work: Callable[["sqlite3.Connection"], T]) -> T:
        with closing(self._opened()) as database:
            return work(database)

    def _opened(self) -> "sqlite3.Connection":
        import sqlite3

        make_private(self._file.parent)
        os.close(open_private(str(self._file), os.O_RDWR | os.O_CREAT))
        close_to_others(self._file)
        database = sqlite3.connect(self._file, timeout=PATIENCE, isolation_level=None)
        try:
            database.execute("PRAGMA secure_delete = ON")
            if _format(database) != FORMAT:
                self._prepare(database)
        except BaseException:
            database.close()
            raise
        return database

    def _prepare(self, database: "sqlite3.Connection") -> None:
        with self._alone():
            found = _format(database)
            if found > FORMAT:
                raise StoreFailed(
                    f"The memory {self._file} was written by a newer dualgate (format {found}).", "Use that version."
                )
            if found < FORMAT:  # no other process has made it meanwhile
                database.execute("PRAGMA journal_mode = WAL")
                database.executescript(f"BEGIN IMMEDIATE; {self._schema} PRAGMA user_version = {FORMAT}; COMMIT;")

    def _move_aside(self, damaged: int) -> None:
        """Move the file with this inode away, unless another process did so meanwhile."""
        with self._alone():
            if _inode(self._file) != damaged:
                return
            aside = self._file.with_name(f"{self._file.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S%f}")
            self._file.rename(aside)
            for end in ("-wal", "-shm"):
                self._file.with_name(f"{self._file.name}{end}").unlink(missing_ok=True)
        self._tell(f"the memory was damaged and is now {aside}; a new one is started")

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """A lock of all processes, for creating the file and for moving it aside."""
        lock = os.open(self._file.with_name("memory.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


def _put(database: "sqlite3.Connection", entry: MemoryEntry) -> None:
    if database.execute("SELECT 1 FROM forgotten WHERE key = ?", (entry.key,)).fetchall():
        return
    content = encode_json(entry)
    entry = _DECODER.decode(content)  # without lone surrogates, which SQLite refuses
    row = (entry.key, entry.kind, entry.project, entry.at.timestamp(), entry.signature, content.decode())
    database.execute(
        "INSERT INTO entries (key, kind, project, at, signature, content) VALUES (?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (key) DO UPDATE SET at = excluded.at, signature = excluded.signature, content = excluded.content",
        row,
    )
    ((number,),) = database.execute("SELECT id FROM entries WHERE key = ?", (entry.key,)).fetchall()
    words = (number, entry.text, entry.cure, " ".join(entry.files), " ".join(entry.criteria))
    database.execute("DELETE FROM words WHERE rowid = ?", (number,))
    database.execute("INSERT INTO words (rowid, text, cure, files, criteria) VALUES (?, ?, ?, ?, ?)", words)


def _beyond(database: "sqlite3.Connection", project: str, most: int) -> list[int]:
    """The oldest entries of a project beyond the most that it may have; a person's notes stay longest."""
    rows = database.execute(
        "SELECT id FROM entries WHERE project = ? ORDER BY kind = 'note' DESC, at DESC, id DESC LIMIT -1 OFFSET ?",
        (project, most),
    )
    return [number for (number,) in rows.fetchall()]


def _delete(database: "sqlite3.Connection", ids: Iterable[int]) -> None:
    for each in ids:
        database.execute("DELETE FROM entries WHERE id = ?", (each,))
        database.execute("DELETE FROM words WHERE rowid = ?", (each,))


def _decoded(content: str) -> MemoryEntry | None:
    """An entry; None for one that this version cannot read."""
    try:
        return _DECODER.decode(content)
    except UNREADABLE:
        return None


def _inode(file: Path) -> int:
    """The inode of a file; 0 if it is missing."""
    try:
        return file.stat().st_ino
    except OSError:
        return 0


def _format(database: "sqlite3.Connection") -> int:
    ((found,),) = database.execute("PRAGMA user_version").fetchall()
    return int(found)


def _phrase(text: str) -> str:
    """A text as FTS5 takes it literally."""
    return '"' + text.replace('"', '""').replace("\0", " ") + '"'


_DECODER = msgspec.json.Decoder(MemoryEntry)
