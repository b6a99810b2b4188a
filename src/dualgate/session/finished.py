"""Finished work that waits for approval -> the paths that changed since it was proven."""

from pathlib import Path

from dualgate.core.machine.resuming import CutOff
from dualgate.core.values.notation import in_line, listed
from dualgate.errors import ControlRefused, SnapshotMissing
from dualgate.session.host import Host
from dualgate.store.account import read_account
from dualgate.store.sessions import snapshot_store
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.worktree import GoesOn, WorkTree


def require_same_tree(host: Host, folder: Path) -> None:
    """Raise ControlRefused if the work tree is not the one that was proven. For the owner of the session."""
    changed = changed_since_finish(host, folder, read_account(folder).cut_off)
    if changed:
        raise ControlRefused(
            f"The work tree changed since it was proven: {listed(map(in_line, changed))}.",
            "Prove it again with 'dualgate resume', or restore these files and approve again.",
        )


def changed_since_finish(host: Host, folder: Path, found: CutOff) -> tuple[str, ...]:
    """The paths that a person changed since the work was finished, without outputs of test runs."""
    with SavedSnapshots(host.project, snapshot_store(host.project, host.environment), folder) as saved:
        first = saved.catalog.first_of(found.started.session_id)
        reached = found.reached or found.tree
        if first is None or not saved.objects.has(reached):
            raise SnapshotMissing(
                "The snapshot of the finished work is gone, so nothing shows whether the work tree is still the same.",
                f"Restore {saved.objects.file} with the files beside it (-wal, -shm), and approve again.",
            )
        goes_on = GoesOn(measured_from=reached, reached=reached)
        worktree = WorkTree(saved, saved.seen_as(first), host.now, found.started.session_id, goes_on=goes_on)
        edits = worktree.edited(found.state)
    return edits.paths if edits else ()
