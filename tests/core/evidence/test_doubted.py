"""Tests of the baseline that RED removed, skipped, cut or changed."""

from dataclasses import replace

from dualgate.core.evidence.doubted import MOST, Doubt, changed_requirements, doubted_tests, upheld_tests
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import CaseOutcome, CaseResult
from dualgate.testing import a_spec, failed, passed, skipped

CRITERIA = a_spec().criteria


def doubts(*red: CaseResult, baseline: tuple[CaseResult, ...]) -> list[tuple[str, Doubt, tuple[str, ...]]]:
    found = doubted_tests(CRITERIA, Proof(baseline=baseline, red=red))
    return [(each.id, each.how, tuple(name.rpartition("::")[2] for name in each.functions)) for each in found]


def test_each_kind_of_weakening_is_found_in_the_order_of_the_baseline() -> None:
    baseline = (
        passed("test_gone"),
        passed("test_idle"),
        passed("test_cut[1]"),
        passed("test_cut[2]"),
        passed("test_other"),
        passed("test_kept"),
    )
    red = (
        skipped("test_idle"),
        passed("test_cut[1]"),
        passed("test_other", digest="d2"),
        passed("test_kept"),
        failed("test_ac1", digest="n"),
    )

    assert doubts(*red, baseline=baseline) == [
        ("T-1", Doubt.REMOVED, ("test_gone",)),
        ("T-2", Doubt.SKIPPED, ("test_idle",)),
        ("T-3", Doubt.FEWER, ("test_cut",)),
        ("T-4", Doubt.CHANGED, ("test_other",)),
    ]


def test_an_expected_failure_counts_as_a_skip() -> None:
    idle = replace(passed("test_a"), outcome=CaseOutcome.XFAILED)

    assert doubts(idle, baseline=(passed("test_a"),)) == [("T-1", Doubt.SKIPPED, ("test_a",))]


def test_a_renamed_test_is_not_in_doubt() -> None:
    assert doubts(passed("test_new_name"), baseline=(passed("test_old_name"),)) == []


def test_as_many_other_parameters_are_not_fewer() -> None:
    red = (passed("test_a[1]", digest="d2"), passed("test_a[3]", digest="d2"))

    assert doubts(*red, baseline=(passed("test_a[1]"), passed("test_a[2]"))) == [("T-1", Doubt.CHANGED, ("test_a",))]


def test_a_changed_test_that_was_red_and_names_a_criterion_is_a_changed_requirement() -> None:
    baseline = (passed("test_ac1_fee"), passed("test_ac2_cap"), passed("test_plain"))
    red = (
        failed("test_ac1_fee", digest="d2"),
        passed("test_ac2_cap", digest="d2"),
        failed("test_plain", digest="d2"),
    )

    assert [names for _, _, names in doubts(*red, baseline=baseline)] == [("test_ac2_cap",), ("test_plain",)]
    proof = Proof(baseline=baseline, red=red)
    assert changed_requirements(CRITERIA, proof) == ("tests/test_x.py::test_ac1_fee",)


def test_a_changed_test_that_still_passes_as_it_was_needs_no_answer() -> None:
    baseline = (passed("test_longer"), passed("test_gone"), passed("test_other"))
    red = (passed("test_longer", digest="d2"), passed("test_other", digest="d2"), failed("test_ac1", digest="n"))
    names = ("tests/test_x.py::test_longer", "tests/test_x.py::test_gone")

    proof = Proof(baseline=baseline, red=red, upheld=names)

    assert upheld_tests(proof) == names[:1]
    asked = [(each.how, each.functions) for each in doubted_tests(CRITERIA, proof)]
    assert asked == [
        (Doubt.REMOVED, ("tests/test_x.py::test_gone",)),
        (Doubt.CHANGED, ("tests/test_x.py::test_other",)),
    ]


def test_without_results_of_red_nothing_is_in_doubt() -> None:
    assert doubts(baseline=(passed("test_a"),)) == []


def test_many_tests_are_answered_for_by_file_and_many_files_together() -> None:
    def gone(files: int, each: int) -> tuple[CaseResult, ...]:
        places = [(f"t/test_{file}.py", number) for file in range(files) for number in range(each)]
        return tuple(passed("", id=f"{file}::test_{number}", file=file) for file, number in places)

    by_file = doubts(passed("test_new", digest="n"), baseline=gone(2, MOST))
    together = doubts(passed("test_new", digest="n"), baseline=gone(MOST + 1, 1))

    assert [(name, len(tests)) for name, _, tests in by_file] == [("T-1", MOST), ("T-2", MOST)]
    assert [(name, len(tests)) for name, _, tests in together] == [("T-1", MOST + 1)]
