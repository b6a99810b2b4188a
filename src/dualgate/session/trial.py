"""Run tests on another tree, in the work tree itself: the project's environment and paths are valid only there.

The present tree is journaled and kept as a snapshot first, and restored whatever happens; after a kill, by a resume.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from dualgate.core.values.control import Control
from dualgate.core.values.events import Event
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import SuiteReport, TrialEnded, TrialStarted
from dualgate.errors import StoreFailed
from dualgate.session.suite_runs import SuiteRuns
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
        _give_back(swap.back, label, rooms.worktree)
        if ends or is_cut_off:
            rooms.record(TrialEnded(at=rooms.now(), label=label, tree=swap.back))


def try_tree(
    tree: str, label: str, only: tuple[str, ...], suites: SuiteRuns, state: LoopState, control: Control
) -> SuiteReport:
    """Run the tests with these ids (all if there are none) on a tree; the result is no evidence for the present one.

    A trusted result of this session is reused, so that a trial is not repeated while its tree stays the same.
    """
    if known := suites.cached(state, tree, only):
        return known
    rooms = SwapRooms(worktree=suites.worktree, record=suites.to.record, now=suites.to.now)
    with swapped(tree, label, rooms) as swap:
        if swap.left:
            problem = f"{label} could not be restored for a test run: {', '.join(swap.left)}"
            return SuiteReport(command=suites.runner.command, exit_code=None, problems=(problem,), only=only)
        report = replace(suites.clean(state, control, only, trial=label), tree=tree)
    suites.keep(report)
    return report


def _give_back(tree: str, label: str, worktree: Workspace) -> None:
    left = worktree.become(tree, f"{AFTER} {label}").left
    if left:
        raise StoreFailed(
            f"The work tree could not be restored after a trial of {label}: {', '.join(left)}.",
            f"'dualgate snapshot list' shows the state that was kept: {BEFORE} {label}.",
        )
