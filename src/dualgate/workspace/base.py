"""What a work tree is to the loop."""

from collections.abc import Collection
from typing import Protocol

from dualgate.core.values.changes import Changes, Edits, RolledBack
from dualgate.core.values.state import LoopState


class Workspace(Protocol):
    @property
    def present(self) -> str: ...

    def edited(self, state: LoopState) -> Edits | None:
        """What a person changed since the last look; None where that is nothing."""
        ...

    def adopt(self, tree: str) -> None:
        """Go on from a state that was seen before."""
        ...

    def leave(self) -> str:
        """Keep the work tree as it is left; answers with its name."""
        ...

    def settle(self, state: LoopState) -> Changes:
        """After a call: what it changed, what of that was undone, and the state that is judged."""
        ...

    def become(self, tree: str, label: str) -> RolledBack:
        """Give the work tree a state that it had, or one made from such; the present one is kept under the label."""
        ...

    def read(self, tree: str, path: str) -> bytes | None:
        """What a file holds in a state; None where it is not there, or is no file that is kept."""
        ...

    def rewritten(self, tree: str, path: str, content: bytes) -> str:
        """A state with other content in a file that is there; the work tree stays as it is."""
        ...

    def written_since(self) -> tuple[str, ...]:
        """What changed since the last look: what a run of the tests wrote by itself."""
        ...

    def learned(self, first: Collection[str], second: Collection[str]) -> tuple[str, ...]:
        """Patterns of what test runs write, from what two of them wrote."""
        ...

    def after_run(self, outputs: Collection[str]) -> tuple[str, ...]:
        """What a test run wrote beside its known outputs."""
        ...
