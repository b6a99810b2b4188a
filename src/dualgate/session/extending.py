"""Run the tests of RED without the tests and the configuration that came since: do they pass only because of these?"""

from collections.abc import Iterable

from dualgate.core.evidence.examine import whole_runs
from dualgate.core.evidence.leaning import leaning
from dualgate.core.values.changes import Changes
from dualgate.core.values.control import Control
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import CaseResult, SuiteReport
from dualgate.core.values.vocabulary import Phase
from dualgate.session.lone_tests import tests_among
from dualgate.session.suite_runs import SuiteRuns
from dualgate.session.trial import try_tree
from dualgate.workspace.base import Workspace

_MAY_ADD = frozenset({Phase.GREEN, Phase.REFACTOR})
_WITHOUT_ADDITIONS = "the present code without the tests and the configuration that were added since RED"


def find_leaning(
    state: LoopState, changes: Changes, runs: Iterable[SuiteReport], suites: SuiteRuns, control: Control
) -> tuple[str, ...]:
    """The tests of RED that pass only with additions, in a phase that would end now; nothing is run without any."""
    wholes = whole_runs(runs)
    if state.phase not in _MAY_ADD or not wholes:
        return ()
    tree = _without_additions(state, changes, wholes[-1].results, suites.worktree)
    if tree == suites.worktree.present:
        return ()
    return leaning(state.proof, try_tree(tree, _WITHOUT_ADDITIONS, (), suites, state, control))


def _without_additions(state: LoopState, changes: Changes, results: Iterable[CaseResult], worktree: Workspace) -> str:
    """The present tree with the Python tests of RED; helpers and data that were added may serve the code too.

    Configuration that gave the same results when it was accepted may load code that was changed later.
    """
    proof = state.proof
    tree = worktree.with_paths(worktree.present, proof.proven_tree, changes.extended)
    for path, before in proof.reconfigured:
        tree = tree if path in state.touched.person else worktree.with_paths(tree, before, (path,))
    if not proof.red_tree:  # a person skipped RED
        return tree
    files = {result.file for result in results}
    tests = tests_among((*changes.added, *changes.rewritten))
    ours = [path for path in tests if path in files or worktree.read(proof.red_tree, path) is not None]
    return worktree.with_paths(tree, proof.red_tree, (path for path in ours if path not in state.touched.person))
