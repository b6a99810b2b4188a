"""Run proven tests without what was added to their files, to see whether they pass only because of it."""

from dualgate.core.evidence.leaning import leaning
from dualgate.core.values.control import Control
from dualgate.core.values.facts import Facts
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Phase
from dualgate.session.suite_runs import SuiteRuns
from dualgate.session.trial import try_tree

_MAY_ADD = frozenset({Phase.GREEN, Phase.REFACTOR})
_WITHOUT_ADDITIONS = "the present code without the tests that were added to proven files"


def find_leaning(state: LoopState, facts: Facts, suites: SuiteRuns, control: Control) -> tuple[str, ...]:
    """The proven tests that pass only with the additions, of a phase that would end now; nothing is run without any."""
    paths = facts.observed.changes.extended
    if state.phase not in _MAY_ADD or not paths:
        return ()
    worktree, tree = suites.worktree, suites.worktree.present
    for path in paths:
        proven = worktree.read(state.proof.proven_tree, path)
        tree = tree if proven is None else worktree.rewritten(tree, path, proven)
    return leaning(state.proof, try_tree(tree, _WITHOUT_ADDITIONS, (), suites, state, control))
