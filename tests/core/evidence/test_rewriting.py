"""Tests that did not notice broken code are rewritten: what must be seen before the new ones count."""

from typing import Any

import pytest

from dualgate.core.evidence.rewriting import rewritten_tests, with_rewriting, with_rewritten
from dualgate.core.values.probes import WeakCriterion
from dualgate.core.values.specification import Kind
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.suite import CaseResult, SuiteReport, Trial
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import a_report, a_spec, a_state, facts, failed, passed, skipped

OLD = passed("test_ac1_fee")
GUARD = passed("test_ac2_rate")
NEW = passed("test_ac1_fee", digest="d2")
NEW_ID = NEW.id
WEAK = WeakCriterion(id="AC-1", reason="it also passes when `fee()` returns 1", tests=(OLD.id,))
SPEC = a_spec()


def rewriting(**values: Any) -> LoopState:
    proof = {"proven": (OLD, GUARD), "rewriting": (WEAK,), "red_tree": "red", "red": (failed("test_ac1_fee"),)}
    return a_state(phase=Phase.RED, proof=Proof(**{**proof, **values}))


def missing(*results: CaseResult, trial: Trial | None, **values: Any) -> tuple[str, ...]:
    runs = [a_report(*results)]
    return with_rewriting(facts(Phase.RED), rewriting(**values), SPEC, runs, trial).observed.unrewritten


RED_TRIAL = Trial(tree="trial", results=(failed("test_ac1_fee", digest="d2"),))
CASES = [
    ("red without the work, green with it", (NEW, GUARD), RED_TRIAL, []),
    ("it fails with the work too, which GREEN fixes", (failed("test_ac1_fee", digest="d2"), GUARD), RED_TRIAL, []),
    (
        "another test of the criterion",
        (OLD, passed("test_ac1_more"), GUARD),
        Trial(tree="t", results=(failed("test_ac1_more"),)),
        [],
    ),
    (
        "nothing was rewritten",
        (OLD, GUARD),
        None,
        ["AC-1 has no rewritten test: it also passes when `fee()` returns 1"],
    ),
    (
        "it is skipped",
        (skipped("test_ac1_fee", digest="d2"), GUARD),
        RED_TRIAL,
        ["AC-1 has no rewritten test: it also passes when `fee()` returns 1"],
    ),
    (
        "it passes without the work",
        (NEW, GUARD),
        Trial(tree="trial", results=(NEW,)),
        ["AC-1: tests/test_x.py::test_ac1_fee must fail without the work, and passes on the tree of RED"],
    ),
    (
        "the trial cannot be trusted",
        (NEW, GUARD),
        Trial(tree="trial", problems=("no report",)),
        ["the rewritten tests could not be run without the work: no report"],
    ),
    (
        "another test changed",
        (NEW, passed("test_ac2_rate", digest="d2")),
        RED_TRIAL,
        ["tests of other criteria changed, and must stay: tests/test_x.py::test_ac2_rate"],
    ),
    ("another test is gone", (NEW,), RED_TRIAL, ["tests of other criteria are gone: tests/test_x.py::test_ac2_rate"]),
    (
        "another test is skipped",
        (NEW, skipped("test_ac2_rate")),
        RED_TRIAL,
        ["tests that ran before are skipped: tests/test_x.py::test_ac2_rate"],
    ),
    (
        "another test fails",
        (NEW, failed("test_ac2_rate")),
        RED_TRIAL,
        ["other tests fail now: tests/test_x.py::test_ac2_rate"],
    ),
]


@pytest.mark.parametrize(("case", "results", "trial", "reasons"), CASES, ids=[case for case, *_ in CASES])
def test_a_rewritten_test_fails_without_the_work_and_nothing_else_changes(
    case: str, results: tuple[CaseResult, ...], trial: Trial | None, reasons: list[str]
) -> None:
    assert list(missing(*results, trial=trial)) == reasons


def test_a_criterion_to_keep_needs_no_failure() -> None:
    passing = Trial(tree="trial", results=(NEW,))

    assert missing(NEW, GUARD, trial=passing, kinds=(("AC-1", Kind.KEEP), ("AC-2", Kind.NEW))) == ()


def test_the_changed_tests_of_the_criteria_are_tried() -> None:
    state = rewriting()

    assert rewritten_tests(state, SPEC, [a_report(NEW, GUARD)]) == (NEW_ID,)
    assert rewritten_tests(state, SPEC, [a_report(OLD, GUARD)]) == ()
    assert rewritten_tests(state, SPEC, [untrusted()]) == ()


def untrusted() -> SuiteReport:
    return a_report(problems=("no report",))


def test_nothing_is_said_if_no_tests_are_rewritten_or_seen() -> None:
    seen = facts(Phase.RED)

    assert with_rewriting(seen, a_state(), SPEC, [a_report(NEW)], None) is seen
    assert with_rewriting(seen, rewriting(), SPEC, [untrusted()], None).observed.unrewritten == ()


def test_the_results_of_the_trial_replace_those_of_the_old_tests() -> None:
    proof = rewriting(red=(failed("test_ac1_fee"), failed("test_ac2_rate"))).proof

    after = with_rewritten(proof, RED_TRIAL)

    assert after.red == (failed("test_ac2_rate"), *RED_TRIAL.results)
    assert (after.red_tree, after.rewriting) == ("trial", ())
