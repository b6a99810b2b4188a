"""The saved snapshots of a work tree: list, find and prune them."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from dualgate.errors import SnapshotMissing
from dualgate.workspace.ignore import IgnoreRules, decoded_rules
from dualgate.workspace.objects import Objects
from dualgate.workspace.snapshots import Rest
from dualgate.workspace.trees import MISSING, Entry, decoded

ID_LENGTH = 10
COLUMNS = "id, at, label, tree, rest, rules, session, number"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    id: str
    at: datetime
    label: str
    tree: str
    rest: str
    """The object with the files and folders beside the work."""
    rules: str
    """The object with the ignore rules."""
    session: str
    """The session that took it; empty if a person did."""
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Pruning keeps the `keep_last` newest snapshots, and those younger than `keep_days`."""

    keep_last: int = 50
    keep_days: float = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """The snapshots that a session needs to resume, and trees that it names without a snapshot."""

    session: str = ""
    trees: frozenset[str] = frozenset()


NOTHING_NEEDED = Needed()


class Catalog:
    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def add(self, tree: str, rest: Rest, rules: IgnoreRules, label: str, at: datetime, session: str = "") -> Snapshot:
        with self._objects.writing():
            number = self._objects.rows("SELECT coalesce(max(number), 0) + 1 FROM snapshots")[0][0]
            made = Snapshot(
                id=sha256(f"{number} {tree} {at}".encode()).hexdigest()[:ID_LENGTH],
                at=at,
                label=label,
                tree=tree,
                rest=self._objects.put(_encoded(rest)),
                rules=self._objects.put(rules.encoded()),
                session=session,
                number=number,
            )
            values = (made.id, at.isoformat(), label, tree, made.rest, made.rules, session, number)
            self._objects.write(f"INSERT INTO snapshots ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *values)
        return made

    def all(self) -> list[Snapshot]:
        """Oldest first."""
        return [_snapshot(row) for row in self._objects.rows(f"SELECT {COLUMNS} FROM snapshots ORDER BY number")]

    def newest(self) -> Snapshot | None:
        rows = self._objects.rows(f"SELECT {COLUMNS} FROM snapshots ORDER BY number DESC LIMIT 1")
        return _snapshot(rows[0]) if rows else None

    def first_of(self, session: str) -> Snapshot | None:
        """The first snapshot of a session, by whose rules its work tree is seen."""
        return next((each for each in self.all() if each.session == session), None)

    def holding(self, tree: str) -> str:
        """The id of the newest snapshot that holds a tree; empty if none does."""
        return next((each.id for each in reversed(self.all()) if each.tree == tree), "")

    def find(self, name: str) -> Snapshot:
        """Find a snapshot by its id, the beginning of its id, or its whole tree."""
        held = self.all()
        fitting = [each for each in held if name == each.tree] or [s for s in held if name and s.id.startswith(name)]
        if not fitting:
            known = f"The newest is {held[-1].id}." if held else "No snapshot exists yet."
            raise SnapshotMissing(f"There is no snapshot '{name}'. {known}", "'dualgate snapshot list' shows them all.")
        if len({each.id for each in fitting}) > 1 and fitting[-1].tree != name:
            ids = ", ".join(each.id for each in fitting[:5])
            raise SnapshotMissing(
                f"'{name}' begins the ids of several snapshots: {ids}.", ("Give more characters of the id.")
            )
        return fitting[-1]

    def rest(self, snapshot: Snapshot) -> Rest:
        files, folders, usual = json.loads(self._objects.get(snapshot.rest))
        entries = {path: Entry(mode, digest) for path, (mode, digest) in files.items()}
        return Rest(files=entries, folders=folders, usual=usual)

    def rules(self, snapshot: Snapshot) -> IgnoreRules:
        return decoded_rules(self._objects.get(snapshot.rules))

    def prune(self, policy: Policy, now: datetime, needed: Needed = NOTHING_NEEDED) -> list[Snapshot]:
        """Delete the snapshots that neither the policy nor a session keeps, and return them."""
        trees = [tree for tree in needed.trees if self._objects.has(tree)]
        with self._objects.writing(at_once=True):
            gone = self.outside(policy, now, needed)
            for snapshot in gone:
                self._objects.write("DELETE FROM snapshots WHERE id = ?", snapshot.id)
            self._objects.write("DELETE FROM seen")
            self._objects.keep_only(set(self._reachable(self.all(), trees)).__contains__)
        self._objects.shrink()
        return gone

    def outside(self, policy: Policy, now: datetime, needed: Needed = NOTHING_NEEDED) -> list[Snapshot]:
        """The snapshots that neither the policy nor a session keeps."""
        held = self.all()
        oldest = now - timedelta(days=policy.keep_days)
        newest = {each.id for each in held[-policy.keep_last :]} if policy.keep_last else set()
        kept = newest | {each.id for each in held if each.session and each.session == needed.session}
        return [each for each in held if each.id not in kept and each.at < oldest]

    def _reachable(self, snapshots: Iterable[Snapshot], trees: Iterable[str]) -> Iterator[str]:
        seen: set[str] = set()
        for tree in trees:
            yield from self._of_tree(tree, seen)
        for snapshot in snapshots:
            yield from self._objects.parts(snapshot.rules)
            yield from self._objects.parts(snapshot.rest)
            for entry in self.rest(snapshot).files.values():
                yield from self._objects.parts(entry.digest)
            yield from self._of_tree(snapshot.tree, seen)

    def _of_tree(self, tree: str, seen: set[str]) -> Iterator[str]:
        if tree == MISSING or tree in seen:
            return
        seen.add(tree)
        yield from self._objects.parts(tree)
        for entry in decoded(self._objects.get(tree)).values():
            if entry.is_folder:
                yield from self._of_tree(entry.digest, seen)
            elif entry.is_kept and entry.digest not in seen:
                seen.add(entry.digest)
                yield from self._objects.parts(entry.digest)


def _encoded(rest: Rest) -> bytes:
    files = {path: [entry.mode, entry.digest] for path, entry in rest.files.items()}
    return json.dumps([files, dict(rest.folders), rest.usual], sort_keys=True).encode("ascii")


def _snapshot(row: tuple[Any, ...]) -> Snapshot:
    values = dict(zip(COLUMNS.split(", "), row, strict=True))
    return Snapshot(**values | {"at": datetime.fromisoformat(values["at"])})
