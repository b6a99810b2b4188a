"""What base, head and the trials on both show: findings, their weights, and a row for each test."""

from dataclasses import replace
from typing import Any

import pytest

from dualgate.core.evidence.definitions import SourceChange
from dualgate.core.evidence.disarmed import Suspect, Texts
from dualgate.core.evidence.doubted import Doubt
from dualgate.core.values.checks import CheckRun
from dualgate.core.values.probes import Probe, ProbedFunction, ProbeKind, ProbeReport, ProbeState, UnrunLines
from dualgate.core.values.source_texts import SourceTexts
from dualgate.core.values.specification import Criterion, CriterionStatus, Kind
from dualgate.core.values.suite import CaseOutcome, CaseResult, FailureKind, SuiteReport
from dualgate.core.values.verification import CaseState, Finding, ProbeCounts, Rule, Weight
from dualgate.core.verification.cases import case_changes
from dualgate.core.verification.criteria import criterion_proofs
from dualgate.core.verification.judging import judge_change
from dualgate.core.verification.measured import ChangedPaths, ComparedCheck, Measured, OldTests
from dualgate.core.verification.noticing import probe_counts
from dualgate.testing import a_report, failed, passed, skipped

A, B = "tests/test_x.py::test_a", "tests/test_x.py::test_b"
CODE = ChangedPaths(code=("fee.py",))


def report(*results: CaseResult, **values: Any) -> SuiteReport:
    return a_report(*results, **values)


def measured(base: SuiteReport, head: SuiteReport, **values: Any) -> Measured:
    return Measured(base=base, head=head, **values)


def found(seen: Measured) -> list[tuple[Rule, Weight, str]]:
    return [(each.rule, each.weight, each.test or each.subject or each.file) for each in judge_change(seen)]


def deciding(seen: Measured) -> list[tuple[Rule, Weight, str]]:
    return [each for each in found(seen) if each[1] is not Weight.NOTE]


def finding(seen: Measured, rule: Rule) -> Finding:
    (only,) = [each for each in judge_change(seen) if each.rule is rule]
    return only


def states(seen: Measured) -> dict[str, tuple[CaseState, ...]]:
    return {row.id: row.states for row in case_changes(seen)}


# results


def test_equal_runs_have_no_finding_and_rows_without_states() -> None:
    seen = measured(report(passed("test_a")), report(passed("test_a")))

    assert found(seen) == []
    assert states(seen) == {A: ()}


def test_a_test_that_fails_on_the_head_alone_is_refused_with_its_message() -> None:
    seen = measured(report(passed("test_a")), report(failed("test_a", message="\nassert 1 == 2\nmore")))

    assert deciding(seen) == [(Rule.REGRESSED, Weight.REFUSED, A)]
    assert finding(seen, Rule.REGRESSED).text == f"{A} fails on the head and passes on the base: assert 1 == 2"
    assert states(seen) == {A: (CaseState.REGRESSED,)}


def test_a_new_test_that_fails_is_refused_and_one_without_a_message_is_named_by_its_outcome() -> None:
    seen = measured(report(passed("test_a")), report(passed("test_a"), failed("test_b", message="")))

    assert finding(seen, Rule.REGRESSED).text == f"{B} fails on the head and is new or changed: failed"


def test_a_wavering_test_is_a_note_alone() -> None:
    seen = measured(report(passed("test_a")), report(failed("test_a")), wavering=(A,))

    assert found(seen) == [(Rule.FLAKY, Weight.NOTE, A)]
    assert states(seen) == {A: (CaseState.STILL_FAILING, CaseState.FLAKY)}


def test_a_file_that_cannot_be_collected_any_more_is_lost_once() -> None:
    broken = failed("", id="tests/test_x.py", kind=FailureKind.BROKEN_FILE, message="x\nE   SyntaxError: no")
    seen = measured(report(passed("test_a"), passed("test_b")), report(broken))

    assert deciding(seen) == [(Rule.LOST, Weight.REFUSED, "tests/test_x.py")]
    assert finding(seen, Rule.LOST).text == (
        "tests/test_x.py cannot be collected on the head (2 tests of the base): SyntaxError: no"
    )


def test_a_file_that_was_broken_before_is_nobodys_fault() -> None:
    broken = failed("", id="tests/test_x.py", kind=FailureKind.BROKEN_FILE, message="")

    assert deciding(measured(report(broken), report(broken))) == []


