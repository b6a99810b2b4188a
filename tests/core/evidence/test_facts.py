from dataclasses import replace
from typing import Any

import pytest

from dualgate.core.evidence.facts import gather
from dualgate.core.gates.judge import judge
from dualgate.core.spec.plan import read_plan
from dualgate.core.values.changes import Attribution, Changes
from dualgate.core.values.facts import Facts
from dualgate.core.values.limits import Limits
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.suite import CHECKS_FILE, CaseOutcome, CaseResult, FailureKind, SuiteReport
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import Phase, SuiteStatus
from dualgate.testing import a_report, a_spec, a_state, done, failed, not_done, passed, skipped

NOTHING = Changes(tree="t")
SOMETHING = Changes(tree="t", modified=("a.py",))


def in_phase(phase: Phase, *baseline: CaseResult, red: tuple[CaseResult, ...] | None = None) -> LoopState:
    return a_state(phase=phase, proof=Proof(baseline=baseline, proven=red, start_tree="s"))


def test_a_new_test_that_fails_is_red() -> None:
    state = in_phase(Phase.RED, passed("test_old"))
    run = a_report(passed("test_old"), failed("test_ac1"), passed("test_guard"))

    seen = gather(state, a_spec(), done(Phase.RED), [run], NOTHING).observed

    assert seen.red == ("tests/test_x.py::test_ac1",)
    assert seen.uncovered == ("AC-2",)
    assert seen.broken == ()


def test_a_criterion_whose_new_tests_pass_seems_to_be_met() -> None:
    run = a_report(passed("test_ac2_old"), failed("test_ac1"), passed("test_ac1_guard"), passed("test_ac2"))

    seen = gather(in_phase(Phase.RED, passed("test_ac2_old")), a_spec(3), done(Phase.RED), [run], NOTHING).observed

    assert (seen.met, seen.uncovered) == (("AC-2",), ("AC-2", "AC-3"))
    assert gather(in_phase(Phase.RED), a_spec(), done(Phase.RED), [], NOTHING).observed.met == ()


def test_a_changed_test_that_fails_counts_like_a_new_one() -> None:
    state = in_phase(Phase.RED, passed("test_ac1"))

    seen = gather(state, a_spec(), done(Phase.RED), [a_report(failed("test_ac1", digest="d2"))], NOTHING).observed

    assert seen.red == ("tests/test_x.py::test_ac1",)
    assert seen.broken == ()


def test_a_test_that_was_there_before_is_not_asked_to_name_the_criterion_that_changed_it() -> None:
    state = in_phase(Phase.RED, passed("test_price"))
    run = a_report(failed("test_price", digest="d2"), failed("test_ac2"))

    seen = gather(state, a_spec(), done(Phase.RED), [run], SOMETHING)
    verdict = judge(seen, Limits())

    assert (seen.observed.uncovered, seen.observed.nameless) == (("AC-1",), ("tests/test_x.py::test_price",))
    assert verdict.outcome is Outcome.PASS
    assert "no failing test names AC-1; changed tests count instead: tests/test_x.py::test_price" in verdict.warnings


def test_a_new_test_has_to_name_its_criterion_where_others_do() -> None:
    run = a_report(failed("test_price"), failed("test_ac2"))

    seen = gather(in_phase(Phase.RED), a_spec(), done(Phase.RED), [run], SOMETHING)

    assert seen.observed.nameless == ()
    assert judge(seen, Limits()).reasons == (
        "no failing new test names AC-1; name the criterion in the name or the docstring of its test; "
        "this is reported once",
    )


def test_a_changed_test_stands_for_one_criterion_and_not_for_two() -> None:
    state = in_phase(Phase.RED, passed("test_price"))
    run = a_report(failed("test_price", digest="d2"), failed("test_ac2"), failed("test_ac2_too"))

    verdict = judge(gather(state, a_spec(3), done(Phase.RED), [run], SOMETHING), Limits())

    assert verdict.reasons == ("no failing new test names AC-1, AC-3",)


def test_an_unchanged_test_that_fails_now_is_broken_and_not_red() -> None:
    state = in_phase(Phase.RED, passed("test_old"))

    seen = gather(state, a_spec(), done(Phase.RED), [a_report(failed("test_old"))], NOTHING).observed

    assert (seen.red, seen.broken) == ((), ("tests/test_x.py::test_old",))


def test_a_file_that_cannot_be_collected_is_not_red() -> None:
    run = a_report(failed("", kind=FailureKind.BROKEN_FILE))

    seen = gather(in_phase(Phase.RED), a_spec(), done(Phase.RED), [run], NOTHING).observed

    assert seen.red == ()
    assert len(seen.failing) == 1


