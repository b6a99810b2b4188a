"""Run tests whose file cannot be collected, since work is missing: each statement of the file for itself.

A test that does not need the missing work is seen running as it is; one that does fails, and is red.
"""

from collections.abc import Iterable
from dataclasses import replace

from dualgate.core.evidence.uncollected import waiting_files, waiting_fixtures, with_trial
from dualgate.core.values.changes import Changes
from dualgate.core.values.control import Control
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import SuiteReport
from dualgate.core.values.vocabulary import Phase
from dualgate.session.lone_tests import functions_in, one_by_one, tests_among
from dualgate.session.suite_runs import SuiteRuns
from dualgate.session.trial import try_tree
from dualgate.workspace.base import Workspace
from dualgate.workspace.steering.paths import is_fixture

ONE_BY_ONE = "the present code, each test loaded by itself"


def completed(run: SuiteReport, state: LoopState, changes: Changes, suites: SuiteRuns, control: Control) -> SuiteReport:
    """A whole run of RED with the results of the tests whose file could not be collected."""
    if state.phase is not Phase.RED or state.proof.rewriting or run.only:
        return run
    tree, fixtures = suites.worktree.present, waiting_fixtures(run)
    if fixtures:
        changed = filter(is_fixture, (*changes.added, *changes.rewritten))
        tree = one_by_one(suites.worktree, tree, tests_among((*fixtures, *changed)))
        trial = try_tree(tree, ONE_BY_ONE, (), suites, state, control)
        run = replace(trial, tree=run.tree) if trial.trusted else run
    return run_one_by_one(run, tree, ONE_BY_ONE, changes, suites, state, control)


def run_one_by_one(
    run: SuiteReport,
    tree: str,
    label: str,
    changes: Changes,
    suites: SuiteRuns,
    state: LoopState,
    control: Control,
) -> SuiteReport:
    """The run of a tree, with the results of a trial if test files could not be collected for missing work."""
    files = tests_among(waiting_files(run, state.proof))
    if not files:
        return run
    paths = tests_among((*files, *changes.added, *changes.rewritten))
    trial = try_tree(one_by_one(suites.worktree, tree, paths), label, run.only, suites, state, control)
    return with_trial(run, trial, state.proof, _defined(suites.worktree, tree, paths))


def _defined(worktree: Workspace, tree: str, paths: Iterable[str]) -> frozenset[str]:
    return functions_in(worktree.read(tree, path) or b"" for path in paths)