def test_a_new_broken_file_is_lost_without_a_count() -> None:
    broken = failed("", id="tests/test_y.py", file="tests/test_y.py", kind=FailureKind.BROKEN_FILE, message="")
    seen = measured(report(passed("test_a")), report(passed("test_a"), broken))

    assert finding(seen, Rule.LOST).text == "tests/test_y.py cannot be collected on the head: failed"


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        ({"problems": ("no report",)}, {}, (Rule.SUITE, Weight.UNUSABLE, "base")),
        ({}, {"problems": ("test_a raised",)}, (Rule.FORGED, Weight.REFUSED, "head")),
        ({}, {"problems": ("broke off",), "complete": False, "exit_code": 0}, (Rule.FORGED, Weight.REFUSED, "head")),
        ({}, {"problems": ("timed out",), "complete": False, "exit_code": None}, (Rule.SUITE, Weight.REFUSED, "head")),
    ],
)
def test_a_run_that_cannot_be_trusted_is_unusable_and_one_that_pretends_is_refused(
    base: dict[str, Any], head: dict[str, Any], expected: tuple[Rule, Weight, str]
) -> None:
    seen = measured(report(passed("test_a"), **base), report(passed("test_a"), **head))

    assert deciding(seen) == [expected]


def test_a_head_that_may_need_what_is_not_installed_is_unusable() -> None:
    head = report(problems=("no report",), complete=False, exit_code=4)
    seen = measured(report(passed("test_a")), head, paths=ChangedPaths(steering=("pyproject.toml",)))

    assert deciding(seen) == [(Rule.SUITE, Weight.UNUSABLE, "head")]


def test_old_failures_are_a_note_unless_they_run_changed_code() -> None:
    base, head = report(failed("test_a"), failed("test_b")), report(failed("test_a"), failed("test_b"))
    probes = ProbeReport(failing=(B,))
    seen = measured(base, head, probes=probes)

    assert [(rule, weight) for rule, weight, _ in found(seen)] == [
        (Rule.OLD_FAILURE, Weight.NOT_PROVEN),
        (Rule.OLD_FAILURE, Weight.NOTE),
    ]
    assert "1 test fails as on the base" in judge_change(seen)[1].text


def test_steps_out_of_time_leave_it_not_proven_and_notes_are_told() -> None:
    seen = measured(report(), report(notes=("killed once",)), undone=("the checks",), notes=("left out",))

    assert found(seen) == [
        (Rule.BUDGET, Weight.NOT_PROVEN, "the checks"),
        (Rule.SETUP, Weight.NOTE, "left out"),
        (Rule.SETUP, Weight.NOTE, "killed once"),
    ]


# renamed tests


def test_a_renamed_test_is_one_test_and_not_a_new_one() -> None:
    old, new = passed("test_old", digest="d1", body="b1"), passed("test_new", digest="d2", body="b1")
    seen = measured(report(old), report(new), on_base=report(new))

    assert states(seen) == {"tests/test_x.py::test_new": (CaseState.RENAMED,)}
    assert case_changes(seen)[0].renamed_from == "tests/test_x.py::test_old"
    assert found(seen) == []


def test_a_renamed_test_that_fails_now_is_a_regression() -> None:
    old, new = passed("test_old", body="b1", digest="x"), failed("test_new", body="b1", digest="y")

    assert deciding(measured(report(old), report(new))) == [
        (Rule.REGRESSED, Weight.REFUSED, "tests/test_x.py::test_new")
    ]


def test_a_moved_test_is_known_by_its_code() -> None:
    old, moved = passed("test_old", digest="same"), passed("", id="other.py::test_old", file="other.py", digest="same")
    seen = measured(report(old), report(moved))

    assert states(seen) == {"other.py::test_old": (CaseState.RENAMED,)}


def test_a_vanished_test_without_a_twin_has_a_row() -> None:
    seen = measured(report(passed("test_a"), passed("test_b", body="b")), report(passed("test_a")))

    assert states(seen) == {A: (), B: (CaseState.VANISHED,)}


# tests of the base on the head


def suspect(name: str, how: Doubt | None = Doubt.CHANGED, before: CaseResult | None = None) -> Suspect:
    return Suspect(function=name, before=(before or passed("test_a"),), done="was changed", how=how)


