"""Trees that are made from others and the names in them; the work tree itself is not touched."""

import re
from collections.abc import Collection

from dualgate.core.values.notation import shown
from dualgate.workspace.snapshots import Snapshots
from dualgate.workspace.steering.lone_imports import with_lone_imports
from dualgate.workspace.steering.paths import belongs_to_tests, is_document, is_of_tests
from dualgate.workspace.trees import Entry

WORD = re.compile(r"[A-Za-z_]\w*")


def unmentioned_in(snapshots: Snapshots, tree: str, names: Collection[str]) -> frozenset[str]:
    """The names that no source of a tree mentions."""
    left = frozenset(names)
    for path, entry in snapshots.entries(tree):
        if not left:
            break
        if not (is_document(shown(path)) or belongs_to_tests(shown(path)) or entry.is_link) and entry.is_kept:
            text = snapshots.content(entry).decode("utf-8", "replace")
            # a script is called by the name of its file
            left -= {*WORD.findall(text if path.endswith(".py") else f"{shown(path)} {text}")}
    return left


def tree_with_tests(snapshots: Snapshots, tree: str, tests: str, *, lone_imports: bool = False) -> str:
    """A tree with the tests of another; with `lone_imports` each of their imports may fail alone."""
    theirs = {
        path: _lone(snapshots, path, entry) if lone_imports else entry
        for path, _, entry in snapshots.changes(tree, tests)
        if is_of_tests(path) and (entry is None or entry.is_kept)
    }
    return snapshots.overlaid(tree, theirs)


def _lone(snapshots: Snapshots, path: str, entry: Entry | None) -> Entry | None:
    if entry is None or entry.is_link or not path.endswith(".py"):
        return entry
    return Entry(entry.mode, snapshots.put(with_lone_imports(snapshots.content(entry))))
