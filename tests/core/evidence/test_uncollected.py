"""Tests whose file could not be collected in RED, since the work was missing."""

from dataclasses import replace

import pytest

from dualgate.core.evidence.comparison import compare, unfolded
from dualgate.core.evidence.uncollected import waiting_files, waiting_fixtures, with_old_tests, with_trial
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import CaseOutcome, CaseResult, FailureKind
from dualgate.testing import a_report, failed, passed, skipped

FILE = "tests/test_x.py"


def waiting(name: str, **values: object) -> CaseResult:
    given = {"kind": FailureKind.MISSING, "message": "No module named 'shop'", **values}
    return replace(failed(name, **given), outcome=CaseOutcome.ERROR, uncollected=True)


def test_any_case_of_its_function_is_the_test_that_could_not_be_collected() -> None:
    found = compare([waiting("test_a"), waiting("test_b")], [passed("test_a[1]"), passed("test_a[2]")])

    assert found.vanished == (f"{FILE}::test_b",)
    assert (found.new, found.fixed) == ((), (f"{FILE}::test_a[1]", f"{FILE}::test_a[2]"))


def test_a_test_with_other_code_is_changed_although_it_could_not_be_collected() -> None:
    found = compare([waiting("test_a", digest="old")], [passed("test_a[1]", digest="new")])

    assert found.changed == (f"{FILE}::test_a[1]",)


def test_the_cases_of_the_baseline_are_not_gone_while_their_file_cannot_be_collected() -> None:
    found = compare([passed("test_a[1]"), passed("test_a[2]"), passed("test_b")], [waiting("test_a")])

    assert (found.vanished, found.regressed, found.new) == ((f"{FILE}::test_b",), (f"{FILE}::test_a",), ())


def test_a_case_that_a_trial_saw_may_have_another_id_when_the_work_is_there() -> None:
    seen = [waiting("test_a[1]"), waiting("test_a[2]")]

    assert compare(seen, [passed("test_a[1]")]).vanished == ()
    assert compare(seen, [passed("test_a[x]")]).vanished == ()
    assert compare(seen, [passed("test_b")]).vanished == (f"{FILE}::test_a[1]", f"{FILE}::test_a[2]")


def test_a_skip_of_a_test_that_could_not_be_collected_is_a_new_one() -> None:
    assert compare([waiting("test_a")], [skipped("test_a[1]")]).newly_skipped == (f"{FILE}::test_a[1]",)


def test_its_cases_are_known_when_it_was_collected() -> None:
    found = unfolded([waiting("test_a"), waiting("test_b"), failed("test_c")], [passed("test_a[1]"), passed("test_d")])

    assert [result.id for result in found] == [f"{FILE}::{name}" for name in ("test_a[1]", "test_b", "test_c")]


RUN = a_report(waiting("test_new", digest="n", doc="AC-1"), waiting("test_old"), passed("test_else", file="tests/e.py"))
PROOF = Proof(baseline=(passed("test_old"), passed("test_made")))


def test_a_test_that_does_not_need_the_work_has_the_result_of_the_trial() -> None:
    trial = a_report(
        failed("test_new[1]", digest="other", kind=FailureKind.MISSING, message="NameError"),
        passed("test_old", digest="other"),
        passed("test_made"),
        passed("test_unknown"),
        passed("test_else", file="tests/e.py", message="of the trial"),
    )

    results = {result.id.rpartition("::")[2]: result for result in with_trial(RUN, trial, PROOF, ()).results}

    assert {name: result.outcome.value for name, result in results.items()} == {
        "test_else": "passed",
        "test_new[1]": "failed",
        "test_old": "passed",
        "test_made": "passed",
    }
    new = results["test_new[1]"]
    assert (new.digest, new.doc, new.message, new.uncollected) == ("n", "AC-1", "No module named 'shop'", True)
    assert results["test_old"].digest == RUN.results[1].digest
    assert results["test_else"].message == ""


@pytest.mark.parametrize(("defined", "kind"), [((), FailureKind.BROKEN_TEST), (("cart",), FailureKind.MISSING)])
def test_a_fixture_that_the_missing_work_takes_away_is_no_mistake(defined: tuple[str, ...], kind: FailureKind) -> None:
    broken = failed("test_new", kind=FailureKind.BROKEN_TEST, message="fixture 'cart' not found")

    assert with_trial(RUN, a_report(broken), PROOF, defined).results[-1].kind is kind


def test_a_test_that_the_trial_does_not_run_waits_as_before() -> None:
    broken = failed("", id=FILE, kind=FailureKind.BROKEN_FILE)

    assert with_trial(RUN, a_report(waiting("test_new"), broken), PROOF, ()) == RUN
    assert with_trial(RUN, a_report(passed("test_new"), problems=("x",)), PROOF, ()) == RUN


def test_files_that_waited_before_any_work_are_left_alone() -> None:
    proof = Proof(baseline=(waiting("test_new"),))

    assert waiting_files(RUN, Proof()) == (FILE,)
    assert waiting_files(RUN, proof) == ()
    assert with_trial(RUN, a_report(passed("test_new")), proof, ()) == RUN


def test_fixtures_that_cannot_be_imported_hold_no_tests_themselves() -> None:
    conftest = replace(failed("", id="c", file="tests/conftest.py", kind=FailureKind.BROKEN_FILE), uncollected=True)
    mistake = failed("", id="m", file="tests/test_m.py", kind=FailureKind.BROKEN_FILE)

    assert waiting_fixtures(a_report(conftest, mistake, waiting("test_a"))) == ("tests/conftest.py",)
    assert waiting_files(a_report(conftest, mistake), Proof()) == ()


def test_old_tests_that_went_down_with_new_ones_have_the_results_of_a_trial_without_those() -> None:
    run = a_report(waiting("new"), waiting("old"), waiting("changed"), failed("ran"))
    trial = a_report(
        passed("old"), passed("changed"), passed("ran"), passed("beside"), passed("removed"), waiting_file("broken")
    )

    found = with_old_tests(run, trial, {("old",)}, {("removed",)})

    assert [(result.id.rpartition(":")[2], result.failed) for result in found.results] == [
        ("new", True),
        ("changed", True),
        ("ran", True),
        ("old", False),
        ("beside", False),
    ]


def waiting_file(name: str) -> CaseResult:
    return waiting(name, kind=FailureKind.BROKEN_FILE)


@pytest.mark.parametrize("name", ["g > old", "a.js::g > old", "a.js::g::g old", "g::old"])
def test_old_tests_are_known_by_their_groups_however_a_runner_writes_them(name: str) -> None:
    def named(result: CaseResult) -> CaseResult:
        return replace(result, id=name)

    run, trial = a_report(named(waiting("x"))), a_report(named(passed("x")))

    assert not with_old_tests(run, trial, {("g", "old")}, ()).results[0].failed
    assert with_old_tests(run, trial, {("old", "g"), ("g", "ld")}, ()).results[0].failed


def test_old_tests_that_cannot_be_run_without_the_new_ones_are_a_problem() -> None:
    found = with_old_tests(a_report(waiting("new")), a_report(problems=("it broke off",)), (), ())

    assert found.problems == (
        "old tests that share a file or a package with tests that wait for work cannot be run: it broke off",
    )
