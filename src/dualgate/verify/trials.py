"""Trials on mixes of base and head: new tests on the old code, old tests on the new code, the old configuration."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from dualgate.core.evidence.definitions import SourceChange, only_adds
from dualgate.core.evidence.disarmed import Surroundings, Suspect, Texts, depends_on, still_failing, suspects
from dualgate.core.evidence.selection import MOST_SELECTED
from dualgate.core.evidence.uncollected import waiting_files, with_trial
from dualgate.core.values.case_names import stable
from dualgate.core.values.configuring import Reach
from dualgate.core.values.suite import CaseResult, SuiteReport
from dualgate.core.verification.locating import located
from dualgate.core.verification.measured import ChangedPaths, Measured, OldTests, function
from dualgate.session.lone_tests import functions_in, tests_among
from dualgate.verify.runs import TreeRuns
from dualgate.verify.sides import Sides
from dualgate.verify.trees import Written
from dualgate.workspace.revisions import Entry
from dualgate.workspace.steering.lone_imports import with_lone_imports, with_lone_statements
from dualgate.workspace.steering.paths import fixtures_above, is_fixture, is_of_tests, is_test_file
from dualgate.workspace.steering.reconfiguring import reach_of

ON_BASE = "the head's tests on the base's code"
OLD_TESTS = "the base's tests on the head's code"
STEERING = "the head with the base's configuration"
MOST_REPEATED = 50
REPEATS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Trials:
    sides: Sides
    runs: TreeRuns
    paths: ChangedPaths
    installed: Written | None = None
    """The base, if its lock files differ and were installed for it alone."""

    def load(self) -> None:
        """Read the changed files of both sides, which most of the trials ask for."""
        paths = (*self.paths.tests, *self.paths.steering, *self.paths.code)
        self.sides.revisions.load((self.sides.base.tree, self.sides.head.tree), map(self.sides.seen_from_root, paths))

    def with_files(self, seen: Measured) -> Measured:
        """The results with files for tests of a runner that names none, found in the changed test files."""
        if all(result.file for result in (*seen.base.results, *seen.head.results)):
            return seen
        files = [path for path in self.paths.tests if is_test_file(path)]
        before, now = (
            {path: self._read(side.tree, path) for path in files} for side in (self.sides.base, self.sides.head)
        )
        return replace(
            seen,
            base=replace(seen.base, results=located(seen.base.results, before)),
            head=replace(seen.head, results=located(seen.head.results, now)),
        )

    def on_base(self, seen: Measured) -> SuiteReport | None:
        """New and changed tests, and those that read a changed file of tests, on the base's code; None without any."""
        names = tuple(dict.fromkeys((*(result.id for result in seen.fresh), *self._reshaped(seen))))
        if not names:
            return None
        tree = self._with(self.sides.base.tree, self.sides.head.tree, (*self.paths.tests, *self.paths.steering))
        report = self._with_packages_of_base(self._some(tree, names, ON_BASE), tree)
        files = waiting_files(report, seen.proof)
        if not files:
            return report
        paths = tests_among((*files, *self.paths.tests))
        trial = self._some(self._alone(tree, paths), names, ON_BASE)
        return with_trial(report, trial, seen.proof, self._defined(tree, paths))

    def _with_packages_of_base(self, report: SuiteReport, tree: str) -> SuiteReport:
        """The report with the failures of tests that pass with the head's packages, and fail with those of the base.

        A package that is missing there is no such failure: it may be new, for the tests alone.
        """
        passing = tuple(result.id for result in report.results if not result.failed)
        if self.installed is None or not passing:
            return report
        again = self.runs.run_again(tree, passing, self.sides.base_commit, self.installed)
        failing = {each.id: each for each in again.results if each.failed and not _is_broken(each)}
        return replace(report, results=tuple(failing.get(each.id, each) for each in report.results))

    def _reshaped(self, seen: Measured) -> Iterator[str]:
        """Tests of the head, unchanged themselves, for which a fixture, a helper or data changed."""
        around = self._surroundings()
        for result in seen.head.results:
            if result.id in seen.at_base and depends_on(result.file, around) and is_of_tests(result.file):
                yield result.id

    def old_tests(self, seen: Measured) -> OldTests:
        """Removed, skipped and changed tests in their base version, and those whose fixtures changed, on the head."""
        renamed = {function(name) for name in seen.renamed.values()}
        found = suspects(seen.proof, seen.head.results, self._surroundings(), with_failing=True)
        asked = (*(each for each in found if each.function not in renamed), *_moved(seen))
        if not asked:
            return OldTests()
        tree = self._with(self.sides.head.tree, self.sides.base.tree, self.paths.tests)
        report = self._some(tree, _selected(asked), OLD_TESTS)
        failing = still_failing(asked, report)
        if failing:  # once more with all tests: some pass only after others, some share a file with a lost import
            report = self._loaded(failing)
            failing = still_failing(failing, report)
        return OldTests(asked=asked, failing=failing, report=report, texts=self._texts(failing, seen))

    def steered(self, seen: Measured) -> SuiteReport | None:
        """The head with the steering files of the base; None if these cannot change a result."""
        read = [path for path in self.paths.steering if self._reach(path) is not Reach.UNREAD]
        if not read or (seen.base.configuration and not self._is_configured_otherwise(seen, read)):
            return None
        tree = self._with(self.sides.head.tree, self.sides.base.tree, self.paths.steering)
        return self.runs.run(tree, (), STEERING)

    def wavering(self, seen: Measured) -> tuple[str, ...]:
        """Tests that fail on the head and not on the base, or the other way, and pass when they are run again."""
        worse = {*seen.since.regressed, *(r.id for r in seen.fresh if r.failed)}
        turned = (*seen.since.altered, *(seen.since.fixed if self.paths.tests else ()))
        bent = {name for name in turned if name in seen.at_base and seen.at_base[name].failed}
        return (
            *self._wavering(self.sides.head.tree, sorted(worse)),
            *self._wavering(self.sides.base.tree, sorted(bent), self.sides.base_commit),
        )

    def _wavering(self, tree: str, names: Iterable[str], commit: str = "") -> tuple[str, ...]:
        failing = tuple(names)
        if not 0 < len(failing) <= MOST_REPEATED:
            return ()
        passing: set[str] = set()
        for _ in range(REPEATS):
            report = self.runs.run_again(tree, failing, commit)
            passing |= {result.id for result in report.results if not result.failed}
        return tuple(name for name in failing if name in passing)

    def _reach(self, path: str) -> Reach | None:
        revisions, whole = self.sides.revisions, self.sides.seen_from_root(path)
        found = reach_of(path, revisions.read(self.sides.base.tree, whole), revisions.read(self.sides.head.tree, whole))
        return found.reach if found else None

    def _is_configured_otherwise(self, seen: Measured, paths: Iterable[str]) -> bool:
        """Whether the runner reports other settings, or a file has a reach that no runner reports."""
        changed = {*seen.base.configuration} != {*seen.head.configuration}
        return changed or any(self._reach(path) is not Reach.REPORTED for path in paths)

    def _some(self, tree: str, names: tuple[str, ...], label: str) -> SuiteReport:
        """Run some tests of a tree; all of them, if not all of these can be found by their ids."""
        is_known = len(names) <= MOST_SELECTED and all(stable(name) == name for name in names)
        report = self.runs.run(tree, names if is_known else (), label)
        return report if report.trusted or not is_known else self.runs.run(tree, (), label)

    def _loaded(self, failing: Iterable[Suspect]) -> SuiteReport:
        """A run of all old tests, in which each import of a test file, then each statement, may fail by itself."""
        head, base = self.sides.head.tree, self.sides.base.tree
        tree = self._with(head, base, self.paths.tests)
        lone = self._rewritten(tree, tests_among(self.paths.tests), statements=False)
        report = self.runs.run(lone, (), OLD_TESTS)
        broken = {result.file for result in report.results if result.is_broken_file or result.uncollected}
        files = sorted(broken & {each.file for each in failing})
        paths = (*files, *(path for path in tests_among(self.paths.tests) if not is_test_file(path)))
        if not paths or (report.trusted and not files):
            return report
        return self.runs.run(self._alone(tree, paths), (), OLD_TESTS)

    def _alone(self, tree: str, paths: Iterable[str]) -> str:
        return self._rewritten(tree, paths, statements=True)

    def _rewritten(self, tree: str, paths: Iterable[str], *, statements: bool) -> str:
        revisions, change = self.sides.revisions, with_lone_statements if statements else with_lone_imports
        contents = {whole: revisions.read(tree, whole) for whole in map(self.sides.seen_from_root, paths)}
        return revisions.rewritten(tree, {path: change(text) for path, text in contents.items() if text is not None})

    def _with(self, tree: str, other: str, paths: Iterable[str]) -> str:
        return self.sides.revisions.with_paths(tree, other, map(self.sides.seen_from_root, paths))

    def _defined(self, tree: str, paths: Iterable[str]) -> frozenset[str]:
        return functions_in(self.sides.revisions.read(tree, self.sides.seen_from_root(path)) or b"" for path in paths)

    def _surroundings(self) -> Surroundings:
        before, after = (self._entries(side.tree) for side in (self.sides.base, self.sides.head))
        rewritten = [path for path in self.paths.tests if path in before]
        # a fixture that is added may be used by every test
        changed = [path for path in rewritten if is_fixture(path) or not only_adds(self._base(path), self._head(path))]
        return Surroundings(
            is_of_tests=is_of_tests,
            files=tuple(filter(is_test_file, changed)),
            helpers=(
                *(path for path in changed if not is_test_file(path)),
                *(path for path in self.paths.tests if is_fixture(path) and path in after and path not in before),
            ),
        )

    def _texts(self, failing: Iterable[Suspect], seen: Measured) -> Texts:
        helpers = [path for path in self.paths.tests if not is_test_file(path)]
        fresh = (result.file for result in seen.fresh)
        files = [each.file for each in failing]
        return Texts(
            before=self._around(files, helpers, self.sides.base.tree),
            present=self._around(files, helpers, self.sides.head.tree),
            now=self._around(fresh, helpers, self.sides.head.tree),
            sources=tuple(
                SourceChange(path=path, before=self._base(path), after=self._head(path)) for path in self.paths.code
            ),
        )

    def _around(self, files: Iterable[str], helpers: Iterable[str], tree: str) -> dict[str, str]:
        """The texts of tests with their fixtures and the helpers that changed."""
        paths = dict.fromkeys(files)
        fixtures = (path for file in paths for path in fixtures_above(file))
        return {path: self._read(tree, path) for path in dict.fromkeys((*paths, *fixtures, *helpers))}

    def _entries(self, tree: str) -> Mapping[str, Entry]:
        entries = self.sides.revisions.entries(tree)
        return {self.sides.seen_from_project(path): entry for path, entry in entries.items()}

    def _base(self, path: str) -> str:
        return self._read(self.sides.base.tree, path)

    def _head(self, path: str) -> str:
        return self._read(self.sides.head.tree, path)

    def _read(self, tree: str, path: str) -> str:
        return self.sides.revisions.text(tree, self.sides.seen_from_root(path))


def _is_broken(result: CaseResult) -> bool:
    return result.is_broken_test or result.is_broken_file or result.uncollected


def _moved(seen: Measured) -> tuple[Suspect, ...]:
    """Tests that are in another place or have another name: what they use there may be other than before."""
    found: dict[str, list[CaseResult]] = {}
    for name in seen.renamed.values():
        if not seen.at_base[name].failed:
            found.setdefault(function(name), []).append(seen.at_base[name])
    return tuple(
        Suspect(function=name, before=tuple(cases), done="was moved or renamed") for name, cases in found.items()
    )


def _selected(asked: Iterable[Suspect]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(case.id for each in asked for case in each.before))


def with_wavering(seen: Measured, wavering: Iterable[str]) -> Measured:
    return replace(seen, wavering=tuple(dict.fromkeys(wavering)))