def test_a_linter_that_complains_about_new_code_is_not_red() -> None:
    run = a_report(failed("lint", id="ac1.py::lint", file="", digest=CHECKS_FILE))

    seen = gather(in_phase(Phase.RED), a_spec(), done(Phase.RED), [run], SOMETHING).observed

    assert (seen.red, len(seen.failing)) == ((), 1)


def test_failures_of_the_baseline_are_blamed_on_nobody() -> None:
    own, flaky = failed("test_own"), passed("test_flaky")
    state = a_state(phase=Phase.GREEN, proof=Proof(baseline=(own, flaky), unstable=(flaky.id,), start_tree="s"))

    seen = gather(
        state, a_spec(), done(Phase.GREEN), [a_report(own, failed("test_flaky"), passed("test_a"))], NOTHING
    ).observed

    assert seen.failing == ()
    assert seen.green_runs == 1


def test_a_failure_in_either_of_two_runs_is_a_failure() -> None:
    runs = [a_report(failed("test_a")), a_report(passed("test_a"))]

    seen = gather(in_phase(Phase.GREEN), a_spec(), done(Phase.GREEN), runs, NOTHING).observed

    assert [result.id for result in seen.failing] == ["tests/test_x.py::test_a"]
    assert seen.green_runs == 1


def test_tests_that_vanish_or_stop_running_after_red_are_seen() -> None:
    state = in_phase(Phase.GREEN, red=(failed("test_a"), failed("test_b"), skipped("test_c")))

    seen = gather(
        state, a_spec(), done(Phase.GREEN), [a_report(skipped("test_b"), skipped("test_c"))], NOTHING
    ).observed

    assert seen.vanished == ("tests/test_x.py::test_a",)
    assert seen.newly_skipped == ("tests/test_x.py::test_b",)


NAMED_RED = (failed("test_ac1"), failed("test_ac2"), passed("test_old"))
UNNAMED_RED = (failed("test_a"), failed("test_b"), passed("test_old"))


@pytest.mark.parametrize(
    ("red", "left", "bereft"),
    [
        (NAMED_RED, (passed("test_old"),), ("AC-1", "AC-2")),
        (NAMED_RED, (passed("test_ac1"), passed("test_old")), ("AC-2",)),
        (NAMED_RED, (passed("test_ac1"), passed("test_ac2_by_another_name")), ()),
        (UNNAMED_RED, (passed("test_a"), passed("test_old")), ("AC-1", "AC-2")),
        (UNNAMED_RED, (passed("test_a"), passed("test_b")), ()),
    ],
)
def test_a_criterion_whose_tests_a_person_took_away_has_none_left(
    red: tuple[CaseResult, ...], left: tuple[CaseResult, ...], bereft: tuple[str, ...]
) -> None:
    state = replace(in_phase(Phase.GREEN, red=()), touched=Attribution(person=("tests/test_x.py",)))
    state = replace(state, proof=replace(state.proof, red=red))

    seen = gather(state, a_spec(), done(Phase.GREEN), [a_report(*left)], NOTHING).observed

    assert (seen.bereft, seen.vanished) == (bereft, ())


def test_what_nobody_took_away_leaves_no_criterion_bare() -> None:
    state = in_phase(Phase.GREEN, red=NAMED_RED)
    state = replace(state, proof=replace(state.proof, red=NAMED_RED))

    assert gather(state, a_spec(), done(Phase.GREEN), [a_report(passed("test_old"))], NOTHING).observed.bereft == ()


def test_ticked_tasks_are_compared_with_those_reported() -> None:
    state = replace(in_phase(Phase.BUILD), plan=read_plan("- [x] a\n- [ ] b\n- [ ] c\n"))
    claim = replace(done(Phase.BUILD), tasks_completed=2)

    seen = gather(
        state, a_spec(), claim, [a_report(passed("test_a"))], SOMETHING, read_plan("- [x] a\n- [x] b\n- [ ] c\n")
    )

    told = {each.claim: each.sentence for each in seen.checked if not each.holds}
    assert told["TASKS_COMPLETED_THIS_LOOP"] == "TASKS_COMPLETED_THIS_LOOP was given as 2, measured 1"


def test_what_the_agent_reports_stands_beside_what_was_measured() -> None:
    claim = done(Phase.GREEN, files_modified=3)

    facts = gather(in_phase(Phase.GREEN), a_spec(), claim, [a_report(failed("test_a"))], SOMETHING)

    assert [(c.claim, c.claimed, c.measured, c.holds) for c in facts.checked] == [
        ("TESTS_STATUS", "PASSING", "FAILING", False),
        ("FILES_MODIFIED", "3", "1", False),
    ]


