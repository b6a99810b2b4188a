"""Find changes of code and of files that steer tests while something else runs. Nothing is saved or reverted."""

from collections.abc import Collection
from pathlib import Path, PurePosixPath

from dualgate.core.values.changes import is_output
from dualgate.core.values.endings import CODE
from dualgate.core.values.notation import shown
from dualgate.processes.scratch import MAKE_ROOM
from dualgate.workspace.ignore import read_ignore_rules
from dualgate.workspace.objects import Objects
from dualgate.workspace.snapshots import Snapshots
from dualgate.workspace.steering.paths import is_steering
from dualgate.workspace.trees import Change


class Watch:
    """Compares the work tree with its state when the watch was created."""

    def __init__(self, root: Path, store: Path, outputs: Collection[str] = ()) -> None:
        # the digests are enough: no bytes are kept
        self._snapshots = Snapshots(root, Objects(store, MAKE_ROOM), read_ignore_rules(root), largest=0)
        self._outputs = outputs
        self._before = self._snapshots.take()

    def changed(self) -> tuple[str, ...]:
        changes = self._snapshots.changes(self._before, self._snapshots.take())
        return tuple(sorted(shown(change[0]) for change in changes if self._matters(change)))

    def _matters(self, change: Change) -> bool:
        path, was, _ = change
        if is_output(shown(path), self._outputs):
            return False
        # other files, such as logs, databases and reports, may be written by any test run and its services
        return is_steering(path) or (was is not None and PurePosixPath(path).suffix.lower() in CODE)
