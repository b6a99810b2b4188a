from dualgate.core.evidence.facts import gather
from dualgate.core.evidence.linking import counted_tests, covered_criteria
from dualgate.core.gates.judge import judge
from dualgate.core.values.changes import Changes
from dualgate.core.values.facts import Facts
from dualgate.core.values.limits import Limits
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import CaseOutcome, CaseResult, FailureKind
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import a_report, a_spec, a_state, done, failed, passed

CHANGES = Changes(tree="t", modified=("a.py",))


def in_red(*results: CaseResult, criteria: int = 2, asked: tuple[str, ...] = ()) -> Facts:
    state = a_state(phase=Phase.RED, proof=Proof(start_tree="s", asked=asked))
    return gather(state, a_spec(criteria), done(Phase.RED), [a_report(*results)], CHANGES)


def test_parameters_are_not_tests() -> None:
    facts = in_red(failed("test_fee[ac1]"), failed("test_fee[ac2]"))

    assert (facts.observed.counted, facts.observed.uncovered) == (1, ("AC-2",))
    assert judge(facts, Limits()).reasons == (
        "no failing new test names AC-2",
        "AC-2 needs a new or changed test that fails; 2 needed, 1 found: "
        "parameters of one test, and tests with equal bodies, count once",
    )


def test_new_tests_that_are_skipped_or_expected_to_fail_do_not_count_and_are_named() -> None:
    skipped = replace(passed("test_ac1"), outcome=CaseOutcome.SKIPPED)
    expected = replace(passed("test_ac2"), outcome=CaseOutcome.XFAILED)

    assert judge(in_red(skipped, expected), Limits()).reasons == (
        "AC-1, AC-2 each need a new or changed test that fails; 2 needed, 0 found; tests/test_x.py::test_ac1, "
        "tests/test_x.py::test_ac2: a test that is skipped or expected to fail does not count",
    )


def test_tests_with_equal_bodies_count_once() -> None:
    tests = [failed(name, body="b1") for name in ("test_ac1", "test_ac2")]

    assert len(counted_tests([*tests, failed("test_ac3", body="b2")])) == 2
    assert in_red(*tests).observed.uncovered == ("AC-2",)


def test_a_test_that_names_two_criteria_stands_for_the_one_that_no_other_test_names() -> None:
    both, one = failed("test_both", doc="AC-1, AC-2"), failed("test_ac1")

    assert covered_criteria(a_spec(2).criteria, [both, one]) == {"AC-1", "AC-2"}
    assert covered_criteria(a_spec(2).criteria, [both]) == {"AC-1"}
    assert covered_criteria(a_spec(3).criteria, [both, one]) == {"AC-1", "AC-2"}


def test_a_criterion_whose_test_stands_for_another_has_no_test() -> None:
    seen = in_red(failed("test_both", doc="AC-1, AC-2"), failed("test_more")).observed

    assert [each.state for each in seen.criteria] == ["red", "no test"]


def test_tests_without_a_criterion_are_asked_for_its_name_once() -> None:
    facts = in_red(failed("test_price"), failed("test_tax"))
    again = in_red(failed("test_price"), failed("test_tax"), asked=("name AC-1", "name AC-2"))

    (asked,) = facts.observed.asks
    assert judge(facts, Limits()).reasons == (f"{asked.sentence}; this is reported once",)
    assert asked.about == ("name AC-1", "name AC-2")
    assert (judge(again, Limits()).outcome, again.observed.unlinked) == (Outcome.PASS, ("AC-1", "AC-2"))
    assert judge(again, Limits()).warnings == ("no test names a criterion, so only the number of tests was compared",)


def test_tests_of_one_criterion_do_not_stand_for_another() -> None:
    facts = in_red(failed("test_ac1_low"), failed("test_ac1_high"), asked=("name AC-2",))

    assert judge(facts, Limits()).reasons == ("no failing new test names AC-2",)


def test_a_broken_test_is_not_red() -> None:
    broken = failed("test_ac2", kind=FailureKind.BROKEN_TEST, message="fixture 'cart' not found")
    facts = in_red(failed("test_ac1"), broken)

    assert facts.observed.red == ("tests/test_x.py::test_ac1",)
    assert judge(facts, Limits()).reasons[0] == (
        "tests/test_x.py::test_ac2 is broken, not red: fixture 'cart' not found"
    )


def test_a_criterion_without_a_linked_test_stays_without_one_after_red() -> None:
    proof = Proof(start_tree="s", red_tree="r", unlinked=("AC-2",))
    both = passed("test_both", doc="AC-1, AC-2")

    seen = gather(a_state(phase=Phase.GREEN, proof=proof), a_spec(2), done(Phase.GREEN), [a_report(both)], CHANGES)

    assert [each.state for each in seen.observed.criteria] == ["green", "no test"]
