"""Which criteria need a red test, which hold already, and by which kind each is proven."""

from dataclasses import replace
from typing import Any

import pytest

from dualgate.core.evidence.facts import gather
from dualgate.core.evidence.kinds import changed_code, kind_of
from dualgate.core.evidence.selection import next_run
from dualgate.core.gates.judge import judge
from dualgate.core.values.changes import Changes
from dualgate.core.values.facts import Facts
from dualgate.core.values.limits import Limits
from dualgate.core.values.specification import Criterion, Kind, Specification
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.suite import CaseResult
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import a_report, a_state, done, failed, not_done, passed

UNCHANGED = Changes(tree="t", added=("tests/test_x.py",))
STUBBED = Changes(tree="t", added=("tests/test_x.py", "stub.py"), code=("stub.py",))


def a_criterion(number: int, kind: Kind = Kind.NEW, **values: Any) -> Criterion:
    return Criterion(**{"id": f"AC-{number}", "text": f"thing {number}", "line": number, "kind": kind, **values})


def a_spec_of(*criteria: Criterion) -> Specification:
    return Specification(title="X", goal="", criteria=criteria, text="")


ONE, TWO, KEEP = a_criterion(1), a_criterion(2), a_criterion(3, Kind.KEEP)
WRITTEN = a_criterion(3, Kind.KEEP, inferred=False)


def in_red(*baseline: CaseResult, **proof: Any) -> LoopState:
    return a_state(phase=Phase.RED, proof=Proof(baseline=baseline, start_tree="s", **proof))


def after(*results: CaseResult, criteria: tuple[Criterion, ...] = (ONE, TWO), runs: int = 2, **values: Any) -> Facts:
    state = values.pop("state", in_red(passed("test_old")))
    changes = values.pop("changes", UNCHANGED)
    return gather(state, a_spec_of(*criteria), done(Phase.RED), [a_report(*results)] * runs, changes)


def reasons(facts: Facts) -> tuple[str, ...]:
    return judge(facts, Limits()).reasons


def test_only_new_criteria_need_a_red_test() -> None:
    other = (a_criterion(4, Kind.CHECK), a_criterion(5, Kind.REVIEW))

    seen = after(passed("test_old"), failed("test_ac1"), passed("test_ac3"), criteria=(ONE, KEEP, *other), runs=1)

    assert (seen.criteria, seen.observed.uncovered, reasons(seen)) == (1, (), ())


def test_a_new_criterion_becomes_keep_when_its_tests_pass_twice_against_the_code_as_it_was() -> None:
    seen = after(failed("test_ac1"), passed("test_ac2"))

    assert (seen.criteria, seen.observed.held, seen.observed.met) == (1, ("AC-2",), ())
    assert judge(seen, Limits()).outcome is Outcome.PASS
    assert "AC-2 holds already: its tests pass before any work (keep)" in judge(seen, Limits()).warnings
    assert [result.kind for result in seen.observed.criteria] == [Kind.NEW, Kind.KEEP]


def test_one_run_does_not_show_that_a_criterion_holds() -> None:
    seen = after(failed("test_ac1"), passed("test_ac2"), runs=1)

    (reason,) = reasons(seen)
    assert reason.startswith(
        "AC-2: its new tests pass before any work; after your EXIT_SIGNAL the loop runs them again"
    )
    assert "fail" not in reason


def test_code_changed_in_red_may_be_why_a_new_test_passes() -> None:
    seen = after(failed("test_ac1"), passed("test_ac2"), changes=STUBBED)

    (reason,) = reasons(seen)
    assert reason.startswith("new tests of AC-2 pass, but code was changed in RED (stub.py)")
    assert seen.observed.held == ()


def test_a_test_that_wavers_does_not_show_that_a_criterion_holds() -> None:
    runs = [a_report(failed("test_ac1"), failed("test_ac2")), a_report(failed("test_ac1"), passed("test_ac2"))]

    seen = gather(in_red(), a_spec_of(ONE, TWO), done(Phase.RED), runs, UNCHANGED)

    assert (seen.observed.held, seen.observed.met) == ((), ())


@pytest.mark.parametrize(
    ("results", "never_red"),
    [
        ((passed("test_ac1"), passed("test_ac2")), ("AC-1", "AC-2")),
        ((failed("test_ac1"), passed("test_ac2")), ()),
    ],
)
def test_tests_that_never_failed_are_named_if_no_test_is_red(
    results: tuple[CaseResult, ...], never_red: tuple[str, ...]
) -> None:
    seen = after(*results)

    assert (seen.observed.never_red, reasons(seen)) == (never_red, ())


def test_a_criterion_to_keep_may_be_proven_by_a_test_of_the_baseline_alone() -> None:
    old = passed("test_ac3_works")

    seen = after(old, criteria=(KEEP,), state=in_red(old), runs=1)

    assert (seen.observed.never_red, reasons(seen)) == ((), ())
    assert seen.observed.criteria[0].proof == (old.id,)


