"""Session folders -> the rows of all sessions in memory. One change costs one session, however many there are."""

import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

import msgspec

from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.vocabulary import Status
from dualgate.errors import DualgateError, SessionMissing
from dualgate.store.account import Account
from dualgate.store.archive import folders_in, is_at_work, places_in
from dualgate.store.home import sessions_home, short_hash
from dualgate.store.reading import journal_mark
from dualgate.store.sessions import owned_folders
from dualgate.web.answers import encoded
from dualgate.web.loading import Loaded, load
from dualgate.web.rows import SeenSession, row_of

ACCOUNTS_KEPT = 24
"""Sessions whose whole state stays in memory: those that changed last."""
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]")
_LONGEST_NAME = 80


class ChangeKind(StrEnum):
    ROW = "row"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A session that is new, changed or gone."""

    kind: ChangeKind
    id: str
    body: bytes
    """The data of the event, as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A session in memory."""

    id: str
    folder: Path
    archived: bool
    seen: SeenSession
    mark: tuple[int, int, int]
    body: bytes
    """Its row, as JSON without secrets."""

    @property
    def top(self) -> Path:
        """Its session folder, which holds the archive too."""
        return self.folder.parent.parent if self.archived else self.folder

    @property
    def is_watched(self) -> bool:
        """Whether its process may end without a word in the journal."""
        summary = self.seen.summary
        return not self.archived and (summary.status is Status.RUNNING or summary.alive)


class Register:
    """All sessions. One thread changes it at a time; readers take what is there."""

    def __init__(self, environment: Mapping[str, str], redactor: Redactor, more: Sequence[Path] = ()) -> None:
        self._environment = environment
        self._redactor = redactor
        self._more = tuple(more)
        self._entries: dict[Path, Entry] = {}
        self._folders: dict[str, Path] = {}
        self._accounts: OrderedDict[Path, Account] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def homes(self) -> tuple[Path, ...]:
        """The folders of session folders."""
        given = (each for each in self._more if not _is_session_folder(each))
        return tuple(dict.fromkeys((sessions_home(self._environment), *given)))

    def places(self) -> tuple[Path, ...]:
        """The folders that the user knows: the home of sessions, and those given."""
        return tuple(dict.fromkeys((sessions_home(self._environment), *self._more)))

    def tops(self) -> list[Path]:
        """The session folders; each holds the present session of a project, and its archive."""
        inside = (folder for home in self.homes for folder in folders_in(home))
        given = (each for each in self._more if _is_session_folder(each))
        return list(dict.fromkeys((*inside, *owned_folders(self._environment), *given)))

    def entries(self) -> list[Entry]:
        return list(self._entries.values())

    def entry(self, name: str) -> Entry:
        """The session with this id. Raises SessionMissing."""
        folder = self._folders.get(name)
        found = self._entries.get(folder) if folder else None
        if found is None:
            raise SessionMissing("There is no such session.", "The overview lists all sessions.")
        return found

    def sweep(self) -> Iterator[list[Change]]:
        """Look at all session folders, those that are gone included."""
        tops = self.tops()
        known = {entry.top for entry in self.entries()}
        for top in (*(known - {*tops}), *tops):
            if changes := self.look(top):
                yield changes

    def look(self, top: Path) -> list[Change]:
        """Look at the present session of a session folder and at its archive."""
        with self._lock:
            places = dict(places_in(top))
            gone = [self._forget(each) for each in self.entries() if each.top == top and each.folder not in places]
            found = [change for place, archived in places.items() for change in self._refresh(place, archived)]
            return [*self._really(gone), *found]

    def knows(self, folder: Path) -> bool:
        return folder in self._entries

    def refresh(self, folder: Path) -> list[Change]:
        """Look at one session that is known; others are found by `look`."""
        with self._lock:
            known = self._entries.get(folder)
            return self._refresh(folder, known.archived) if known else []

    def check_alive(self) -> list[Change]:
        """Look again whether the runs that should be at work are."""
        with self._lock:
            return [change for entry in self.entries() if entry.is_watched for change in self._asked(entry)]

    def _asked(self, entry: Entry) -> list[Change]:
        summary = entry.seen.summary
        alive = is_at_work(summary.project)
        if alive == summary.alive:
            return []
        seen = replace(entry.seen, summary=replace(summary, alive=alive))
        return [self._keep(replace(entry, seen=seen))]

    def _refresh(self, folder: Path, archived: bool) -> list[Change]:
        known = self._entries.get(folder)
        try:
            mark = journal_mark(folder)
        except SessionMissing:
            return self._really([self._forget(known)]) if known else []
        except DualgateError:  # it is there and closed to us, which its row says
            mark = (0, 0, 0)
        if known and known.mark == mark:
            return []
        is_longer = known is not None and known.mark[0] == mark[0] and known.mark[1] <= mark[1]
        loaded = load(
            folder, archived, self._accounts.get(folder) if is_longer else None, known.seen if known else None
        )
        is_same = known is not None and known.seen.summary.id == loaded.seen.summary.id
        before = [self._forget(known)] if known and not is_same else []
        self._remember(folder, loaded)
        name = known.id if known and is_same else self._name_of(loaded.seen.summary.id, folder)
        entry = Entry(id=name, folder=folder, archived=archived, seen=loaded.seen, mark=mark, body=b"")
        return [self._keep(entry), *self._really(before)]

    def _keep(self, entry: Entry) -> Change:
        row = self._redactor.value(row_of(entry.seen, entry.id))
        entry = replace(entry, body=encoded(row))
        self._entries[entry.folder] = entry
        self._folders[entry.id] = entry.folder
        return Change(kind=ChangeKind.ROW, id=entry.id, body=b'{"row":%b}' % entry.body)

    def _forget(self, entry: Entry) -> str:
        self._entries.pop(entry.folder, None)
        self._accounts.pop(entry.folder, None)
        if self._folders.get(entry.id) == entry.folder:  # it may have been found in its new place already
            self._folders.pop(entry.id)
        return entry.id

    def _really(self, ids: Sequence[str]) -> list[Change]:
        """Those that did not only move, into the archive for example."""
        gone = [name for name in ids if name not in self._folders]
        return [Change(kind=ChangeKind.GONE, id=name, body=msgspec.json.encode({"id": name})) for name in gone]

    def _remember(self, folder: Path, loaded: Loaded) -> None:
        self._accounts.pop(folder, None)
        if loaded.account is not None:
            self._accounts[folder] = loaded.account
        while len(self._accounts) > ACCOUNTS_KEPT:
            self._accounts.popitem(last=False)

    def _name_of(self, said: str, folder: Path) -> str:
        """The id of a session in addresses; a copy of a session gets another one."""
        plain = _NOT_IN_NAMES.sub("-", said)[:_LONGEST_NAME]
        taken = self._folders.get(plain)
        is_free = taken is None or taken == folder or not taken.exists()
        return plain if is_free and plain == said and plain != folder.name else f"{plain}-{short_hash(folder)}"


def _is_session_folder(folder: Path) -> bool:
    return next(places_in(folder), None) is not None
