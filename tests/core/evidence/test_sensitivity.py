"""What probes show of a criterion, and of a change as a whole."""

from typing import Any

import pytest

from dualgate.core.evidence.sensitivity import (
    Standing,
    build_groups,
    killed_share,
    notes_on,
    probe_groups,
    seconds_for_probes,
    sensitivity_of,
    summary,
    with_probes,
)
from dualgate.core.values.changes import Changes
from dualgate.core.values.facts import Observed
from dualgate.core.values.probes import (
    ApartResult,
    Probe,
    ProbedFunction,
    ProbeGroup,
    ProbeKind,
    ProbeReport,
    ProbeState,
    UnrunLines,
)
from dualgate.core.values.replacing import replace
from dualgate.core.values.specification import CriterionResult, CriterionStatus, Kind
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import FailureKind
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import a_state, facts, failed, passed

TEST = "tests/test_x.py::test_ac1"
OTHER = "tests/test_x.py::test_other"
GROUP = ProbeGroup(id="AC-1", tests=(TEST,))
OBSERVED = Observed(changes=Changes(tree="t", sources=("fee.py",)))
CRASHED = Proof(red=(failed("test_ac1", kind=FailureKind.MISSING),))
ASSERTED = Proof(red=(failed("test_ac1"),))


def a_probe(kind: ProbeKind = ProbeKind.VALUE_STUB, **values: Any) -> Probe:
    state = ProbeState.KILLED if values.get("killed_by") else ProbeState.SURVIVING
    defaults = {"file": "fee.py", "line": 8, "function": "fee", "kind": kind, "text": "returns 1", "state": state}
    return Probe(**{**defaults, **values})


def a_probe_report(*probes: Probe, **values: Any) -> ProbeReport:
    return ProbeReport(**{"probes": probes, "ran": (TEST,), **values})


KILLED = a_probe(killed_by=(TEST,))
RAISING = a_probe(ProbeKind.RAISE_STUB, killed_by=(TEST,), crashed=(TEST,))
FIXED = Proof(red=(failed("test_ac1", kind=FailureKind.OTHER),))
STUBBED = Proof(red=FIXED.red, stubs=("fee.py",))
CRASHING = a_probe(killed_by=(TEST,), crashed=(TEST,))
SURVIVED = a_probe(survived=(TEST,))
PINNED = a_probe(killed_by=(OTHER,), survived=(TEST,))
CRASHING_OTHER = a_probe(killed_by=(OTHER,), crashed=(OTHER,), survived=(TEST,))
STUBBED_VALUE = Proof(red=ASSERTED.red, stubs=("fee.py",))
PROVEN, WEAK, UNMEASURED = Standing.PROVEN, Standing.WEAK, Standing.UNMEASURED
RULE = [
    ("a value stub is killed", CRASHED, a_probe_report(SURVIVED, KILLED), PROVEN),
    ("a mutant is killed", CRASHED, a_probe_report(a_probe(ProbeKind.MUTANT, killed_by=(TEST,))), PROVEN),
    (
        "only raising is noticed",
        CRASHED,
        a_probe_report(SURVIVED, a_probe(ProbeKind.RAISE_STUB, killed_by=(TEST,))),
        WEAK,
    ),
    ("another test kills it", CRASHED, a_probe_report(a_probe(killed_by=(OTHER,), survived=(TEST,))), WEAK),
    ("red by a crash, nothing killed", CRASHED, a_probe_report(SURVIVED), WEAK),
    ("red by an assertion, nothing killed", ASSERTED, a_probe_report(SURVIVED), WEAK),
    (
        "red by an assertion, a deletion killed",
        ASSERTED,
        a_probe_report(SURVIVED, a_probe(ProbeKind.DELETION, killed_by=(TEST,))),
        PROVEN,
    ),
    (
        "red by a crash, a deletion killed",
        CRASHED,
        a_probe_report(SURVIVED, a_probe(ProbeKind.DELETION, killed_by=(TEST,))),
        WEAK,
    ),
    ("only a crash elsewhere", CRASHED, a_probe_report(SURVIVED, CRASHING), WEAK),
    ("only a crash elsewhere, red by an assertion", ASSERTED, a_probe_report(SURVIVED, CRASHING), PROVEN),
    ("every break crashes", CRASHED, a_probe_report(CRASHING), PROVEN),
    ("a crash of existing code is fixed", FIXED, a_probe_report(SURVIVED, RAISING), PROVEN),
    ("a crash of a stub is none", STUBBED, a_probe_report(SURVIVED, RAISING), WEAK),
    ("other tests notice every value, red by an assertion", ASSERTED, a_probe_report(PINNED, RAISING), PROVEN),
    ("other tests notice every value, red by a crash", CRASHED, a_probe_report(PINNED, RAISING), WEAK),
    ("other tests notice every value of a stub", STUBBED_VALUE, a_probe_report(PINNED, RAISING), WEAK),
    ("other tests notice some values", ASSERTED, a_probe_report(PINNED, SURVIVED, RAISING), WEAK),
    ("other tests only crash", ASSERTED, a_probe_report(CRASHING_OTHER, RAISING), WEAK),
    ("other tests notice every value, and this one nothing", ASSERTED, a_probe_report(PINNED), WEAK),
    ("nothing has a result", CRASHED, a_probe_report(), UNMEASURED),
    ("the time was over", CRASHED, a_probe_report(left_out=3), UNMEASURED),
    ("no assertion is reached", ASSERTED, a_probe_report(KILLED, unasserted=(TEST,)), WEAK),
    ("another result is expected, unnoticed", ASSERTED, a_probe_report(KILLED, unexpecting=(TEST,)), WEAK),
    ("apart: killed", CRASHED, ProbeReport(apart=(ApartResult(test=TEST, state=ProbeState.KILLED),)), PROVEN),
    ("apart: surviving", CRASHED, ProbeReport(apart=(ApartResult(test=TEST, state=ProbeState.SURVIVING),)), WEAK),
    (
        "apart: the copy does not run",
        CRASHED,
        ProbeReport(apart=(ApartResult(test=TEST, state=ProbeState.UNKNOWN, reason="the copy fails"),)),
        UNMEASURED,
    ),
    ("apart: not tried", CRASHED, ProbeReport(), UNMEASURED),
]


