"""Switch the work tree to another tree for a while.

The present tree is journaled and kept as a snapshot first, and restored whatever happens; after a kill, by a resume.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from dualgate.core.values.events import Event
from dualgate.core.values.suite import TrialEnded, TrialStarted
from dualgate.errors import StoreFailed
from dualgate.workspace.base import Workspace

BEFORE = "before a trial of"
AFTER = "as a trial left it:"


@dataclass(slots=True, kw_only=True)
class Swap:
    """The work tree while it is switched to another tree."""

    back: str
    """The tree that is restored afterwards: the present one, unless another is set."""
    left: tuple[str, ...] = ()
    """Paths that could not be switched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapRooms:
    """The work tree that is switched, and the journal that this is recorded in."""

    worktree: Workspace
    record: Callable[[Event], object]
    now: Callable[[], datetime]


@contextmanager
def swapped(tree: str, label: str, rooms: SwapRooms, *, ends: bool = True) -> Iterator[Swap]:
    """Switch the work tree to a tree, and restore `Swap.back`. With `ends=False` the caller records the end itself."""
    swap = Swap(back=rooms.worktree.present)
    rooms.record(TrialStarted(at=rooms.now(), label=label, tree=swap.back))
    is_cut_off = True
    try:
        swap.left = rooms.worktree.become(tree, f"{BEFORE} {label}").left
        yield swap
        is_cut_off = False
    finally:
        _restore_tree(swap.back, label, rooms.worktree)
        if ends or is_cut_off:
            rooms.record(TrialEnded(at=rooms.now(), label=label, tree=swap.back))


def _restore_tree(tree: str, label: str, worktree: Workspace) -> None:
    left = worktree.become(tree, f"{AFTER} {label}").left
    if left:
        raise StoreFailed(
            f"The work tree could not be restored after a trial of {label}: {', '.join(left)}.",
            f"'dualgate snapshot list' shows the state that was kept: {BEFORE} {label}.",
        )
