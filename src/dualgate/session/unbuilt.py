"""Run old tests that share a file, a package or a crate with tests which wait for work.

Such tests went down with the new ones, and say nothing yet. They are run in a tree without the new tests.
"""

from collections.abc import Iterable
from dataclasses import replace

from dualgate.core.evidence.uncollected import waiting_files, with_old_tests
from dualgate.core.values.changes import Changes
from dualgate.core.values.control import Control
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import SuiteReport
from dualgate.core.values.vocabulary import Phase
from dualgate.languages.written import WrittenCase, written_cases
from dualgate.session.inner_tests import WITH_TESTS_INSIDE, with_tests_of
from dualgate.session.suite_runs import SuiteRuns
from dualgate.session.trial import try_tree
from dualgate.workspace.base import Workspace
from dualgate.workspace.steering.growth import ENDINGS
from dualgate.workspace.steering.paths import is_of_tests

WITHOUT_NEW_TESTS = "the present code without the tests that wait for work"
_PYTHON = ".py"


def with_tests_beside(
    run: SuiteReport, state: LoopState, changes: Changes, suites: SuiteRuns, control: Control
) -> SuiteReport:
    """The run with the results of old tests that could not be run in it, as they are without the new ones."""
    files = [path for path in waiting_files(run, state.proof) if not path.endswith(_PYTHON)]
    if not files or state.phase is not Phase.RED or state.proof.rewriting or run.only:
        return run
    worktree, start = suites.worktree, state.proof.start_tree
    changed = (path for path in (*changes.added, *changes.rewritten) if path.endswith(ENDINGS) and is_of_tests(path))
    waiting = (path for path in files if is_of_tests(path) or path.endswith(WITH_TESTS_INSIDE))
    reverted = tuple(dict.fromkeys((*changed, *waiting)))
    tree = with_tests_of(worktree, worktree.present, start, reverted)
    trial = try_tree(tree, WITHOUT_NEW_TESTS, (), suites, state, control)
    before, now = _written(worktree, start, reverted), _written(worktree, worktree.present, reverted)
    unchanged = {each.names for each in before & now}
    removed = {each.names for each in before} - {each.names for each in now}
    return with_old_tests(run, trial, unchanged, removed)


def _written(worktree: Workspace, tree: str, paths: Iterable[str]) -> frozenset[WrittenCase]:
    """The tests in some files of a tree, wherever they stand in them."""
    contents = ((path, worktree.read(tree, path) or b"") for path in paths)
    return frozenset(replace(case, line=0) for path, content in contents for case in written_cases(path, content))