def test_without_a_run_there_is_no_evidence() -> None:
    facts = gather(in_phase(Phase.GREEN), a_spec(), not_done(tests_status=SuiteStatus.FAILING), [], NOTHING)

    assert facts.observed.problems == ("no test run was made",)
    assert facts.checked == ()


def test_a_claim_that_tests_were_not_run_is_no_false_claim() -> None:
    facts = gather(in_phase(Phase.GREEN), a_spec(), not_done(), [a_report(passed("test_a"))], NOTHING)

    assert facts.checked == ()


def test_what_one_of_two_runs_lost_or_skipped_is_lost_or_skipped() -> None:
    state = in_phase(Phase.GREEN, red=(failed("test_a"), failed("test_b")))
    runs = [a_report(skipped("test_a")), a_report(passed("test_a"), passed("test_b"))]

    seen = gather(state, a_spec(), done(Phase.GREEN), runs, NOTHING).observed

    assert (seen.vanished, seen.newly_skipped) == (("tests/test_x.py::test_b",), ("tests/test_x.py::test_a",))
    assert seen.green_runs == 1


def test_a_proven_test_with_other_code_is_altered_and_a_run_with_it_not_green() -> None:
    state = in_phase(Phase.GREEN, red=(failed("test_a"),))

    seen = gather(state, a_spec(), done(Phase.GREEN), [a_report(passed("test_a", digest="d2"))], NOTHING).observed

    assert (seen.altered, seen.green_runs) == (("tests/test_x.py::test_a",), 0)


def test_a_case_with_another_time_in_its_id_is_not_gone_but_a_lost_case_is() -> None:
    state = in_phase(Phase.GREEN, red=(failed("test_a[10:01]"), failed("test_a[10:02]")))
    same = a_report(passed("test_a[10:03]"), passed("test_a[10:04]"))
    fewer = a_report(passed("test_a[10:03]"))

    assert gather(state, a_spec(), done(Phase.GREEN), [same], NOTHING).observed.vanished == ()
    assert len(gather(state, a_spec(), done(Phase.GREEN), [fewer], NOTHING).observed.vanished) == 1


OLD, CALLED = "tests/test_x.py::test_ac1", done(Phase.RED)


def in_red(*baseline: CaseResult, run: SuiteReport, changes: Changes) -> Facts:
    return gather(in_phase(Phase.RED, *baseline), a_spec(1), CALLED, [run], changes)


@pytest.mark.parametrize("path", ["tests/test_x.py", "tests/conftest.py", "conftest.py"])
def test_a_test_whose_fixture_or_constant_red_changed_is_changed_and_told_to_the_reviewer(path: str) -> None:
    fixtures = () if "test_x" in path else (path,)
    changes = Changes(tree="t", rewritten=(path,), added=("stub.py",), fixtures=fixtures)

    facts = in_red(passed("test_ac1"), run=a_report(failed("test_ac1")), changes=changes)

    seen = facts.observed
    assert (seen.broken, seen.reshaped, seen.red, seen.uncovered) == ((), (OLD,), (OLD,), ())
    assert seen.notes == (f"tests changed through a fixture or a constant outside their own lines, and failing: {OLD}",)
    assert judge(facts, Limits()).outcome is Outcome.PASS


def test_a_red_that_breaks_a_test_in_an_untouched_file_is_refused() -> None:
    new = failed("test_ac1", id="tests/test_new.py::test_ac1", file="tests/test_new.py")
    added = ("tests/test_new.py", "tests/unit/conftest.py")
    changes = Changes(tree="t", added=added, rewritten=("source.py",), fixtures=added[1:])

    facts = in_red(passed("test_old"), run=a_report(failed("test_old"), new), changes=changes)

    assert (facts.observed.broken, facts.observed.reshaped) == (("tests/test_x.py::test_old",), ())
    assert judge(facts, Limits()).outcome is Outcome.STAY


def test_a_source_file_broken_beside_a_touched_test_file_makes_no_red_test() -> None:
    changes = Changes(tree="t", rewritten=("tests/test_x.py", "source.py"))

    facts = in_red(passed("test_ac1"), run=a_report(failed("test_ac1")), changes=changes)

    assert (facts.observed.red, facts.observed.reshaped) == ((), (OLD,))
    assert judge(facts, Limits()).outcome is Outcome.STAY


def test_what_red_changed_through_its_surroundings_must_pass_in_green() -> None:
    state = in_phase(Phase.GREEN, passed("test_ac1"), red=(failed("test_ac1"),))
    changes = Changes(tree="t", rewritten=("tests/test_x.py",))

    seen = gather(state, a_spec(1), done(Phase.GREEN), [a_report(failed("test_ac1"))], changes).observed

    assert ([result.id for result in seen.failing], seen.green_runs) == ([OLD], 0)