@pytest.mark.parametrize(("case", "proof", "report", "standing"), RULE, ids=[case for case, *_ in RULE])
def test_a_criterion_stands_by_what_its_tests_notice(
    case: str, proof: Proof, report: ProbeReport, standing: Standing
) -> None:
    assert sensitivity_of(GROUP, report, proof, OBSERVED).standing is standing


def test_what_a_test_passes_without_is_said_of_it() -> None:
    def reason(text: str) -> str:
        report = ProbeReport(apart=(ApartResult(test=TEST, state=ProbeState.SURVIVING, reason=text),))
        return sensitivity_of(GROUP, report, CRASHED, OBSERVED).reason.rpartition("` ")[2]

    assert reason("it runs no code of the project") == "runs no code of the project"
    assert reason("") == "also passes when every changed function returns a constant"


def test_a_change_of_data_may_be_what_the_test_is_about() -> None:
    observed = Observed(changes=Changes(tree="t", sources=("fee.py", "rates.json")))

    assert sensitivity_of(GROUP, a_probe_report(SURVIVED), ASSERTED, observed).standing is PROVEN
    assert sensitivity_of(GROUP, a_probe_report(SURVIVED), CRASHED, observed).standing is WEAK


def test_the_reason_names_the_test_and_the_break() -> None:
    stub = sensitivity_of(GROUP, a_probe_report(SURVIVED), CRASHED, OBSERVED)
    mutant = a_probe(ProbeKind.MUTANT, text="`<=` → `<`", survived=(TEST,))
    proof = Proof(red=CRASHED.red, suites=("tests",))

    assert stub.reason == "`tests/test_x.py::test_ac1` also passes when `fee()` returns 1"
    changed = sensitivity_of(GROUP, a_probe_report(mutant), proof, OBSERVED).reason
    assert changed == "`tests/test_x.py::test_ac1` also passes when `fee.py:8` is changed (`<=` → `<`)"


def a_criterion(number: int, state: CriterionStatus = CriterionStatus.GREEN, **values: Any) -> CriterionResult:
    return CriterionResult(**{"id": f"AC-{number}", "kind": Kind.NEW, "state": state, **values})


