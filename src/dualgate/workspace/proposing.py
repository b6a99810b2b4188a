"""Refused edits -> the test configuration among them, as a tree that test runs can try."""

from collections.abc import Iterable

from dualgate.core.values.configuring import HIDING_PATH, IMPORT_PATH, Reach, Reconfiguration
from dualgate.core.values.notation import shown
from dualgate.core.values.vocabulary import Phase
from dualgate.workspace.guard import Refused
from dualgate.workspace.snapshots import Snapshots
from dualgate.workspace.steering.import_paths import hides_modules
from dualgate.workspace.steering.reconfiguring import CONFTEST, Reached

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
    proposed = snapshots.overlaid(tree, {path: each.edit.after for path, (each, _) in found.items()})
    files = [path for path, _ in snapshots.entries(proposed)]
    return Reconfiguration(
        tree=proposed,
        paths=tuple(map(shown, found)),
        created=tuple(shown(path) for path, (each, _) in found.items() if each.edit.before is None),
        deleted=tuple(shown(path) for path, (each, _) in found.items() if each.edit.after is None),
        settings=tuple(
            f"{shown(path)}: {name}"
            for path, (each, reached) in found.items()
            for name in filter(None, _settings(each, reached, files))
        ),
        reach=max((reached.reach for _, reached in found.values()), key=list(Reach).index),
    )


def _settings(refused: Refused, reached: Reached, files: Iterable[str]) -> tuple[str, ...]:
    """The changed settings of a file, with a name of its own for an import path that may hide modules."""
    path, content = refused.edit.path, refused.edit.contents[1]
    if IMPORT_PATH not in reached.settings or not path.endswith(CONFTEST) or content is None:
        return reached.settings
    return (HIDING_PATH,) if hides_modules(path, content, files) else reached.settings
