"""Run tests as they were before the run against the present code, to see whether one was disarmed."""

from collections.abc import Iterable
from dataclasses import dataclass

from dualgate.core.evidence.definitions import SourceChange, only_adds
from dualgate.core.evidence.disarmed import (
    Surroundings,
    Suspect,
    Texts,
    disarmed,
    red_before,
    seen_red,
    still_failing,
    suspects,
    upheld,
)
from dualgate.core.evidence.doubted import by_function
from dualgate.core.evidence.examine import whole_runs
from dualgate.core.evidence.selection import MOST_SELECTED
from dualgate.core.values.case_names import stable
from dualgate.core.values.changes import Changes, is_output
from dualgate.core.values.control import Control
from dualgate.core.values.facts import Facts
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.suite import CaseResult, SuiteReport
from dualgate.core.values.vocabulary import Phase
from dualgate.session.lone_tests import one_by_one, tests_among
from dualgate.session.suite_runs import SuiteRuns
from dualgate.session.trial import try_tree
from dualgate.workspace.steering.paths import fixtures_above, is_document, is_fixture, is_of_tests, is_test_file

TRIED = frozenset({Phase.GREEN, Phase.QA, Phase.BUILD})
"""Phases that end only if no test was disarmed. Tests are frozen in between."""
OLD_TESTS = "the present code with the tests from before the run"
OLD_CODE = "the code from before the run with the present tests"
RED_ALONE = "the tree on which a changed test was red, by itself"
MOST_ALONE = 20
"""How many changed tests are run by themselves. Each is a run of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedTests:
    """Tests as they were before the run, tried on the present code."""

    disarmed: tuple[str, ...] = ()
    """Tests that were disarmed, as sentences."""
    upheld: tuple[str, ...] = ()
    """Changed test functions whose version from before the run passes."""


def try_old_tests(
    state: LoopState, facts: Facts, runs: Iterable[SuiteReport], suites: SuiteRuns, control: Control
) -> TriedTests:
    """Try the changed tests as they were, in a phase that would end now. If no test is suspect, nothing is run."""
    wholes = whole_runs(runs)
    if facts.phase not in TRIED or not wholes:
        return TriedTests()
    trial = _Trial(state=state, suites=suites, control=control)
    return trial.tried(wholes[-1].results, facts.observed.changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trial:
    state: LoopState
    suites: SuiteRuns
    control: Control

    @property
    def start(self) -> str:
        return self.state.proof.start_tree

    @property
    def present(self) -> str:
        return self.suites.worktree.present

    def tried(self, results: tuple[CaseResult, ...], changes: Changes) -> TriedTests:
        proof, is_build = self.state.proof, self.state.phase is Phase.BUILD
        if not (is_build or proof.red):  # a person skipped RED, and answers for all tests
            return TriedTests()
        asked = suspects(proof, results, self._surroundings(changes), with_failing=is_build)
        if not asked:
            return TriedTests()
        failing = still_failing(asked, self._old_tests(selected(asked, proof)))
        if not failing:
            return TriedTests(upheld=upheld(asked, failing))
        # once more with all tests: some pass only after others, some waver, some only share a file with a lost import
        report = self._loaded(failing, self._old_tests((), lone_imports=True), changes)
        if not (failing := still_failing(failing, report)):
            return TriedTests(upheld=upheld(asked, failing))
        red = self._red(failing, results)
        texts = self._texts(failing, red.values(), changes)
        return TriedTests(disarmed=disarmed(failing, report, red, proof, texts), upheld=upheld(asked, failing))

    def _old_tests(self, only: tuple[str, ...], lone_imports: bool = False) -> SuiteReport:
        tree = self.suites.worktree.with_tests(self.present, self.start, lone_imports=lone_imports)
        return self._tried(tree, OLD_TESTS, only)

    def _loaded(self, failing: Iterable[Suspect], report: SuiteReport, changes: Changes) -> SuiteReport:
        """The run, or one that loads tests and helpers by their statements, if a name that moved keeps them from it."""
        broken = {result.file for result in report.results if result.is_broken_file or result.uncollected}
        files = sorted(broken & {each.file for each in failing})
        paths = (*files, *(path for path in tests_among(changes.rewritten) if not is_test_file(path)))
        if not paths or (report.trusted and not files):
            return report
        worktree = self.suites.worktree
        tree = one_by_one(worktree, worktree.with_tests(self.present, self.start), paths)
        return self._tried(tree, OLD_TESTS)

    def _red(self, failing: Iterable[Suspect], results: tuple[CaseResult, ...]) -> dict[str, CaseResult]:
        """Tests that were seen red, without those among the failing that only the state of other tests made so."""
        proof = self.state.proof
        tree, seen, red = proof.red_tree, seen_red(proof, proof.red), red_before(proof, results)
        if self.state.phase is Phase.BUILD:  # no phase saw tests fail first
            tree = self.suites.worktree.with_tests(self.start, self.present, lone_imports=True)
            red = seen = seen_red(proof, self._tried(tree, OLD_CODE).results)
        asked = [each.function for each in failing if each.function in seen]
        disturbed = {name for name in asked[:MOST_ALONE] if self._passes_alone(name, tree)}
        return {name: result for name, result in red.items() if name not in disturbed}

    def _passes_alone(self, function: str, tree: str) -> bool:
        report = self._tried(tree, RED_ALONE, (function,))
        own = by_function(report.results).get(function, [])
        return report.trusted and bool(own) and not any(case.failed for case in own)

    def _tried(self, tree: str, label: str, only: tuple[str, ...] = ()) -> SuiteReport:
        return try_tree(tree, label, only, self.suites, self.state, self.control)

    def _surroundings(self, changes: Changes) -> Surroundings:
        proof = self.state.proof
        own = {result.file for result in proof.baseline}
        rewritten = [path for path in changes.rewritten if is_of_tests(path) and not is_output(path, proof.outputs)]
        changed = [
            path for path in rewritten if not only_adds(self._read(self.start, path), self._read(self.present, path))
        ]
        return Surroundings(
            is_of_tests=is_of_tests,
            files=tuple(path for path in changed if path in own),
            helpers=(
                *(path for path in changed if path not in own and not is_test_file(path)),
                *filter(is_fixture, changes.added),
            ),
            by_person=tuple(self.state.touched.person),
        )

    def _texts(self, asked: Iterable[Suspect], red: Iterable[CaseResult], changes: Changes) -> Texts:
        helpers = [
            path for path in (*changes.rewritten, *changes.added) if is_of_tests(path) and not is_test_file(path)
        ]
        sources = (
            path for path in (*changes.rewritten, *changes.added) if not is_of_tests(path) and not is_document(path)
        )
        files = [each.file for each in asked]
        return Texts(
            is_reviewed=self.state.phase is not Phase.BUILD,
            before=self._around(files, helpers, self.start),
            present=self._around(files, helpers, self.present),
            now=self._around((result.file for result in red), helpers, self.present),
            sources=tuple(
                SourceChange(path=path, before=self._read(self.start, path), after=self._read(self.present, path))
                for path in sources
            ),
        )

    def _around(self, files: Iterable[str], helpers: Iterable[str], tree: str) -> dict[str, str]:
        """The texts of tests with their fixtures and the helpers that the run changed."""
        paths = dict.fromkeys(files)
        fixtures = (path for file in paths for path in fixtures_above(file))
        return {path: self._read(tree, path) for path in dict.fromkeys((*paths, *fixtures, *helpers))}

    def _read(self, tree: str, path: str) -> str:
        return (self.suites.worktree.read(tree, path) or b"").decode("utf-8", "replace")


def selected(asked: Iterable[Suspect], proof: Proof) -> tuple[str, ...]:
    """The ids of suspects that a runner finds again; empty for all tests."""
    found = [(case.id, each.function) for each in asked for case in each.before]
    is_known = all(stable(name) == name and function not in proof.unstable_ids for name, function in found)
    return tuple(name for name, _ in found) if is_known and len(found) <= MOST_SELECTED else ()
