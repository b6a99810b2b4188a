"""Refused edits -> the test configuration among them, as a tree that test runs can try."""

from collections.abc import Iterable

from dualgate.core.values.configuring import Reach, Reconfiguration
from dualgate.core.values.notation import shown
from dualgate.core.values.vocabulary import Phase
from dualgate.workspace.guard import Refused
from dualgate.workspace.snapshots import Snapshots

PROPOSED_IN = frozenset({Phase.GREEN, Phase.REFACTOR})
"""Phases that may need configuration; RED may write it anyway."""


def proposed_by(phase: Phase, refused: Iterable[Refused], tree: str, snapshots: Snapshots) -> Reconfiguration | None:
    """The reverted configuration that a session may try; only of files that are now as the guard left them."""
    found = {
        each.edit.path: (each, each.reached)
        for each in refused
        if each.reached and snapshots.entry(tree, each.edit.path) == each.right
    }
    if not found or phase not in PROPOSED_IN:
        return None
    return Reconfiguration(
        tree=snapshots.overlaid(tree, {path: each.edit.after for path, (each, _) in found.items()}),
        paths=tuple(map(shown, found)),
        created=tuple(shown(path) for path, (each, _) in found.items() if each.edit.before is None),
        deleted=tuple(shown(path) for path, (each, _) in found.items() if each.edit.after is None),
        settings=tuple(
            f"{shown(path)}: {name}" for path, (_, reached) in found.items() for name in filter(None, reached.settings)
        ),
        reach=max((reached.reach for _, reached in found.values()), key=list(Reach).index),
    )