def test_a_criterion_to_keep_is_named_by_the_test_or_names_it() -> None:
    named = a_criterion(3, Kind.KEEP, text="`test_old` goes on passing")

    assert reasons(after(passed("test_old"), criteria=(named,), runs=1)) == ()
    assert reasons(after(passed("test_old"), criteria=(KEEP,), runs=1)) == (
        "no passing test names AC-3 (keep): add one, or name an existing test in the specification",
    )


def test_a_criterion_that_was_read_as_keep_becomes_new_when_its_test_is_red() -> None:
    seen = after(failed("test_ac3"), criteria=(KEEP,), runs=1)

    assert (seen.criteria, seen.observed.reread, reasons(seen)) == (1, ("AC-3",), ())
    assert [(result.kind.value, result.state.value) for result in seen.observed.criteria] == [("new", "red")]
    assert "AC-3 was read as keep, but its test fails: it counts as new" in judge(seen, Limits()).warnings


def test_a_criterion_that_is_written_as_keep_keeps_red_shut_when_its_test_fails() -> None:
    seen = after(failed("test_ac3"), criteria=(WRITTEN,), runs=1)

    assert (seen.criteria, seen.observed.reread) == (0, ())
    assert reasons(seen) == ("AC-3 (keep) must hold and does not: tests/test_x.py::test_ac3 fails",)


def test_a_test_that_failed_before_any_work_keeps_nothing() -> None:
    own = failed("test_ac3")

    seen = after(own, criteria=(WRITTEN,), state=in_red(own), runs=1)

    assert seen.observed.criteria[0].state.value == "failing"
    assert reasons(seen)[0].startswith("no passing test names AC-3 (keep)")


def test_the_kinds_by_which_red_was_proven_count_from_then_on() -> None:
    converted = Proof(red_tree="r", kinds=(("AC-1", Kind.KEEP),))

    assert (kind_of(ONE, converted), kind_of(TWO, converted), kind_of(KEEP, Proof())) == (
        Kind.KEEP, Kind.NEW, Kind.KEEP,
    )  # fmt: skip
    # RED passed before there were kinds: everything was proven as new
    assert kind_of(KEEP, Proof(red_tree="r")) is Kind.NEW


def test_a_changed_specification_is_not_proven_by_the_tests_of_the_earlier_one() -> None:
    earlier = in_red(red=(failed("test_ac1"),))

    assert after(passed("test_ac1"), criteria=(ONE,), state=earlier).observed.held == ()
    assert after(passed("test_ac1", digest="d2"), criteria=(ONE,), state=earlier).observed.held == ("AC-1",)


def test_only_what_is_no_test_by_name_or_by_its_results_is_code() -> None:
    changes = Changes(tree="t", code=("a.py", "checks/adds.py", "mod.py", "out/x.log"))
    results = (passed("x", file="checks/adds.py"), passed("x", id="mod.py::pkg.mod.double", file="mod.py"))

    assert changed_code(changes, results, Proof(outputs=("out/*",))) == ("a.py", "mod.py")


MET = a_report(failed("test_ac1"), passed("test_ac2"))
RUNS: list[tuple[dict[str, Any], bool]] = [
    ({}, True),
    ({"claim": not_done()}, False),
    ({"changes": STUBBED}, False),
    ({"runs": [MET, MET]}, False),
    ({"runs": [a_report(failed("test_ac1"), failed("test_ac2"))]}, False),
    ({"runs": [replace(MET, problems=("no report",))]}, False),
    ({"state": in_red(kept_criteria=("AC-2",))}, False),
]


@pytest.mark.parametrize(("given", "is_run"), RUNS)
def test_red_runs_the_tests_again_if_a_criterion_seems_to_hold(given: dict[str, Any], is_run: bool) -> None:
    values = {"state": in_red(), "claim": done(Phase.RED), "changes": UNCHANGED, "runs": [MET], **given}

    plan = next_run(values["state"], values["claim"], values["changes"], values["runs"], (ONE, TWO, KEEP))

    assert (plan is not None) is is_run
    assert plan is None or (plan.only, plan.reason) == ((), "the tests of AC-2 pass before any work")


def test_a_new_test_of_a_criterion_to_keep_is_told_to_the_reviewer_if_red_changed_code() -> None:
    note = "the tests of AC-3 (keep) are new, and RED changed stub.py"
    results = (failed("test_ac1"), passed("test_ac3"))

    assert note in after(*results, criteria=(ONE, KEEP), changes=STUBBED).observed.notes
    assert note not in after(*results, criteria=(ONE, KEEP)).observed.notes
    assert note not in after(*results, criteria=(ONE, KEEP), changes=STUBBED, state=in_red(results[1])).observed.notes
