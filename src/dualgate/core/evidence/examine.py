"""SuiteReports of one tree, Proof -> each run compared with what was proven before.

Tests that failed, were skipped or were flaky in the baseline do not count against the work.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from dualgate.core.evidence.comparison import Comparison, FlakyTests, compare, differing_functions
from dualgate.core.evidence.green import Fault, faults
from dualgate.core.values.case_names import function_of, functions, stable
from dualgate.core.values.changes import Changes, is_output
from dualgate.core.values.endings import CODE
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import CaseResult, Counts, SuiteReport
from dualgate.core.values.vocabulary import Phase

_MODULES = tuple(CODE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """One run compared with the proven one: everything that keeps it from being green."""

    run: SuiteReport
    since_start: Comparison
    since_proven: Comparison
    failing: tuple[CaseResult, ...]
    altered: tuple[str, ...] = ()
    """Proven tests whose code changed."""
    doubtful: tuple[str, ...] = ()
    """Missing cases whose function has as many as before: exchanged, or with unstable ids."""

    @property
    def vanished(self) -> tuple[str, ...]:
        """Empty for a run of a few tests: the other tests were not run."""
        return () if self.run.only else self.since_proven.vanished

    @property
    def newly_skipped(self) -> tuple[str, ...]:
        return (*self.since_proven.newly_skipped, *self.since_proven.newly_xfailed)

    @property
    def problems(self) -> tuple[str, ...]:
        return self.run.problems

    @property
    def counts(self) -> Counts:
        return self.run.counts

    @property
    def partial(self) -> bool:
        return bool(self.run.only)

    @property
    def is_spotless(self) -> bool:
        """Whether every test that was run is fine."""
        return faults(self) <= {Fault.PARTIAL}

    @property
    def is_green(self) -> bool:
        return not faults(self)


def examine(runs: Sequence[SuiteReport], proof: Proof) -> tuple[Examined, ...]:
    """Examine each run of one tree. Ids that differ between these runs are unstable, not changed."""
    unstable_ids = {*proof.unstable_ids, *differing_functions(whole_runs(runs))}
    return tuple(_examine(run, proof, unstable_ids) for run in deciding_runs(runs))


def whole_runs(runs: Iterable[SuiteReport]) -> tuple[SuiteReport, ...]:
    return tuple(run for run in runs if run.trusted and not run.only)


def deciding_runs(runs: Sequence[SuiteReport]) -> tuple[SuiteReport, ...]:
    """Drop untrusted runs of a few tests if the whole suite was run instead."""
    last_whole = max((place for place, run in enumerate(runs) if not run.only), default=-1)
    return tuple(run for place, run in enumerate(runs) if run.trusted or not run.only or place > last_whole)


def is_settled(run: SuiteReport, proof: Proof, phase: Phase) -> bool:
    """Whether an earlier run of this tree can be reused; unexpected failures may be flaky and are run again."""
    (seen,) = examine([run], proof)
    if phase is Phase.RED:
        return {*seen.since_start.regressed} <= {*seen.since_start.changed}
    return Fault.FAILING not in faults(seen)


def repeats_made(examined: Sequence[Examined]) -> int:
    """How many partial runs without a fault followed the first green whole run."""
    first_green = next((place for place, seen in enumerate(examined) if seen.is_green), len(examined))
    return sum(seen.is_spotless and bool(seen.run.only) for seen in examined[first_green:])


def changed_by_surroundings(
    results: Iterable[CaseResult], changes: Changes, grown: Collection[str] = ()
) -> frozenset[str]:
    """Tests whose file, or a file of fixtures above it, or the data beside it, changed since the session began.

    A changed requirement may change only a fixture, a constant, a list of parameters or a file of data. Such a test
    counts as changed, not as broken, and is reported to the reviewer. After RED all of these are frozen, so this cannot
    be exploited. `grown` are functions that have more cases than before.
    """
    touched = {*changes.added, *changes.rewritten}
    above, of_cases = {path.rpartition("/")[0] for path in changes.fixtures}, set[str]()
    if not {*changes.code} & {*changes.rewritten}:  # if a source changed too, it may be what breaks the tests
        # a new module changes no test that does not import it
        data = (path for path in changes.support if path in changes.rewritten or not path.endswith(_MODULES))
        above |= {path.partition("/")[0] for path in data}
        # but it may be a case, and move the numbers of the cases after it
        of_cases = {path.partition("/")[0] for path in changes.support}

    def is_surrounded(result: CaseResult) -> bool:
        folders = above | of_cases if function_of(stable(result.id)) in grown else above
        return result.file in touched or (result.file != "" and any(_is_below(each, result.file) for each in folders))

    return frozenset(result.id for result in results if is_surrounded(result))


def demands_more(changes: Changes, results: Iterable[CaseResult], proof: Proof) -> bool:
    """Whether tests can be red because of their surroundings: no other existing file changed.

    If a source file changed too, the tests may fail because it was broken.
    """
    documents = (*changes.documents, *(each.path for each in changes.uncounted if not each.is_code))
    harmless = {result.file for result in (*proof.baseline, *results)} | {*documents}
    others = [path for path in changes.rewritten if path not in harmless and not is_output(path, proof.outputs)]
    return {*others} <= {*changes.fixtures, *changes.support}


def _is_below(folder: str, file: str) -> bool:
    return not folder or file.startswith(f"{folder}/")


def _examine(run: SuiteReport, proof: Proof, unstable_ids: Collection[str]) -> Examined:
    known = FlakyTests(unstable=proof.unstable, unstable_ids=unstable_ids)
    reference = proof.baseline if proof.proven is None else proof.proven
    since_start = compare(proof.baseline, run.results, known)
    since_proven = compare(reference, run.results, known) if proof.proven is not None else since_start
    nobodys = frozenset(since_start.still_failing)
    gone = since_proven.vanished
    lenient = FlakyTests(unstable=proof.unstable, unstable_ids={*unstable_ids, *functions(gone)})
    missing = compare(reference, run.results, lenient).vanished if functions(gone) else gone
    return Examined(
        run=run,
        since_start=since_start,
        since_proven=since_proven,
        failing=tuple(result for result in run.results if result.failed and result.id not in nobodys),
        altered=() if proof.proven is None else since_proven.altered,
        doubtful=tuple(name for name in gone if name not in missing),
    )
