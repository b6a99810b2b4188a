"""Run the tests of RED without the tests and the configuration that came since: do they pass only because of these?"""

from collections.abc import Iterable

from dualgate.core.evidence.examine import whole_runs
from dualgate.core.evidence.leaning import leaning
from dualgate.core.values.changes import Changes
from dualgate.core.values.control import Control
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import CaseResult, SuiteReport
from dualgate.core.values.vocabulary import Phase
from dualgate.session.inner_tests import WITH_TESTS_INSIDE, with_tests_of
from dualgate.session.suite_runs import SuiteRuns
from dualgate.session.trial import try_tree
from dualgate.workspace.base import Workspace
from dualgate.workspace.steering.growth import ENDINGS
from dualgate.workspace.steering.paths import is_of_tests

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
    """The present tree with the tests of RED; helpers and data that were added may serve the code too.

    Configuration that gave the same results when it was accepted may load code that was changed later.
    """
    proof = state.proof
    tree = with_tests_of(worktree, worktree.present, proof.proven_tree, changes.extended)
    for path, before in proof.reconfigured:
        tree = tree if path in state.touched.person else worktree.with_paths(tree, before, (path,))
    if not proof.red_tree:  # a person skipped RED
        return tree
    files, settled = {result.file for result in results}, {*state.touched.person, *dict(proof.reconfigured)}
    changed = [path for path in (*changes.added, *changes.rewritten) if path not in settled]
    tests = [path for path in changed if path.endswith(ENDINGS) and is_of_tests(path)]
    ours = [
        path
        for path in tests
        if path in files or _is_only_test(path) or worktree.read(proof.red_tree, path) is not None
    ]
    sources = [path for path in changed if path.endswith(WITH_TESTS_INSIDE) and path not in tests]
    return with_tests_of(worktree, tree, proof.red_tree, (*ours, *sources))


def _is_only_test(path: str) -> bool:
    """Whether no code can use a file: Go compiles it into tests only."""
    return path.endswith("_test.go")
