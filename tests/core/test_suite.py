from dualgate.core.suite import Counts
from dualgate.testing import a_report, failed, passed, skipped


def test_a_report_counts_its_results() -> None:
    report = a_report(passed("a"), passed("b"), failed("c"), skipped("d"))

    assert report.counts == Counts(passed=2, failed=1, skipped=1)
    assert report.counts.total == 4


def test_a_report_with_a_problem_is_not_trusted() -> None:
    assert a_report(passed("a")).trusted
    assert not a_report(passed("a"), problems=("it broke off",)).trusted
