"""A run of RED, runs of some of its tests by themselves -> the unchanged tests that only a red test makes fail."""

from collections.abc import Iterable

from dualgate.core.evidence.examine import examine
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import CaseOutcome, SuiteReport


def failing_unchanged(run: SuiteReport, proof: Proof) -> tuple[str, ...]:
    """Tests that passed before and fail now with the same code; empty if no new or changed test fails beside them.

    A test that passes and leaves state behind is wrong itself, and is not to be frozen.
    """
    (seen,) = examine([run], proof)
    since = seen.since_start
    failing = {r.id for r in run.results if r.failed and not (r.uncollected or r.is_broken_file or r.is_broken_test)}
    if not failing & {*since.new, *since.changed}:
        return ()
    return tuple(sorted((failing & {*since.regressed}) - {*since.changed}))


def with_undisturbed(run: SuiteReport, alone: Iterable[SuiteReport]) -> SuiteReport:
    """The run with the results of tests that pass in a trusted run without the red ones."""
    reports = (report for report in alone if report.trusted)
    passing = {r.id: r for report in reports for r in report.results if r.outcome is CaseOutcome.PASSED}
    disturbed = tuple(r.id for r in run.results if r.failed and r.id in passing)
    return replace(
        run, results=tuple(passing.get(r.id, r) if r.failed else r for r in run.results), disturbed=disturbed
    )
