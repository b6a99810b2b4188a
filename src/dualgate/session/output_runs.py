"""Run tests or a check so that the run says which tree it saw: know its outputs, and learn new ones.

A new file that a run writes is its output if a second run, begun without it, writes it too. Known outputs of this kind
are removed before a run begins, so that no result depends on what an earlier run left.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from dualgate.core.evidence.run_outputs import with_outputs
from dualgate.core.values.changes import is_output
from dualgate.core.values.state import LoopState, Proof
from dualgate.session.swap import SwapRooms, swapped
from dualgate.workspace.base import Workspace

if TYPE_CHECKING:  # only for its type: the runs are made between those who record and those who ask for them
    from dualgate.session.record import Recording

Run = TypeVar("Run")
WITHOUT = "the tree without the files that a run wrote"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The effect of a run on the work tree."""

    tree: str
    """The work tree after it."""
    written: tuple[str, ...] = ()
    """Paths that it wrote besides outputs."""
    outputs: tuple[str, ...] = ()
    """Patterns of new outputs."""
    removed: tuple[str, ...] = ()
    """Files that were there before and not when it began."""
    is_repeated: bool = False
    """Whether `written` may be outputs, and the run is made again without them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputRuns:
    worktree: Workspace
    to: "Recording"

    def run(
        self, state: LoopState, once: Callable[[], Run], ended: Callable[[Run, Effect], Run], *, again: bool = False
    ) -> Run:
        """Make a run, and another one if the first wrote files that are no outputs; `ended` records each.

        With `again` the run begins with what the last one left.
        """
        proof = with_outputs(state.proof, self.to.learned)
        began = self.worktree.present
        cleared = {} if again else self.worktree.clear_outputs(proof)
        result = once()
        written = self.worktree.after_run(proof.outputs)
        self.worktree.restore_entries(cleared)
        possible = self.worktree.possible_outputs(written, proof) if written else ()
        result = ended(result, Effect(tree=self.worktree.present, written=written, is_repeated=bool(possible)))
        if not written:
            return result
        if possible:
            return self._learn(proof, began, (written, possible), once, ended)
        result = once()
        written = self.worktree.after_run(proof.outputs)
        return ended(result, Effect(tree=self.worktree.present, written=written))

    def _learn(
        self,
        proof: Proof,
        began: str,
        files: tuple[tuple[str, ...], tuple[str, ...]],
        once: Callable[[], Run],
        ended: Callable[[Run, Effect], Run],
    ) -> Run:
        """Run once more without what the first run wrote, and other possible outputs; those that it writes are some."""
        wrote, first = files
        present, worktree = self.worktree.present, self.worktree
        rooms = SwapRooms(worktree=worktree, record=self.to.record, now=self.to.now)
        with swapped(worktree.with_paths(present, proof.start_tree, first), WITHOUT, rooms) as swap:
            result = once()
            written = worktree.after_run(proof.outputs)
            patterns = worktree.recurring(first, written, proof)
            others = [path for path in first if not is_output(path, patterns)]
            swap.back = worktree.with_paths(worktree.present, present, others)
        self.to.learned.extend(patterns)
        # a file that only the first run wrote may be a person's, unless the run changed it
        changed = [path for path in others if path in wrote and worktree.read(began, path) is not None]
        wrong = tuple(dict.fromkeys((*changed, *(path for path in written if not is_output(path, patterns)))))
        return ended(result, Effect(tree=worktree.present, written=wrong, outputs=patterns, removed=first))
