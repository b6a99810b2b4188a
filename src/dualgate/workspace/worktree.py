"""The work tree of a session: what a call changed, what the guard undid, and the state that is judged."""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path, PurePosixPath

from dualgate.core.state import LoopState
from dualgate.core.vocabulary import Changes, Violation
from dualgate.workspace.guard import AFTER_RED, Edit, broken_freeze, broken_rule
from dualgate.workspace.ignore import read_ignore_rules
from dualgate.workspace.objects import Objects
from dualgate.workspace.restore import restore
from dualgate.workspace.snapshots import Snapshots, Tree, difference
from dualgate.workspace.steering import called_files, is_document, is_steering


class WorkTree:
    def __init__(self, root: Path, session: Path, command: Sequence[str] = ()) -> None:
        self._root = root
        self._called = called_files(root, command)
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
            documents=self._documents(start, after, state.proof.outputs),
        )

    def written_since(self) -> tuple[str, ...]:
        """Paths that changed since the last look: what a test run wrote. The new state is the one looked at."""
        before = self._snapshots.tree(self._before)
        self._before = self._snapshots.take()
        return _shown(difference(before, self._snapshots.tree(self._before)).paths)

    def after_run(self, outputs: Collection[str]) -> tuple[str, ...]:
        """What a test run wrote beside its known outputs. What was there before it, or steers, is put back."""
        before = self._snapshots.tree(self._before)
        self._before = self._snapshots.take()
        after = self._snapshots.tree(self._before)
        written = [p for p in difference(before, after).paths if _show(p) not in outputs or is_steering(p)]
        spoilt = [path for path in written if path in before or is_steering(path)]
        for path in spoilt:
            restore(self._root, path, before.get(path), self._snapshots)
        if spoilt:
            self._before = self._snapshots.take()
        return _shown(written)

    def _documents(self, start: Tree, after: Tree, outputs: Collection[str]) -> tuple[str, ...]:
        """Documents whose words are new: a new mode or an empty file documents nothing."""
        return tuple(
            _show(path)
            for path, entry in sorted(after.items())
            if is_document(path) and _show(path) not in outputs
            if path not in start or start[path].digest != entry.digest
            if self._snapshots.content(entry).strip()
        )

    def _undo(self, state: LoopState, before: Tree, after: Tree) -> tuple[Violation, ...]:
        """Against the proven state what is frozen, against the state before the call what the phase forbids."""
        proof = state.proof
        frozen = {result.file for result in proof.proven or ()} | self._called
        undone: dict[str, Violation] = {}
        if state.phase in AFTER_RED and proof.proven_tree:
            proven = self._snapshots.tree(proof.proven_tree)
            modules = frozenset(PurePosixPath(path).stem for path in proven if path.endswith(".py"))
            for path in difference(proven, after).paths:
                rule = broken_freeze(self._edit(path, proven, after), frozen, proof.outputs, modules)
                self._refuse(undone, path, proven, rule)
        for path in difference(before, after).paths:
            if path not in undone:
                self._refuse(undone, path, before, broken_rule(state.phase, self._edit(path, before, after)))
        return tuple(undone.values())

    def _edit(self, path: str, before: Tree, after: Tree) -> Edit:
        return Edit(path=path, before=before.get(path), after=after.get(path), content=self._snapshots.content)

    def _refuse(self, undone: dict[str, Violation], path: str, right: Tree, rule: str | None) -> None:
        if rule is None:
            return
        done = restore(self._root, path, right.get(path), self._snapshots)
        undone[path] = Violation(path=_show(path), rule=rule, undone=done)


def _shown(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(_show(path) for path in paths)


def _show(path: str) -> str:
    """A path as text that any file of ours can hold, even where its bytes are no text."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
