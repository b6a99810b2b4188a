"""Trees -> the code in them and the changed code: files that are more than tests, documents and stubs."""

from dualgate.core.values.notation import shown
from dualgate.workspace.snapshots import Snapshots
from dualgate.workspace.steering.paths import belongs_to_tests, is_document
from dualgate.workspace.steering.stubs import only_stubs
from dualgate.workspace.trees import Change, difference


def code_between(before: str, after: str, snapshots: Snapshots) -> tuple[str, ...]:
    """Changed files that are no tests, no support of tests, no documents, and more than stubs."""
    changed = [each for each in snapshots.changes(before, after) if not _adds_only_stubs(each, snapshots)]
    paths = (shown(path) for path in difference(changed).paths)
    return tuple(path for path in paths if not (is_document(path) or belongs_to_tests(path)))


def _adds_only_stubs(change: Change, snapshots: Snapshots) -> bool:
    path, was, now = change
    entries = [entry for entry in (was, now) if entry is not None]
    if not path.endswith(".py") or any(entry.is_link or not entry.is_kept for entry in entries):
        return False
    return only_stubs(*(None if entry is None else snapshots.content(entry) for entry in (was, now)))
