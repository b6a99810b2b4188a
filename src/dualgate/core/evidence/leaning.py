"""Proof, a run without the tests that were added since RED -> the tests of RED that pass only with them."""

from dualgate.core.evidence.comparison import FlakyTests, compare
from dualgate.core.evidence.rows import only_adds_rows
from dualgate.core.values.case_names import function_of
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import CaseResult, SuiteReport, short_id


def leaning(proof: Proof, report: SuiteReport) -> tuple[str, ...]:
    """A sentence for each test of RED that fails, is skipped or is missing in the run; flaky tests tell nothing."""
    if not report.trusted:
        return (f"the proven tests cannot be run without the added ones: {'; '.join(report.problems)}",)
    known = FlakyTests(unstable=(*proof.unstable, *proof.flaky), unstable_ids=proof.unstable_ids)
    own = _present_without_additions(proof, report)
    before = [result for result in own if not known.is_unstable(result)]
    failing_before = {*compare(proof.baseline, report.results, known).still_failing}
    wanted, since = {result.id for result in before}, compare(before, report.results, known)
    failing = (r.id for r in report.results if r.failed and r.id in wanted and r.id not in failing_before)
    found = dict.fromkeys((*failing, *since.vanished, *since.newly_skipped, *since.newly_xfailed))
    return tuple(
        f"{short_id(name, proof.suites)} passes only with tests or configuration added since RED" for name in found
    )


def _present_without_additions(proof: Proof, report: SuiteReport) -> list[CaseResult]:
    """The proven cases of RED's tests; a test that got parameters since RED has fewer cases in the run."""
    red = {function_of(result.id): result.digest for result in proof.red or proof.proven or ()}
    ran, cases = {function_of(result.id) for result in report.results}, {result.id for result in report.results}

    def is_due(result: CaseResult, function: str) -> bool:
        return result.id in cases or function not in ran or not only_adds_rows(red[function], result.digest)

    proven = ((result, function_of(result.id)) for result in proof.proven or ())
    return [result for result, function in proven if function in red and is_due(result, function)]