def test_the_tests_of_each_criterion_are_a_group() -> None:
    seen = facts(
        Phase.GREEN,
        criteria=(
            a_criterion(1, proof=(TEST,)),
            a_criterion(2, CriterionStatus.HOLDS, kind=Kind.KEEP, proof=(OTHER,)),
            a_criterion(3, CriterionStatus.NO_TEST),
            a_criterion(4, CriterionStatus.PASSES, kind=Kind.CHECK, proof=("make lint",)),
            a_criterion(5, CriterionStatus.NO_TEST, kind=Kind.KEEP),
        ),
    ).observed
    proof = Proof(red=(failed("test_ac1"), failed("test_old"), passed("test_guard")))

    assert probe_groups(seen, proof) == (
        ProbeGroup(id="AC-1", tests=(TEST,)),
        ProbeGroup(id="AC-2", tests=(OTHER,), breaks_unchanged=True),
        ProbeGroup(id="AC-3", tests=("tests/test_x.py::test_old",)),
    )


def test_the_facts_name_weak_and_sensitive_criteria() -> None:
    before = facts(Phase.GREEN, criteria=(a_criterion(1, proof=(TEST,)), a_criterion(2, proof=(OTHER,))))
    state = a_state(phase=Phase.GREEN, proof=CRASHED)

    seen = with_probes(before, a_probe_report(a_probe(killed_by=(OTHER,), survived=(TEST,))), state, {}).observed

    assert [(weak.id, weak.tests) for weak in seen.weak] == [("AC-1", (TEST,))]
    assert seen.sensitive == ("AC-2",)
    assert seen.notes == ("1 of 1 probe killed",)
    assert with_probes(before, None, state, {}) is before


def test_what_is_not_measured_is_said() -> None:
    before = facts(Phase.GREEN, criteria=(a_criterion(1, proof=(TEST,)),))
    state = a_state(phase=Phase.GREEN, proof=CRASHED)

    other, run = (
        with_probes(before, report, state, {}).observed
        for report in (ProbeReport(problems=("go is not measured",)), ProbeReport(commands=(("pytest",),)))
    )

    assert (other.weak, run.weak) == ((), ())
    assert other.notes == (
        "sensitivity not measured: go is not measured",
        "sensitivity not measured: AC-1 (probes exist for Python only)",
    )
    assert run.notes == ("sensitivity not measured: AC-1 (its tests run no changed code)",)


def test_the_summary_counts_and_names_the_survivors() -> None:
    unknown = a_probe(state=ProbeState.UNKNOWN)
    report = a_probe_report(KILLED, a_probe(ProbeKind.MUTANT, text="`<=` → `<`"), unknown, left_out=2)

    assert summary(report) == (
        "1 of 2 probes killed; surviving: `fee.py:8` `<=` → `<`; 1 without a result; 2 did not fit into the time"
    )
    assert killed_share(report) == 50
    assert killed_share(a_probe_report(unknown)) is None


def test_changed_lines_that_no_test_runs_are_named() -> None:
    lines = (UnrunLines(file="fee.py", first=3, last=3), UnrunLines(file="fee.py", first=7, last=9))

    assert notes_on(ProbeReport(unrun=lines)) == ("changed lines that no test runs: `fee.py:3`, `fee.py:7-9`",)


def test_probes_may_take_a_minute_or_twice_the_suite() -> None:
    assert seconds_for_probes(a_state(proof=Proof(seconds=5))) == 60
    assert seconds_for_probes(a_state(proof=Proof(seconds=90))) == 180
    assert seconds_for_probes(a_state(proof=Proof(seconds=90), sensitivity_time=10.0)) == 10


def test_a_criterion_may_be_weak_for_another_reason() -> None:
    before = facts(Phase.GREEN, criteria=(a_criterion(1, proof=(TEST,)),))

    seen = with_probes(before, a_probe_report(KILLED), a_state(proof=CRASHED), {"AC-1": "no source has `fee()`"})

    assert [weak.reason for weak in seen.observed.weak] == ["no source has `fee()`"]