def test_a_new_test_that_fails_only_sometimes_is_not_red() -> None:
    runs = [a_report(passed("test_ac1")), a_report(failed("test_ac1"))]

    seen = gather(in_phase(Phase.RED), a_spec(1), CALLED, runs, NOTHING).observed

    assert (seen.red, seen.flaky) == ((), (OLD,))


def test_a_project_with_odd_tests_of_its_own_can_be_worked_on() -> None:
    own = (failed("own[0x1]"), skipped("idle"), passed("wavers"), failed("at[10:00]"), passed("kind[a]"))
    now = (failed("own[0x2]"), skipped("idle"), skipped("wavers"), failed("at[10:01]"), passed("kind[b]"))
    known: dict[str, Any] = {"unstable": ("tests/test_x.py::wavers",), "unstable_ids": ("tests/test_x.py::kind",)}
    proof = Proof(baseline=own, proven=(*own, failed("test_ac1")), start_tree="s", **known)
    run = a_report(*now, passed("test_ac1"))

    facts = gather(a_state(phase=Phase.GREEN, proof=proof), a_spec(1), done(Phase.GREEN), [run, run], NOTHING)

    assert facts.observed.green_runs == 2
    assert judge(facts, Limits()).outcome is Outcome.PASS


def test_ids_that_differ_in_two_runs_of_one_tree_are_learned() -> None:
    state = in_phase(Phase.GREEN, red=(failed("a[k]"),))

    seen = gather(state, a_spec(), done(Phase.GREEN), [a_report(passed("a[l]")), a_report(passed("a[m]"))], NOTHING)

    assert (seen.observed.unstable_ids, seen.observed.green_runs) == (("tests/test_x.py::a",), 2)


def test_renamed_and_unexpectedly_passing_tests_are_noted_and_keep_nothing_shut() -> None:
    xpassed = replace(passed("odd"), outcome=CaseOutcome.XPASSED)
    run = a_report(xpassed, passed("moved", id="tests/test_y.py::moved", digest="m"), seconds=2.0)

    seen = in_red(passed("odd"), passed("moved", digest="m"), run=run, changes=NOTHING).observed

    assert seen.notes == (
        "tests probably renamed: tests/test_x.py::moved -> tests/test_y.py::moved",
        "tests that newly pass although marked as expected failures: tests/test_x.py::odd",
    )
    assert seen.seconds == 2.0


def test_the_notes_of_a_run_are_told_once_to_the_reviewer_and_keep_nothing_shut() -> None:
    state = in_phase(Phase.GREEN, red=(failed("test_ac1"),))
    run = a_report(passed("test_ac1"), notes=("Python leaves out assertions",))

    facts = gather(state, a_spec(1), done(Phase.GREEN), [run, run], NOTHING)

    assert facts.observed.notes == ("Python leaves out assertions",)
    assert judge(facts, Limits()).outcome is Outcome.PASS


def test_of_many_tests_a_note_names_the_first() -> None:
    before = [passed(f"test_{n}") for n in range(22)]
    changes = Changes(tree="t", rewritten=("tests/test_x.py",))

    seen = in_red(*before, run=a_report(*(failed(f"test_{n}") for n in range(22))), changes=changes).observed

    assert len(seen.reshaped) == 22
    assert seen.notes[0].endswith("tests/test_x.py::test_7 and 2 more")


def test_a_changed_configuration_after_red_is_a_problem_of_the_run() -> None:
    proof = Proof(proven=(failed("test_a"),), configuration=(("addopts", ""),))
    run = a_report(passed("test_a"), configuration=(("addopts", "-k a"),))

    facts = gather(a_state(phase=Phase.GREEN, proof=proof), a_spec(), done(Phase.GREEN), [run, run], NOTHING)

    assert facts.observed.problems == ("the effective configuration changed: addopts was '', now '-k a'",)
    assert not judge(facts, Limits()).gate_1


def test_of_some_tests_that_pass_it_is_not_known_whether_the_tests_do() -> None:
    claim = not_done(tests_status=SuiteStatus.FAILING)
    some = {"only": ("tests/test_x.py::test_a",)}

    unknown = gather(in_phase(Phase.GREEN), a_spec(), claim, [a_report(passed("test_a"), **some)], NOTHING)
    known = gather(in_phase(Phase.GREEN), a_spec(), claim, [a_report(failed("test_a"), **some)], NOTHING)

    assert (unknown.checked, [c.holds for c in known.checked]) == ((), [True])
    assert (unknown.observed.partial, unknown.observed.seconds) == (True, 0.0)
