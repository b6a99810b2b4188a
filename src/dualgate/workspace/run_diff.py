"""Two trees -> the files that differ, for a reviewer. Nothing is written."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from dualgate.core.values.changes import FileDiff, Rewritten, is_output
from dualgate.core.values.notation import shown
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Phase
from dualgate.workspace.differences import changed_lines, file_diff
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.snapshots import Snapshots
from dualgate.workspace.trees import Change


def diffs_between(snapshots: Snapshots, before: str, after: str, outputs: Collection[str]) -> Iterator[FileDiff]:
    """The files that differ between two kept trees, without the outputs of test runs."""
    for change in snapshots.changes(before, after):
        if not is_output(shown(change[0]), outputs):
            yield _diff(snapshots, change)


def _diff(snapshots: Snapshots, change: Change) -> FileDiff:
    path, *entries = change
    is_text = all(entry is None or (entry.is_kept and not entry.is_link) for entry in entries)
    was, now = (None if entry is None else snapshots.content(entry) if is_text else b"" for entry in entries)
    return file_diff(shown(path), was, now, is_text)


def lines_since_review(state: LoopState, after: str, snapshots: Snapshots) -> Iterator[Rewritten]:
    """The changed lines of each file since the last review; empty outside of QA."""
    if state.phase is not Phase.QA or not state.reviews.tree:
        return
    for path, was, now in snapshots.changes(state.reviews.tree, after):
        kept = [entry if entry is not None and entry.is_kept else None for entry in (was, now)]
        contents = [None if entry is None else snapshots.content(entry) for entry in kept]
        yield Rewritten(path=shown(path), lines=changed_lines(*contents))


@dataclass(frozen=True, slots=True)
class KeptChanges:
    """The changes of a session as its snapshots hold them, for a reader that does not run it."""

    saved: SavedSnapshots

    def diffs(self, state: LoopState) -> tuple[FileDiff, ...]:
        """The changes of the run up to the tree that was judged last; empty if its snapshots are gone."""
        first = self.saved.catalog.first_of(state.session_id)
        if first is None or not all(map(self.saved.objects.has, (state.proof.start_tree, state.tree))):
            return ()
        snapshots = self.saved.seen_as(first)
        return tuple(diffs_between(snapshots, state.proof.start_tree, state.tree, state.proof.outputs))

    def saved_as(self, tree: str, label: str) -> str:
        """The id of the snapshot that holds a tree, or its label if none does."""
        return self.saved.catalog.holding(tree) or f"'{label}'"
