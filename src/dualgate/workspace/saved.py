"""The saved snapshots of a work tree: save it, compare two, restore one."""

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dualgate.errors import SettingError
from dualgate.workspace.catalog import NOTHING_NEEDED, Catalog, Needed, Policy, Snapshot
from dualgate.workspace.ignore import IgnoreRules, read_ignore_rules
from dualgate.workspace.objects import Objects
from dualgate.workspace.restore import Restored, clear_abandoned, clear_leftovers, give_modes, make_folders, restore
from dualgate.workspace.snapshots import LARGEST_KEPT, Rest, Snapshots, content_of
from dualgate.workspace.trees import Change, Entry

USUAL = stat.S_IFDIR | 0o755
UNKEPT = "the present file is too large to keep, so it could not be restored later"


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """A finished restore; `before` is the snapshot that undoes it."""

    restored: Restored
    before: Snapshot


USUAL_POLICY = Policy()


class SavedSnapshots:
    """The snapshot store of a work tree; `own` are folders of dualgate that are not part of it."""

    def __init__(self, root: Path, store: Path, *own: Path, largest: int = LARGEST_KEPT) -> None:
        self.root = root
        self._own = (store.parent, *own)
        self._largest = largest
        self.objects = Objects(store)
        self.catalog = Catalog(self.objects)

    def __enter__(self) -> "SavedSnapshots":
        return self

    def __exit__(self, *_: object) -> None:
        self.objects.close()

    def save(self, label: str, at: datetime, session: str = "", snapshots: Snapshots | None = None) -> Snapshot:
        """Save the work tree; a caller that passes `snapshots` can use it without reading the tree again."""
        snapshots = snapshots or self.look_anew()
        with self.objects.writing(at_once=True):
            snapshots.recall()
            made = self.keep(snapshots, label, at, session)
            snapshots.remember()
        return made

    def keep(self, snapshots: Snapshots, label: str, at: datetime, session: str = "") -> Snapshot:
        """Take a snapshot of the work tree, and add it to the catalog."""
        with self.objects.writing(at_once=True):
            tree = snapshots.take()
            return self.catalog.add(tree, snapshots.rest(), snapshots.rules, label, at, session)

    def look_anew(self, *seen: str) -> Snapshots:
        """Snapshots by the present ignore rules; files of the newest snapshot and `seen` are not ignored."""
        clear_abandoned(self.root)
        rules, last = read_ignore_rules(self.root, *self._own).showing(seen), self.catalog.newest()
        if last is None:
            return self.snapshots(rules)
        entries = self.seen_as(last).entries
        return self.snapshots(rules.after(self.catalog.rules(last), lambda: (path for path, _ in entries(last.tree))))

    def snapshots(self, rules: IgnoreRules) -> Snapshots:
        return Snapshots(self.root, self.objects, rules, self._largest)

    def seen_as(self, snapshot: Snapshot) -> Snapshots:
        """Snapshots by the ignore rules of a snapshot: files ignored since are still seen."""
        return self.snapshots(self.catalog.rules(snapshot))

    def seen_once_as(self, snapshot: Snapshot) -> Snapshots:
        """The same for a single look: files that an earlier process saw by these rules are not read again."""
        clear_abandoned(self.root)
        snapshots = self.seen_as(snapshot)
        snapshots.recall()
        return snapshots

    def between(self, before: Snapshot, after: Snapshot) -> list[Change]:
        """The changes between two snapshots; a file ignored in one counts if the rules of the other show it."""
        first, second = self._shown_by(before, after), self._shown_by(after, before)
        return list(self.seen_as(before).changes(first, second))

    def _shown_by(self, snapshot: Snapshot, other: Snapshot) -> str:
        """The tree of a snapshot with its ignored files that the rules of the other do not ignore."""
        if snapshot.rules == other.rules:
            return snapshot.tree
        rules = self.catalog.rules(other)
        beside = {path: entry for path, entry in self.catalog.rest(snapshot).files.items() if not rules.hides(path)}
        return self.seen_as(other).overlaid(snapshot.tree, beside)

    def unkept(self, snapshot: Snapshot) -> tuple[str, ...]:
        """Paths that are known and cannot be restored."""
        entries = self.seen_as(snapshot).entries(snapshot.tree)
        return tuple(path for path, entry in entries if not entry.is_kept)

    def content(self, entry: Entry | None) -> bytes | None:
        return None if entry is None else content_of(entry, self.objects)

    def restore(self, target: Snapshot, paths: Sequence[str], at: datetime) -> Returned:
        """Restore the work tree, or some paths of it; the present state is saved first."""
        snapshots = self.seen_once_as(target)
        clear_leftovers(self.root)
        before = self.keep(snapshots, f"before the restore of {target.id}", at)
        beside, was_beside = self.catalog.rest(before), self.catalog.rest(target)
        changed = list(snapshots.changes(before.tree, target.tree))
        _require_known(paths, changed, snapshots, (before.tree, target.tree), was_beside)
        wanted = {path: now for path, _, now in changed if chosen(path, paths)}
        wanted |= {path: entry for path, entry in self._restored_beside(beside, was_beside) if chosen(path, paths)}
        lost = {path for path, was, _ in changed if _would_be_lost(was)}
        lost |= {p for p in wanted if p in was_beside.files and p not in beside.files and (self.root / p).exists()}
        kept_out = {path for path in wanted if path in lost or not lost.isdisjoint(_above(path))}
        surplus = [p for p in beside.folders if p not in was_beside.folders and chosen(p, paths)]
        todo = {path: entry for path, entry in wanted.items() if path not in kept_out}
        restored = restore(self.root, todo, snapshots, surplus=surplus)
        self._give_folders(snapshots.folders, was_beside, (*restored.done, *surplus), paths)
        failed = {**restored.failed, **dict.fromkeys(sorted(kept_out), UNKEPT)}
        return Returned(restored=Restored(done=restored.done, failed=failed), before=before)

    def _restored_beside(self, beside: Rest, was_beside: Rest) -> Iterator[tuple[str, Entry]]:
        """Files beside the work to restore; the link of a submodule only if nothing is at its path."""
        for path, entry in was_beside.files.items():
            is_link = path.rpartition("/")[2] == ".git"
            is_there = os.path.lexists(self.root / path) if is_link else beside.files.get(path) == entry
            if not is_there:
                yield path, entry

    def _give_folders(self, now: Mapping[str, int], then: Rest, done: Iterable[str], paths: Sequence[str]) -> None:
        """Restore empty folders and modes; a folder on the way to a restored path keeps its mode."""
        given = {path for path in now.keys() | then.folders.keys() if chosen(path, paths)}
        on_the_way = {folder for path in (*done, *given) for folder in _above(path)}
        given |= {path for path in on_the_way if path not in now}
        make_folders(self.root, (given | on_the_way) & then.folders.keys())
        passed = {path: now[path] for path in on_the_way - given}
        give_modes(self.root, passed | {path: then.mode_of(path) or USUAL for path in given})

    def prune(self, policy: Policy, now: datetime, needed: Needed = NOTHING_NEEDED) -> tuple[list[Snapshot], int]:
        """Prune; return the deleted snapshots and the number of freed bytes."""
        before = self.objects.size()
        gone = self.catalog.prune(policy, now, needed)
        return gone, before - self.objects.size()

    def tidy(self, now: datetime, policy: Policy = USUAL_POLICY) -> None:
        """Prune if the policy deletes anything."""
        if self.catalog.outside(policy, now):
            self.prune(policy, now)


def chosen(path: str, paths: Sequence[str]) -> bool:
    return not paths or any(path == each or path.startswith(f"{each}/") or each == "." for each in paths)


def _above(path: str) -> Iterable[str]:
    """The folders that a path is in."""
    return (path[:i] for i, sign in enumerate(path) if sign == "/")


def _would_be_lost(entry: Entry | None) -> bool:
    """Whether a file or folder with content was not kept; pipes and sockets have no content."""
    return entry is not None and not entry.is_kept and (stat.S_ISREG(entry.mode) or stat.S_ISDIR(entry.mode))


def _require_known(
    paths: Sequence[str], changed: Sequence[Change], snapshots: Snapshots, trees: Collection[str], beside: Rest
) -> None:
    """Refuse a path that is in neither state: it is a typing error."""
    touched = [path for path, _, _ in changed]
    known = [*touched, *beside.files, *(path for tree in trees for path, _ in snapshots.entries(tree))] if paths else []
    for given in paths:
        if not any(chosen(path, [given]) for path in known):
            raise SettingError(
                f"'{given}' is neither in the snapshot nor in the work tree.",
                "Paths are seen from the project's root; 'dualgate snapshot show ID' lists them.",
            )
