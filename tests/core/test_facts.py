import pytest

from dualgate.core.answer import Failure, Trouble
from dualgate.core.blocks import SuiteStatus
from dualgate.core.facts import gather, names, wants_run
from dualgate.core.response import Claim
from dualgate.core.state import LoopState, Proof
from dualgate.core.suite import CaseResult, FailureKind, SuiteReport
from dualgate.core.vocabulary import Changes, Criterion, Phase
from dualgate.testing import a_prp, a_report, a_state, done, failed, not_done, passed, skipped

NOTHING = Changes(tree="t")
SOMETHING = Changes(tree="t", modified=("a.py",))


def in_phase(phase: Phase, *baseline: CaseResult, red: tuple[CaseResult, ...] | None = None) -> LoopState:
    return a_state(phase=phase, proof=Proof(baseline=baseline, proven=red, start_tree="s"))


def test_a_new_test_that_fails_is_red() -> None:
    state = in_phase(Phase.RED, passed("test_old"))
    run = a_report(passed("test_old"), failed("test_ac1"), passed("test_guard"))

    seen = gather(state, a_prp(), done(Phase.RED), [run], NOTHING).observed

    assert seen.red == ("tests/test_x.py::test_ac1",)
    assert seen.uncovered == ("AC-2",)
    assert seen.broken == ()


def test_a_changed_test_that_fails_counts_like_a_new_one() -> None:
    state = in_phase(Phase.RED, passed("test_ac1"))

    seen = gather(state, a_prp(), done(Phase.RED), [a_report(failed("test_ac1", digest="d2"))], NOTHING).observed

    assert seen.red == ("tests/test_x.py::test_ac1",)
    assert seen.broken == ()


def test_an_unchanged_test_that_fails_now_is_broken_and_not_red() -> None:
    state = in_phase(Phase.RED, passed("test_old"))

    seen = gather(state, a_prp(), done(Phase.RED), [a_report(failed("test_old"))], NOTHING).observed

    assert (seen.red, seen.broken) == ((), ("tests/test_x.py::test_old",))


def test_a_file_that_cannot_be_collected_is_not_red() -> None:
    run = a_report(failed("", kind=FailureKind.BROKEN_FILE))

    seen = gather(in_phase(Phase.RED), a_prp(), done(Phase.RED), [run], NOTHING).observed

    assert seen.red == ()
    assert len(seen.failing) == 1


def test_failures_of_the_baseline_are_blamed_on_nobody() -> None:
    own, flaky = failed("test_own"), passed("test_flaky")
    state = a_state(phase=Phase.GREEN, proof=Proof(baseline=(own, flaky), unstable=(flaky.id,), start_tree="s"))

    seen = gather(state, a_prp(), done(Phase.GREEN), [a_report(own, failed("test_flaky"))], NOTHING).observed

    assert seen.failing == ()
    assert seen.green_runs == 1


def test_a_failure_in_either_of_two_runs_is_a_failure() -> None:
    runs = [a_report(failed("test_a")), a_report(passed("test_a"))]

    seen = gather(in_phase(Phase.GREEN), a_prp(), done(Phase.GREEN), runs, NOTHING).observed

    assert [result.id for result in seen.failing] == ["tests/test_x.py::test_a"]
    assert seen.green_runs == 1


def test_tests_that_vanish_or_stop_running_after_red_are_seen() -> None:
    state = in_phase(Phase.GREEN, red=(failed("test_a"), failed("test_b"), skipped("test_c")))

    seen = gather(state, a_prp(), done(Phase.GREEN), [a_report(skipped("test_b"), skipped("test_c"))], NOTHING).observed

    assert seen.vanished == ("tests/test_x.py::test_a",)
    assert seen.newly_skipped == ("tests/test_x.py::test_b",)


def test_what_the_agent_reports_stands_beside_what_was_measured() -> None:
    claim = done(Phase.GREEN, files_modified=3)

    facts = gather(in_phase(Phase.GREEN), a_prp(), claim, [a_report(failed("test_a"))], SOMETHING)

    assert [(c.claim, c.claimed, c.measured, c.holds) for c in facts.checked] == [
        ("TESTS_STATUS", "PASSING", "FAILING", False),
        ("FILES_MODIFIED", "3", "1", False),
    ]


