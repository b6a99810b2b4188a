"""Names, a tree -> those of the names that no source of the tree has."""

import re
from collections.abc import Collection

from dualgate.core.values.notation import shown
from dualgate.workspace.snapshots import Snapshots
from dualgate.workspace.steering.paths import belongs_to_tests, is_document

WORD = re.compile(r"[A-Za-z_]\w*")


def unmentioned(names: Collection[str], tree: str, snapshots: Snapshots) -> frozenset[str]:
    left = frozenset(names)
    for path, entry in snapshots.entries(tree):
        if not left:
            break
        if not (is_document(shown(path)) or belongs_to_tests(shown(path)) or entry.is_link) and entry.is_kept:
            text = snapshots.content(entry).decode("utf-8", "replace")
            # a script is called by the name of its file
            left -= {*WORD.findall(text if path.endswith(".py") else f"{shown(path)} {text}")}
    return left
