"""Trees -> the code in them and the changed code: files that are more than tests, documents and stubs."""

from collections.abc import Collection, Iterable

from dualgate.core.values.changes import is_output
from dualgate.core.values.notation import shown
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Phase
from dualgate.workspace.snapshots import Snapshots
from dualgate.workspace.steering.paths import belongs_to_tests, is_document, is_work
from dualgate.workspace.steering.stubs import only_stubs
from dualgate.workspace.trees import Change, difference


def worked_on(
    state: LoopState, before: str, after: str, paths: Iterable[str], spec: Collection[str], snapshots: Snapshots
) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    """In RED the changed code, in BUILD the changed code and the changed tests among the changed paths."""
    if state.phase is not Phase.BUILD:
        began = state.proof.kept_tree or state.proof.start_tree or before
        return code_between(began, after, snapshots) if state.phase is Phase.RED else (), None
    own = {*spec, *([state.plan.file] if state.plan else [])}
    work = [p for p in paths if is_work(p) and p not in own and not is_output(p, state.proof.outputs)]
    return tuple(p for p in work if not belongs_to_tests(p)), tuple(filter(belongs_to_tests, work))


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
