"""Run tests on another tree, in the work tree itself: the project's environment and paths are valid only there."""

from dataclasses import replace

from dualgate.core.values.control import Control
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import COVERAGE_TOO_LOW, SuiteReport
from dualgate.session.suite_runs import SuiteRuns
from dualgate.session.swap import SwapRooms, swapped


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
    # old tests need not cover new code
    return replace(report, problems=tuple(each for each in report.problems if COVERAGE_TOO_LOW not in each))
