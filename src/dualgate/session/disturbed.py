"""Run unchanged tests that fail in RED without the new and changed ones: a red test may leave state behind.

A test that passes by itself is not broken. RED keeps that result, so GREEN must make the test pass in whole runs.
"""

from dualgate.core.evidence.disturbed import failing_unchanged, with_undisturbed
from dualgate.core.evidence.selection import selections
from dualgate.core.values.control import Control
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import SuiteReport
from dualgate.core.values.vocabulary import Phase
from dualgate.session.suite_runs import SuiteRuns
from dualgate.session.trial import try_tree

WITHOUT_RED = "the present code without the new and changed tests"


def without_disturbance(run: SuiteReport, state: LoopState, suites: SuiteRuns, control: Control) -> SuiteReport:
    """A whole run of RED, with the results that unchanged tests have without the red ones."""
    if state.phase is not Phase.RED or state.proof.rewriting or run.only or not run.trusted:
        return run
    asked = selections(failing_unchanged(run, state.proof), state.proof)
    tree = suites.worktree.present
    return with_undisturbed(run, [try_tree(tree, WITHOUT_RED, only, suites, state, control) for only in asked])
