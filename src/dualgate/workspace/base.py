"""The work tree as the loop uses it."""

from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

from dualgate.core.values.changes import Changes, Edits, RolledBack
from dualgate.core.values.state import LoopState, Proof
from dualgate.workspace.trees import Entry


class Workspace(Protocol):
    @property
    def present(self) -> str:
        """The tree that was last looked at."""

    def edited(self, state: LoopState) -> Edits | None:
        """The changes of a person since the last look; None if nothing changed."""

    def adopt(self, tree: str) -> None:
        """Continue from an earlier tree."""

    def leave(self) -> str:
        """Save the work tree as it is left, and return its tree."""

    def settle(self, state: LoopState) -> Changes:
        """After a call: revert violations, and return all changes with the tree to judge."""

    def become(self, tree: str, label: str) -> RolledBack:
        """Roll the work tree back to a tree; save the present one under the label first."""

    def read(self, tree: str, path: str) -> bytes | None:
        """The content of a file in a tree; None if it is missing, a link or not kept."""

    def rewritten(self, tree: str, path: str, content: bytes) -> str:
        """A tree in which a file has this content; the work tree stays unchanged."""

    def with_changes(self, tree: str, since: str) -> str:
        """A tree to which the changes from another one to the present one are added; the work tree stays unchanged."""

    def unmentioned(self, names: Collection[str]) -> frozenset[str]:
        """Those of some names that no source of the present tree has, and no script is called; tests are no sources."""

    def with_tests(self, tree: str, tests: str, *, lone_imports: bool = False) -> str:
        """A tree with the code of one tree and the tests of another, whose imports may fail one by one."""

    def written_since(self) -> tuple[str, ...]:
        """Paths that changed since the last look: the files that a test run wrote."""

    def learned(self, first: Collection[str], second: Collection[str]) -> tuple[str, ...]:
        """Patterns of the outputs of test runs, from the files that two runs wrote."""

    def recurring(self, first: Collection[str], second: Collection[str], proof: Proof) -> tuple[str, ...]:
        """Patterns of new outputs, from the files that a run wrote and another one, begun without them."""

    def possible_outputs(self, written: Collection[str], proof: Proof) -> tuple[str, ...]:
        """Files to begin another run without: those that a run wrote, and others in new folders that only it names.

        Empty if one of the written files can be no new output.
        """

    def with_paths(self, tree: str, other: str, paths: Iterable[str]) -> str:
        """A tree with some paths as in another one; the work tree stays unchanged."""

    def clear_outputs(self, proof: Proof) -> Mapping[str, Entry]:
        """Remove the outputs that runs wrote for the first time during the work, and return them."""

    def restore_entries(self, entries: Mapping[str, Entry]) -> None:
        """Restore removed files that are still missing."""

    def after_run(self, outputs: Collection[str]) -> tuple[str, ...]:
        """Paths that a test run wrote beside its known outputs."""
