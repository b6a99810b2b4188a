"""Snapshots and their differences, as lines for people and as objects for programs."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Protocol

from dualgate.core.values.notation import in_line, shown

UNITS = ("B", "KB", "MB", "GB", "TB")


class ShownSnapshot(Protocol):
    """The fields of a snapshot that are shown."""

    @property
    def id(self) -> str: ...
    @property
    def at(self) -> datetime: ...
    @property
    def label(self) -> str: ...
    @property
    def tree(self) -> str: ...
    @property
    def session(self) -> str: ...


class ShownChanges(Protocol):
    """The changes between two trees."""

    @property
    def created(self) -> tuple[str, ...]: ...
    @property
    def modified(self) -> tuple[str, ...]: ...
    @property
    def deleted(self) -> tuple[str, ...]: ...
    @property
    def renamed(self) -> tuple[tuple[str, str], ...]: ...


def snapshot_record(snapshot: ShownSnapshot) -> dict[str, Any]:
    return {
        "id": snapshot.id,
        "at": snapshot.at.isoformat(),
        "label": snapshot.label,
        "tree": snapshot.tree,
        "session": snapshot.session,
    }


def listing(snapshots: Sequence[ShownSnapshot], size: int) -> str:
    if not snapshots:
        return "There is no snapshot yet. Make one with: dualgate snapshot save"
    rows = [f"{each.id}  {each.at:%Y-%m-%d %H:%M:%S}  {each.label}" for each in snapshots]
    count = "1 snapshot" if len(snapshots) == 1 else f"{len(snapshots)} snapshots"
    return "\n".join([*rows, f"{count}, {sized(size)}"])


def change_record(changed: ShownChanges) -> dict[str, Any]:
    """Each path in one list only; bytes that are not text are escaped."""
    old_names = {old for old, _ in changed.renamed}
    new_names = {new for _, new in changed.renamed}
    return {
        "created": [shown(path) for path in changed.created if path not in new_names],
        "modified": [shown(path) for path in changed.modified],
        "deleted": [shown(path) for path in changed.deleted if path not in old_names],
        "renamed": [{"from": shown(old), "to": shown(new)} for old, new in changed.renamed],
    }


def change_lines(changed: ShownChanges) -> Iterator[str]:
    """One line for each path, and one for each rename."""
    old_names = {old for old, _ in changed.renamed}
    new_names = {new for _, new in changed.renamed}
    yield from (f"new       {in_line(path)}" for path in changed.created if path not in new_names)
    yield from (f"changed   {in_line(path)}" for path in changed.modified)
    yield from (f"deleted   {in_line(path)}" for path in changed.deleted if path not in old_names)
    yield from (f"renamed   {in_line(old)} → {in_line(new)}" for old, new in changed.renamed)


def sized(count: float) -> str:
    unit = 0
    while count >= 1000 and unit < len(UNITS) - 1:
        count, unit = count / 1000, unit + 1
    return f"{count:.0f} {UNITS[unit]}" if unit == 0 or count >= 100 else f"{count:.1f} {UNITS[unit]}"
