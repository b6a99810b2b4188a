"""What a work tree is to the loop."""

from collections.abc import Collection
from typing import Protocol

from dualgate.core.state import LoopState
from dualgate.core.vocabulary import Changes


class Workspace(Protocol):
    @property
    def present(self) -> str: ...

    def settle(self, state: LoopState) -> Changes: ...

    def written_since(self) -> tuple[str, ...]: ...

    def after_run(self, outputs: Collection[str]) -> tuple[str, ...]: ...
