"""The work tree of a session: what a call changed, what the guard undid, and the state that is judged."""

import os
from collections.abc import Iterable
from pathlib import Path

from dualgate.core.state import LoopState
from dualgate.core.vocabulary import Changes, Violation
from dualgate.workspace.guard import Edit, broken_rule
from dualgate.workspace.ignore import read_ignore_rules
from dualgate.workspace.objects import Objects
from dualgate.workspace.snapshots import Difference, Snapshots, Tree, difference
from dualgate.workspace.steering import is_document


class WorkTree:
    def __init__(self, root: Path, session: Path) -> None:
        self._root = root
        self._snapshots = Snapshots(root, Objects(session / "objects"), read_ignore_rules(root, session))
        self._before = self._snapshots.take()

    @property
    def present(self) -> str:
        """The name of the state that was last looked at."""
        return self._before

    def settle(self, state: LoopState) -> Changes:
        """After a call: compare with the state before it, undo what the phase does not allow, and name what is left."""
        before = self._snapshots.tree(self._before)
        name = self._snapshots.take()
        after = self._snapshots.tree(name)
        violations = self._undo(state, before, after)
        if violations:
            name = self._snapshots.take()
            after = self._snapshots.tree(name)
        self._before = name
        change = difference(before, after)
        start = self._snapshots.tree(state.proof.start_tree) if state.proof.start_tree else before
        return Changes(
            tree=name,
            created=_shown(change.created),
            modified=_shown(change.modified),
            deleted=_shown(change.deleted),
            violations=violations,
            documents=_documents(difference(start, after)),
        )

    def written_since(self) -> tuple[str, ...]:
        """Paths that changed since the last look: what a test run wrote. The new state is the one looked at."""
        before = self._snapshots.tree(self._before)
        self._before = self._snapshots.take()
        return _shown(difference(before, self._snapshots.tree(self._before)).paths)

    def _undo(self, state: LoopState, before: Tree, after: Tree) -> tuple[Violation, ...]:
        frozen = {result.file for result in state.proof.red or ()}
        found = []
        for path in difference(before, after).paths:
            old, new = before.get(path), after.get(path)
            edit = Edit(path=path, before=old, after=new, content=self._snapshots.content)
            if rule := broken_rule(state.phase, edit, frozen):
                self._snapshots.restore(path, old)
                found.append(Violation(path=_show(path), rule=rule))
        return tuple(found)


def _documents(change: Difference) -> tuple[str, ...]:
    return _shown(path for path in (*change.created, *change.modified) if is_document(path))


def _shown(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(_show(path) for path in paths)


def _show(path: str) -> str:
    """A path as text that any file of ours can hold, even where its bytes are no text."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