def old_tests(*results: CaseResult, **values: Any) -> OldTests:
    given = {"asked": (suspect(A),), "failing": (suspect(A),), "report": report(*results), **values}
    return OldTests(**given)


def test_a_changed_test_whose_base_version_fails_is_weakened() -> None:
    old = old_tests(failed("test_a", message="assert 3 == 2"))
    seen = measured(report(passed("test_a")), report(passed("test_a", digest="d2")), old=old)

    assert deciding(seen) == [(Rule.WEAKENED, Weight.REFUSED, A)]
    assert finding(seen, Rule.WEAKENED).text == (
        f"{A} was changed, and its base version fails on the head: assert 3 == 2"
    )
    assert case_changes(seen)[0].old_on_head is CaseOutcome.FAILED


def test_a_test_that_fails_on_the_base_and_is_changed_is_hidden() -> None:
    before = failed("test_a", message="assert 3 == 2")
    old = old_tests(before, asked=(suspect(A, before=before),), failing=(suspect(A, before=before),))
    seen = measured(report(before), report(skipped("test_a", digest="d2")), old=old)

    assert finding(seen, Rule.HIDDEN).details == ("assert 3 == 2",)


def test_a_changed_test_that_was_red_on_the_base_is_a_changed_requirement() -> None:
    old = old_tests(failed("test_a"), texts=Texts(before={}, now={}))
    changed = passed("test_a", digest="d2")
    seen = measured(report(passed("test_a")), report(changed), old=old, on_base=report(failed("test_a", digest="d2")))

    assert deciding(seen) == []


def test_a_removed_test_of_removed_code_is_fine() -> None:
    text = "def test_a():\n    assert fee(1) == 1\n"
    gone = SourceChange(path="shop.py", before="def fee(a):\n    return a\n", after="def tax(a):\n    return a\n")
    texts = Texts(before={"tests/test_x.py": text}, now={}, sources=(gone,))
    old = old_tests(failed("test_a"), texts=texts)

    assert deciding(measured(report(passed("test_a")), report(), old=old)) == []


def test_base_versions_that_cannot_be_run_leave_it_not_proven() -> None:
    old = old_tests(report=report(problems=("timed out",)))
    seen = measured(report(passed("test_a")), report(passed("test_a", digest="d2")), old=old)

    assert deciding(seen) == [(Rule.WEAKENED, Weight.NOT_PROVEN, "trial")]


def test_tests_whose_base_version_passes_are_noted_by_number() -> None:
    old = old_tests(passed("test_a"), failing=())
    seen = measured(report(passed("test_a")), report(passed("test_a", digest="d2")), old=old)

    assert finding(seen, Rule.CHANGE).text == (
        f"1 test was changed, removed or skipped, and the base version passes on the head: {A}"
    )


# tests of the head on the base


def test_a_failing_test_that_was_changed_until_it_passes_on_the_base_is_bent() -> None:
    changed = passed("test_a", digest="d2")
    seen = measured(report(failed("test_a")), report(changed), on_base=report(changed))

    assert deciding(seen) == [(Rule.BENT, Weight.REFUSED, A)]


@pytest.mark.parametrize(
    ("before", "on_base", "wavering"),
    [
        (failed("test_a"), failed("test_a", digest="d2"), ()),
        (passed("test_a"), passed("test_a", digest="d2"), ()),
        (failed("test_a"), passed("test_a", digest="d2"), (A,)),
    ],
)
def test_other_changed_tests_are_not_bent(before: CaseResult, on_base: CaseResult, wavering: tuple[str, ...]) -> None:
    seen = measured(report(before), report(passed("test_a", digest="d2")), on_base=report(on_base), wavering=wavering)

    assert deciding(seen) == []


def test_a_new_test_that_passes_on_the_base_is_named() -> None:
    new = passed("test_b")
    seen = measured(report(passed("test_a")), report(passed("test_a"), new), on_base=report(new))

    assert finding(seen, Rule.PASSES_ON_BASE).text == f"1 new test passes on the base too: {B}"
    assert seen.shown == ()


def test_a_new_test_that_fails_on_the_base_shows_work_and_needs_no_word() -> None:
    seen = measured(report(), report(passed("test_b")), on_base=report(failed("test_b")))

    assert found(seen) == []
    assert seen.shown == (B,)
    assert case_changes(seen)[0].on_base is CaseOutcome.FAILED