def test_in_build_each_new_test_is_a_group_of_its_own() -> None:
    seen = facts(Phase.BUILD, fresh=(TEST, OTHER)).observed

    assert build_groups(seen) == (ProbeGroup(id=TEST, tests=(TEST,)), ProbeGroup(id=OTHER, tests=(OTHER,)))


def test_a_test_that_any_error_satisfies_proves_nothing() -> None:
    any_error = a_probe(ProbeKind.RAISE_STUB, text="raises an error", survived=(TEST,))

    seen = sensitivity_of(GROUP, a_probe_report(KILLED, any_error), CRASHED, OBSERVED)

    assert seen.reason == "`tests/test_x.py::test_ac1` also passes when `fee()` raises an error"
    other = a_probe(function="rate", killed_by=(TEST,))
    assert sensitivity_of(GROUP, a_probe_report(KILLED, any_error, other), CRASHED, OBSERVED).standing is PROVEN


def test_the_function_that_a_criterion_asks_for_must_be_noticed() -> None:
    functions = (ProbedFunction(file="fee.py", line=8, name="Bank.fee", tests=1),)
    report = a_probe_report(a_probe(function="", killed_by=(TEST,)), SURVIVED, functions=functions)

    seen = sensitivity_of(GROUP, report, ASSERTED, OBSERVED, asked=("fee",))

    assert seen.reason == "it asks for `fee()`, and its tests notice no changed value of that"
    assert sensitivity_of(GROUP, report, ASSERTED, OBSERVED, asked=("rate",)).standing is PROVEN


def test_a_guessed_constant_counts_only_if_no_other_goes_unnoticed() -> None:
    number = a_probe(ProbeKind.GUESSED_STUB, killed_by=(TEST,))
    text = a_probe(ProbeKind.GUESSED_STUB, text="returns 'x'", survived=(TEST,))

    assert sensitivity_of(GROUP, a_probe_report(number), CRASHED, OBSERVED).standing is PROVEN
    assert sensitivity_of(GROUP, a_probe_report(number, text), CRASHED, OBSERVED).standing is WEAK


def test_a_second_test_that_notices_less_takes_nothing_from_the_first_and_two_halves_make_no_whole() -> None:
    second = f"{TEST}_too"
    group = replace(GROUP, tests=(TEST, second))
    number, text = ProbeKind.GUESSED_STUB, "returns 'x'"
    beside = (
        a_probe(number, killed_by=(TEST,), survived=(second,)),
        a_probe(number, text=text, killed_by=(TEST,), survived=(second,)),
    )
    halves = (
        a_probe(number, killed_by=(TEST,), survived=(second,)),
        a_probe(number, text=text, killed_by=(second,), survived=(TEST,)),
    )

    assert sensitivity_of(group, a_probe_report(*beside), CRASHED, OBSERVED).standing is PROVEN
    assert sensitivity_of(group, a_probe_report(*halves), CRASHED, OBSERVED).standing is WEAK


def test_a_test_that_cannot_fail_by_its_syntax_tree_proves_nothing_by_itself() -> None:
    sentence = "`tests/test_x.py:4` test_ac1 has no assertion; assert what the criterion says"
    hollow = Observed(changes=Changes(tree="t"), hollow=(sentence,))

    assert sensitivity_of(GROUP, ProbeReport(), CRASHED, hollow).reason == sentence
    assert sensitivity_of(GROUP, a_probe_report(KILLED), CRASHED, hollow).standing is PROVEN


def test_that_an_initializer_does_nothing_counts_only_if_its_values_are_noticed() -> None:
    nothing = a_probe(ProbeKind.GUESSED_STUB, function="Bill.__init__", text="does nothing", killed_by=(TEST,))
    unnoticed = a_probe(ProbeKind.MUTANT, function="Bill.__init__", text="`0` → `1`", survived=(TEST,))
    elsewhere = a_probe(ProbeKind.MUTANT, function="Bill.add", text="`0` → `1`", survived=(TEST,))

    assert sensitivity_of(GROUP, a_probe_report(nothing, unnoticed), CRASHED, OBSERVED).standing is WEAK
    assert sensitivity_of(GROUP, a_probe_report(nothing, elsewhere), CRASHED, OBSERVED).standing is PROVEN
