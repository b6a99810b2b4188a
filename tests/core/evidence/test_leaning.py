"""Tests of RED must pass without the tests that were added since."""

from dualgate.core.evidence.leaning import leaning
from dualgate.core.values.state import Proof
from dualgate.testing import a_report, failed, passed, skipped


def test_proven_tests_that_fail_vanish_or_are_skipped_without_the_additions_are_named() -> None:
    proof = Proof(
        baseline=(failed("old"),),
        proven=(failed("a"), passed("b"), passed("c"), failed("old"), passed("flaky"), failed("fine")),
        flaky=("tests/test_x.py::flaky",),
    )
    report = a_report(
        failed("a"), skipped("b"), failed("old"), failed("flaky"), passed("fine"), failed("in a new file")
    )

    found = leaning(proof, report)

    assert [sentence.split(" passes only with ")[0] for sentence in found] == [
        f"tests/test_x.py::{name}" for name in "acb"
    ]


def test_tests_that_were_added_in_green_are_not_missed_in_a_run_without_them() -> None:
    proof = Proof(red=(failed("a"),), proven=(passed("a"), passed("b[1]"), passed("added in green")))

    assert leaning(proof, a_report(passed("a"))) == ()


def test_parameters_that_were_added_in_green_are_not_missed_in_a_run_without_them() -> None:
    more = (passed("a[1]", digest="x rows 1,2"), passed("a[2]", digest="x rows 1,2"))
    proof = Proof(red=(failed("a[1]", digest="x rows 1"),), proven=more)

    assert leaning(proof, a_report(passed("a[1]", digest="x rows 1"))) == ()
    assert len(leaning(proof, a_report(failed("a[1]", digest="x rows 1")))) == 1
    assert len(leaning(proof, a_report(passed("b")))) == 2


def test_a_run_without_the_additions_that_is_not_trusted_shows_nothing() -> None:
    assert leaning(Proof(), a_report(problems=("it broke off",))) == (
        "the proven tests cannot be run without the added ones: it broke off",
    )