def test_cases_of_one_function_fail_together_in_a_trial() -> None:
    cases = (passed("", id=f"{B}[1]"), failed("", id=f"{B}[2]"), passed("", id=f"{B}[3]"))
    seen = measured(report(), report(passed("", id=f"{B}[1]")), on_base=report(*cases))

    assert case_changes(seen)[0].on_base is CaseOutcome.FAILED


# steering


def steered(*results: CaseResult, **values: Any) -> Measured:
    head = report(passed("test_a"), configuration=values.pop("configuration", ()))
    base = report(passed("test_a"), configuration=(("ini markers", "x"),))
    paths = ChangedPaths(steering=("pytest.ini",))
    return measured(base, head, steered=report(*results, **values), paths=paths)


def test_a_test_that_passes_only_with_the_changed_configuration_is_refused() -> None:
    seen = steered(failed("test_a", kind=FailureKind.ASSERTION, message="assert 1 == 2"))

    assert deciding(seen) == [(Rule.STEERED, Weight.REFUSED, A)]
    assert "passes only with the changed pytest.ini" in finding(seen, Rule.STEERED).text


@pytest.mark.parametrize("kind", [FailureKind.MISSING, FailureKind.BROKEN_FILE, FailureKind.BROKEN_TEST])
def test_configuration_without_which_a_test_does_not_run_had_to_change(kind: FailureKind) -> None:
    assert deciding(steered(failed("test_a", kind=kind))) == []


def test_a_test_that_the_old_configuration_does_not_find_is_welcome() -> None:
    assert found(steered()) == []


def test_where_the_old_configuration_cannot_run_settings_are_weighed_by_name() -> None:
    configuration = (("ini markers", "x"), ("option keyword", "not slow"))
    seen = steered(problems=("usage error",), configuration=configuration)

    assert deciding(seen) == [(Rule.STEERED, Weight.REFUSED, "option keyword is now 'not slow'")]
    assert found(seen)[-1] == (Rule.STEERED, Weight.NOTE, "settings")


# checks


def run(code: int | None, output: str = "", **values: Any) -> CheckRun:
    return CheckRun(command="ruff check .", exit_code=code, output=output, **values)


@pytest.mark.parametrize(
    ("base", "head", "with_base", "words"),
    [
        (run(0), run(0), None, ""),
        (run(0), run(1, "fee.py:3: E1 bad"), None, "passes on the base, and on the head it exits with 1"),
        (run(1, "fee.py:3: E1 bad"), run(1, "fee.py:9: E1 bad"), None, ""),
        (run(1, "fee.py:3: E1 bad"), run(1, "fee.py:3: E1 bad\ntax.py:1: E2\nFound 2"), None, "reports 1 more fault"),
        (run(0), run(127), None, "ran on the base; on the head it cannot be run"),
        (run(0), run(0), run(1, "fee.py:3: E1 bad"), "passes on the head only with its changed settings"),
        (run(0), run(0), run(0), ""),
        (run(0), run(0), run(127), ""),
        (run(1, "fee.py:3: E1"), run(0), run(1, "fee.py:4: E1"), ""),
    ],
)
def test_a_check_is_refused_where_it_is_worse_than_on_the_base(
    base: CheckRun, head: CheckRun, with_base: CheckRun | None, words: str
) -> None:
    check = ComparedCheck(name="lint", base=base, head=head, with_base_settings=with_base)
    seen = measured(report(), report(), checks=(check,))

    assert [each.rule for each in judge_change(seen)] == ([Rule.CHECK] if words else [])
    assert all(words in each.text for each in judge_change(seen))


def test_a_check_that_cannot_be_run_on_the_base_is_a_note() -> None:
    check = ComparedCheck(name="lint", base=run(127), head=run(1))

    assert found(measured(report(), report(), checks=(check,))) == [(Rule.CHECK, Weight.NOTE, "lint")]


# changed code


def stub(state: ProbeState, **values: Any) -> Probe:
    given = {"file": "fee.py", "line": 1, "function": "fee", "kind": ProbeKind.VALUE_STUB, "text": "returns 1"}
    return Probe(**{**given, "state": state, **values})


FEE = ProbedFunction(file="fee.py", line=1, name="fee", tests=1)


def test_code_that_a_test_notices_is_proven() -> None:
    probes = ProbeReport(functions=(FEE,), probes=(stub(ProbeState.KILLED, killed_by=(A,)),))
    seen = measured(report(passed("test_a")), report(passed("test_a")), paths=CODE, probes=probes)

    assert found(seen) == []
    assert probe_counts(probes) == ProbeCounts(killed=1)