def test_without_a_run_there_is_no_evidence() -> None:
    facts = gather(in_phase(Phase.GREEN), a_prp(), not_done(tests_status=SuiteStatus.FAILING), [], NOTHING)

    assert facts.observed.problems == ("no test run was made",)
    assert facts.checked == ()


def test_a_claim_that_tests_were_not_run_is_no_false_claim() -> None:
    facts = gather(in_phase(Phase.GREEN), a_prp(), not_done(), [a_report(passed("test_a"))], NOTHING)

    assert facts.checked == ()


def test_what_one_of_two_runs_lost_or_skipped_is_lost_or_skipped() -> None:
    state = in_phase(Phase.GREEN, red=(failed("test_a"), failed("test_b")))
    runs = [a_report(skipped("test_a")), a_report(passed("test_a"), passed("test_b"))]

    seen = gather(state, a_prp(), done(Phase.GREEN), runs, NOTHING).observed

    assert (seen.vanished, seen.newly_skipped) == (("tests/test_x.py::test_b",), ("tests/test_x.py::test_a",))
    assert seen.green_runs == 1


def test_a_proven_test_with_other_code_is_altered_and_a_run_with_it_not_green() -> None:
    state = in_phase(Phase.GREEN, red=(failed("test_a"),))

    seen = gather(state, a_prp(), done(Phase.GREEN), [a_report(passed("test_a", digest="d2"))], NOTHING).observed

    assert (seen.altered, seen.green_runs) == (("tests/test_x.py::test_a",), 0)


def test_a_case_with_another_time_in_its_id_is_not_gone_but_a_lost_case_is() -> None:
    state = in_phase(Phase.GREEN, red=(failed("test_a[10:01]"), failed("test_a[10:02]")))
    same = a_report(passed("test_a[10:03]"), passed("test_a[10:04]"))
    fewer = a_report(passed("test_a[10:03]"))

    assert gather(state, a_prp(), done(Phase.GREEN), [same], NOTHING).observed.vanished == ()
    assert len(gather(state, a_prp(), done(Phase.GREEN), [fewer], NOTHING).observed.vanished) == 2


NAMED = [
    ("AC-1", "test_ac1_free", "", True),
    ("AC-1", "test_ac_1", "", True),
    ("AC-1", "test_AC01_free", "", True),
    ("AC-1", "test_ac10_free", "", False),
    ("AC-1", "test_mac1", "", False),
    ("AC-1", "test_free", "Shows AC-1.", True),
    ("S03-AC1", "test_s03_ac1", "", True),
    ("S03-AC1", "test_ac1", "", False),
    ("AC-1", "test_x[ac1-free]", "", True),
    ("AC-1", "TestAC1::test_free", "", True),
    ("AC-1", "test_ac1[a::b]", "", True),
]


@pytest.mark.parametrize(("criterion", "name", "doc", "expected"), NAMED)
def test_a_test_names_a_criterion_in_its_name_or_docstring(criterion: str, name: str, doc: str, expected: bool) -> None:
    result = passed(name, id=f"tests/test_ac1.py::{name}", doc=doc)

    assert names(result, Criterion(id=criterion, text="", line=1)) is expected


GREEN, RED = a_report(passed("test_a")), a_report(failed("test_a"))
WANTED = [
    (Phase.RED, done(Phase.RED), NOTHING, [], True),
    (Phase.RED, done(Phase.RED), NOTHING, [RED], False),
    (Phase.GREEN, done(Phase.GREEN), NOTHING, [GREEN], True),
    (Phase.GREEN, done(Phase.GREEN), NOTHING, [GREEN, GREEN], False),
    (Phase.GREEN, done(Phase.GREEN), NOTHING, [RED], False),
    (Phase.GREEN, not_done(), NOTHING, [GREEN], False),
    (Phase.GREEN, Claim(failure=Failure(kind=Trouble.EMPTY)), NOTHING, [], False),
    (Phase.GREEN, Claim(failure=Failure(kind=Trouble.CRASH)), SOMETHING, [], True),
]


@pytest.mark.parametrize(("phase", "claim", "changes", "runs", "expected"), WANTED)
def test_the_tests_are_run_as_often_as_can_decide_something(
    phase: Phase, claim: Claim, changes: Changes, runs: list[SuiteReport], expected: bool
) -> None:
    assert wants_run(in_phase(phase), claim, changes, runs) is expected
