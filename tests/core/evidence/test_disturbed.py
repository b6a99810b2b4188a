"""Unchanged tests that fail in RED beside red ones."""

from dataclasses import replace

import pytest

from dualgate.core.evidence.disturbed import failing_unchanged, with_undisturbed
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import CaseResult, FailureKind
from dualgate.testing import a_report, failed, passed, skipped

OLD = passed("test_old", digest="1")
BROKEN = failed("test_old", digest="1")
NEW = failed("test_new")


def test_unchanged_tests_that_fail_beside_a_red_one_are_asked_for() -> None:
    assert failing_unchanged(a_report(BROKEN, NEW), Proof(baseline=(OLD,))) == (BROKEN.id,)


NOT_ASKED = [
    (BROKEN,),
    (BROKEN, passed("test_new")),
    (failed("test_old", digest="2"), NEW),
    (replace(BROKEN, uncollected=True), NEW),
    (BROKEN, failed("test_new", kind=FailureKind.BROKEN_TEST)),
    (OLD, NEW),
]


@pytest.mark.parametrize("results", NOT_ASKED)
def test_no_test_is_asked_for_without_a_red_one_or_if_its_failure_has_another_cause(
    results: tuple[CaseResult, ...],
) -> None:
    assert failing_unchanged(a_report(*results), Proof(baseline=(OLD,))) == ()


def test_a_test_that_passes_without_the_red_ones_has_that_result() -> None:
    run = with_undisturbed(a_report(BROKEN, NEW), [a_report(OLD)])

    assert (run.results, run.disturbed) == ((OLD, NEW), (OLD.id,))


def test_a_test_that_fails_or_is_skipped_by_itself_keeps_its_result() -> None:
    for alone in (a_report(BROKEN), a_report(skipped("test_old")), a_report(OLD, problems=("cut off",)), a_report()):
        assert with_undisturbed(a_report(BROKEN, NEW), [alone]) == a_report(BROKEN, NEW)