IDLE_ONLY = (skipped("test_a"), replace(passed("test_b"), outcome=CaseOutcome.XFAILED))


def test_code_whose_new_tests_are_all_skipped_or_expected_to_fail_is_not_proven() -> None:
    seen = measured(report(), report(*IDLE_ONLY), paths=CODE, probes=ProbeReport())

    assert found(seen) == [(Rule.UNTESTED, Weight.NOT_PROVEN, "idle")]
    assert finding(seen, Rule.UNTESTED).text.endswith(f"expected to fail: {A}, {B}")


@pytest.mark.parametrize(
    ("results", "values"),
    [
        (IDLE_ONLY, {"paths": CODE, "probes": ProbeReport(probes=(stub(ProbeState.KILLED, killed_by=(A,)),))}),
        ((skipped("test_a"), passed("test_b")), {"paths": CODE, "probes": ProbeReport()}),
        (IDLE_ONLY, {"paths": ChangedPaths(tests=("tests/test_x.py",)), "probes": ProbeReport()}),
        (IDLE_ONLY, {"paths": CODE}),
    ],
    ids=["another test notices the code", "one passes", "no code changed", "not measured"],
)
def test_new_tests_that_are_skipped_are_no_finding_by_themselves(
    results: tuple[CaseResult, ...], values: dict[str, Any]
) -> None:
    assert deciding(measured(report(), report(*results), **values)) == []


def test_code_that_no_test_notices_or_runs_is_not_proven() -> None:
    untested = ProbedFunction(file="fee.py", line=9, name="tax")
    probes = ProbeReport(
        functions=(FEE, untested),
        probes=(stub(ProbeState.SURVIVING, survived=(A,)),),
        unrun=(UnrunLines(file="fee.py", first=10, last=11),),
    )
    seen = measured(report(passed("test_a")), report(passed("test_a")), paths=CODE, probes=probes)

    assert found(seen) == [
        (Rule.UNNOTICED, Weight.NOT_PROVEN, "fee"),
        (Rule.UNTESTED, Weight.NOT_PROVEN, "tax"),
        (Rule.SURVIVORS, Weight.NOTE, ""),
        (Rule.UNTESTED, Weight.NOTE, "lines"),
    ]


@pytest.mark.parametrize(
    ("paths", "probes", "words"),
    [
        (("fee.js",), ProbeReport(), "fee.js cannot be measured"),
        (("fee.py",), ProbeReport(problems=("no pytest",)), "the changed code cannot be measured: no pytest"),
    ],
)
def test_code_that_cannot_be_measured_needs_a_test_that_fails_on_the_base(
    paths: tuple[str, ...], probes: ProbeReport, words: str
) -> None:
    given: dict[str, Any] = {"paths": ChangedPaths(code=paths), "probes": probes}
    without = measured(report(passed("test_a")), report(passed("test_a")), **given)
    shown = measured(report(), report(passed("test_b")), on_base=report(failed("test_b")), **given)

    assert deciding(without) == [(Rule.UNTESTED, Weight.NOT_PROVEN, "unmeasured")]
    assert words in judge_change(without)[0].text
    assert found(shown) == [(Rule.SETUP, Weight.NOTE, "unmeasured")]


def test_what_was_not_probed_has_no_counts() -> None:
    assert probe_counts(None) is None
    assert probe_counts(ProbeReport()) is None


def test_code_that_looks_at_its_tests_is_not_proven_and_a_hollow_test_is_noted() -> None:
    texts = SourceTexts(
        tests={"tests/test_x.py": "def test_b():\n    fee(1)\n"},
        sources={"fee.py": "import sys\n\n\ndef fee(a):\n    return 1 if 'pytest' in sys.modules else 0\n"},
    )
    seen = measured(report(), report(passed("test_b")), on_base=report(failed("test_b")), paths=CODE, texts=texts)

    assert [(each.rule, each.weight, each.line) for each in judge_change(seen)] == [
        (Rule.FIXTURE_CODE, Weight.NOT_PROVEN, 5),
        (Rule.HOLLOW, Weight.NOTE, None),
    ]


EQUAL = "class Money:\n    cents = 0\n\n    def __eq__(self, other):\n        return {}\n"


def test_a_comparison_that_answers_the_same_for_everything_is_not_proven() -> None:
    texts = SourceTexts(
        sources={"money.py": EQUAL.format("True"), "old.py": EQUAL.format("True"), "fee.js": "x"},
        before={"money.py": EQUAL.format("self.cents == other.cents"), "old.py": EQUAL.format("True")},
    )
    seen = measured(report(), report(), texts=texts)

    assert found(seen) == [(Rule.FIXTURE_CODE, Weight.NOT_PROVEN, "Money.__eq__")]


def test_a_failing_test_that_is_skipped_is_hidden_and_a_passing_one_is_tried() -> None:
    base = report(failed("test_a"), passed("test_b"))
    seen = measured(base, report(skipped("test_a"), skipped("test_b")))

    assert deciding(seen) == [(Rule.HIDDEN, Weight.REFUSED, A)]


def test_a_failing_test_whose_data_was_changed_until_it_passes_on_the_base_is_bent() -> None:
    seen = measured(report(failed("test_a")), report(passed("test_a")), on_base=report(passed("test_a")))

    assert deciding(seen) == [(Rule.BENT, Weight.REFUSED, A)]


def test_a_new_test_in_a_source_shows_work_although_it_cannot_be_tried_on_the_base() -> None:
    inside, other = passed("", id="shop::tests::two", file=""), passed("test_b")
    seen = measured(report(), report(inside, other), on_base=report(passed("test_b")))

    assert seen.shown == ("shop::tests::two",)


# criteria


def criterion(number: int, kind: Kind = Kind.NEW, **values: Any) -> Criterion:
    return Criterion(id=f"AC-{number}", text=f"criterion {number}", line=number, kind=kind, **values)


def named(number: int, outcome: CaseOutcome = CaseOutcome.PASSED) -> CaseResult:
    return replace(passed(f"test_ac{number}"), outcome=outcome)


@pytest.mark.parametrize(
    ("kind", "head", "on_base", "status"),
    [
        (Kind.NEW, named(1), CaseOutcome.FAILED, CriterionStatus.GREEN),
        (Kind.NEW, named(1), CaseOutcome.PASSED, CriterionStatus.HOLDS),
        (Kind.KEEP, named(1), CaseOutcome.PASSED, CriterionStatus.HOLDS),
        (Kind.NEW, named(1, CaseOutcome.FAILED), CaseOutcome.FAILED, CriterionStatus.FAILING),
        (Kind.NEW, named(1, CaseOutcome.SKIPPED), CaseOutcome.SKIPPED, CriterionStatus.NOT_RUN),
        (Kind.NEW, named(2), CaseOutcome.FAILED, CriterionStatus.NO_TEST),
        (Kind.CHECK, named(1), CaseOutcome.PASSED, CriterionStatus.HOLDS),
        (Kind.REVIEW, named(1), CaseOutcome.PASSED, CriterionStatus.NOT_REVIEWED),
    ],
)
def test_a_criterion_is_proven_by_the_tests_that_name_it(
    kind: Kind, head: CaseResult, on_base: CaseOutcome, status: CriterionStatus
) -> None:
    seen = measured(report(), report(head), on_base=report(named(1, on_base)), criteria=(criterion(1, kind),))
    (proof,) = criterion_proofs(seen)
    is_told = any(each.rule is Rule.CRITERION for each in judge_change(seen))

    assert proof.state is status
    assert is_told is (status not in (CriterionStatus.GREEN, CriterionStatus.HOLDS))


@pytest.mark.parametrize(
    ("commands", "status"),
    [
        ({}, CriterionStatus.NOT_RUN),
        ({"make lint": run(0)}, CriterionStatus.PASSES),
        ({"make lint": run(2)}, CriterionStatus.FAILS),
    ],
)
def test_a_criterion_with_a_command_is_shown_by_its_run(commands: dict[str, CheckRun], status: CriterionStatus) -> None:
    seen = measured(report(), report(), criteria=(criterion(1, Kind.CHECK, command="make lint"),), commands=commands)

    assert criterion_proofs(seen)[0].state is status


def test_a_test_that_a_session_saw_red_in_the_same_form_shows_work() -> None:
    test, other = passed("test_b", digest="d9"), passed("test_a", digest="d8")
    red = (failed("test_b", digest="d9"), failed("test_a", digest="old"))
    seen = measured(report(), report(test, other), red_in_session=red)

    assert seen.shown == (B,)
