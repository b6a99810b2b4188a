from dataclasses import replace
from typing import Any

import pytest

from dualgate.core.gates import judge as gates
from dualgate.core.gates.document import wanted_documents
from dualgate.core.gates.judge import measure, needs_only_block
from dualgate.core.gates.reactions import REACTIONS, Response
from dualgate.core.gates.refactor import breaks_tests
from dualgate.core.values.answer import LIMITS, Failure, Trouble
from dualgate.core.values.changes import Changes, Uncounted, Violation
from dualgate.core.values.claim import Claim, Review, WorkReport
from dualgate.core.values.facts import Facts
from dualgate.core.values.limits import Limits
from dualgate.core.values.probes import Probe, ProbeKind, ProbeReport, ProbeState
from dualgate.core.values.ralph_status import CheckedClaim
from dualgate.core.values.suite import Counts, FailureKind
from dualgate.core.values.team import FailuresInARow
from dualgate.core.values.verdict import Outcome, Verdict
from dualgate.core.values.vocabulary import Phase, WorkStatus
from dualgate.testing import a_fix, done, facts, failed, not_done

GIVEN_UP = sorted(kind for kind, reaction in REACTIONS.items() if reaction.response is Response.GIVE_UP)
VIOLATED = Changes(tree="t", violations=(Violation(path="tests/test_a.py", rule="frozen"),))


def judge(seen: Facts, **limits: Any) -> Verdict:
    return gates.judge(seen, Limits(**limits))


def honest(phase: Phase) -> Claim:
    return done(phase, review=Review.APPROVE if phase is Phase.QA else None)


@pytest.mark.parametrize("phase", list(Phase))
def test_a_phase_ends_when_evidence_and_signal_agree(phase: Phase) -> None:
    verdict = judge(facts(phase, honest(phase)))

    assert (verdict.outcome, verdict.gate_1, verdict.gate_2, verdict.reasons) == (Outcome.PASS, True, True, ())


@pytest.mark.parametrize("phase", list(Phase))
def test_evidence_without_the_signal_is_not_enough(phase: Phase) -> None:
    verdict = judge(replace(facts(phase, replace(honest(phase), exit_signal=False)), iteration=5))

    assert (verdict.outcome, verdict.gate_1, verdict.gate_2) == (Outcome.STAY, True, False)
    assert verdict.reasons == ("the agent does not say EXIT_SIGNAL: true",)


def test_refactoring_goes_on_until_it_is_said_to_be_complete_or_five_iterations_are_over() -> None:
    silent = not_done()
    needless = not_done(report=WorkReport(no_refactoring=True))

    verdict = judge(facts(Phase.REFACTOR, silent))

    assert (verdict.gate_1, verdict.reasons[0]) == (
        False,
        "the agent does not report refactoring as complete, and fewer than 5 iterations are over",
    )
    assert judge(facts(Phase.REFACTOR, needless)).gate_1
    assert judge(replace(facts(Phase.REFACTOR, silent), iteration=5)).gate_1


def test_only_a_refactoring_that_changed_something_breaks_tests() -> None:
    broken: dict[str, Any] = {"failing": (failed("test_a"),)}
    changed = Changes(tree="t", modified=("a.py",))

    assert breaks_tests(facts(Phase.REFACTOR, changes=changed, **broken))
    assert not breaks_tests(facts(Phase.REFACTOR, changes=changed))
    assert not breaks_tests(facts(Phase.REFACTOR, **broken))
    assert not breaks_tests(facts(Phase.GREEN, changes=changed, **broken))


@pytest.mark.parametrize("phase", [Phase.RED, Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT, Phase.BUILD])
def test_a_violation_keeps_the_gate_shut(phase: Phase) -> None:
    verdict = judge(facts(phase, changes=replace(facts(phase).observed.changes, violations=VIOLATED.violations)))

    assert (verdict.outcome, verdict.gate_1, verdict.gate_2) == (Outcome.STAY, False, True)
    assert verdict.reasons[0] == "tests/test_a.py: frozen"


SHUT: list[tuple[Phase, dict[str, Any], str]] = [
    (Phase.RED, {"problems": ("no report",)}, "no report"),
    (Phase.RED, {"failing": (failed("x", kind=FailureKind.BROKEN_FILE),)}, "cannot be collected"),
    (Phase.RED, {"broken": ("test_old",)}, "fail now and were not changed: test_old"),
    (Phase.RED, {"uncovered": ("AC-2",)}, "no failing new test names AC-2"),
    (Phase.RED, {"red": ("test_ac1",)}, "every criterion needs a new or changed test that fails; 2 needed, 1 found"),
    (Phase.RED, {"red": ("test_ac1",), "met": ("AC-2",)}, "AC-2: its new tests pass before any work"),
    (Phase.RED, {"red": (), "met": ("AC-1", "AC-2"), "code": ("a.py",)}, "but code was changed in RED (a.py)"),
    (Phase.RED, {"newly_skipped": ("test_a",)}, "test_a: a test of the baseline must not be skipped"),
    (Phase.GREEN, {"disarmed": ("test_a was removed",)}, "test_a was removed: restore the behaviour"),
    (Phase.GREEN, {"leaning": ("test_a passes only with x",)}, "test_a passes only with x: remove what replaces"),
    (Phase.GREEN, {"problems": ("no report",)}, "no report"),
    (Phase.GREEN, {"failing": (failed("test_a"),)}, "1 failing: tests/test_x.py::test_a"),
    (Phase.GREEN, {"vanished": ("test_a",)}, "tests that existed before are missing: test_a"),
    (Phase.GREEN, {"newly_skipped": ("test_a",)}, "tests that ran before are skipped: test_a"),
    (Phase.GREEN, {"counts": Counts()}, "not one test passes"),
    (Phase.GREEN, {"green_runs": 1}, "green runs of this tree: 1; 2 are needed"),
    (Phase.GREEN, {"altered": ("test_a",)}, "the code of proven tests changed: test_a"),
    (Phase.REFACTOR, {"failing": (failed("test_a"),)}, "1 failing"),
    (Phase.DOCUMENT, {"failing": (failed("test_a"),)}, "1 failing"),
    (Phase.DOCUMENT, {"changes": Changes(tree="t", documents=("docs/adr/1.md",))}, "documents: 1 of 3: docs/adr/1.md"),
    (Phase.DOCUMENT, {"changes": Changes(tree="t", documents=("a.md", "b.md", "c.md"))}, "decision record"),
    (Phase.BUILD, {"failing": (failed("test_a"),)}, "1 failing"),
]


@pytest.mark.parametrize(("phase", "observed", "why"), SHUT)
def test_gate_stays_shut_when_done_is_claimed_but_the_evidence_says_no(
    phase: Phase, observed: dict[str, Any], why: str
) -> None:
    verdict = judge(facts(phase, **observed))

    assert (verdict.outcome, verdict.gate_1, verdict.gate_2) == (Outcome.STAY, False, True)
    assert any(why in reason for reason in verdict.reasons)


def test_where_no_test_names_a_criterion_their_number_decides_and_it_is_said() -> None:
    verdict = judge(facts(Phase.RED, uncovered=("AC-1", "AC-2")))

    assert verdict.outcome is Outcome.PASS
    assert verdict.warnings == ("no test names a criterion, so only the number of tests was compared",)


def test_many_failing_tests_are_named_in_part() -> None:
    verdict = judge(facts(Phase.GREEN, failing=tuple(failed(f"test_{n}") for n in range(7))))

    assert "7 failing" in verdict.reasons[0]
    assert verdict.reasons[0].endswith("test_4 and 2 more")


ONE_FINDING = WorkReport(findings=(a_fix(),))
REJECTING: list[tuple[Claim, dict[str, Any], str]] = [
    (done(Phase.QA), {}, "counts as REJECT"),
    (done(Phase.QA, review=Review.REJECT, recommendation="no bounds"), {}, "the review says REJECT: no bounds"),
    (done(Phase.QA, review=Review.APPROVE, report=ONE_FINDING), {}, "the review has 1 critical or major finding"),
    (done(Phase.QA, review=Review.REJECT, blocking_findings=2), {}, "2 critical or major findings"),
    (done(Phase.QA, review=Review.APPROVE), {"failing": (failed("test_a"),)}, "1 failing"),
    (done(Phase.QA, review=Review.APPROVE), {"disarmed": ("test_a was removed",)}, "test_a was removed: restore"),
]


@pytest.mark.parametrize(("claim", "observed", "why"), REJECTING)
def test_a_review_that_does_not_approve_rejects(claim: Claim, observed: dict[str, Any], why: str) -> None:
    verdict = judge(facts(Phase.QA, claim, **observed))

    assert verdict.outcome is Outcome.REJECT
    assert any(why in reason for reason in verdict.reasons)


def test_a_reviewer_who_edits_neither_passes_nor_rejects() -> None:
    assert judge(facts(Phase.QA, done(Phase.QA, review=Review.REJECT), changes=VIOLATED)).outcome is Outcome.STAY


def test_a_failed_call_that_left_no_work_is_tried_again() -> None:
    verdict = judge(facts(Phase.GREEN, Claim(failure=Failure(kind=Trouble.CRASH))))

    assert verdict.outcome is Outcome.RETRY
    assert verdict.reasons == ("the call failed: crash",)


def test_a_failed_call_that_changed_files_is_an_iteration() -> None:
    changed = Changes(tree="t", modified=("a.py",))

    assert (
        judge(facts(Phase.GREEN, Claim(failure=Failure(kind=Trouble.CRASH)), changes=changed)).outcome is Outcome.STAY
    )


@pytest.mark.parametrize("kind", sorted(LIMITS))
def test_a_limit_is_waited_for_even_if_the_call_left_work(kind: Trouble) -> None:
    limited = Claim(failure=Failure(kind=kind))

    assert judge(facts(Phase.GREEN, limited)).outcome is Outcome.LIMITED
    assert judge(facts(Phase.GREEN, limited, changes=Changes(tree="t", modified=("a",)))).outcome is Outcome.LIMITED


@pytest.mark.parametrize("kind", GIVEN_UP)
def test_what_only_a_person_can_mend_blocks_at_once(kind: Trouble) -> None:
    assert judge(facts(Phase.GREEN, Claim(failure=Failure(kind=kind)))).outcome is Outcome.BLOCK


def test_blocked_after_a_denied_tool_with_no_work_done_blocks_at_once() -> None:
    denied = not_done(status=WorkStatus.BLOCKED, denied=("Bash",))

    assert judge(facts(Phase.GREEN, denied)).outcome is Outcome.BLOCK
    assert judge(facts(Phase.GREEN, denied, changes=Changes(tree="t", modified=("a",)))).outcome is Outcome.STAY


def test_blocked_is_quoted_back_once_and_the_second_in_a_row_blocks() -> None:
    blocked = not_done(status=WorkStatus.BLOCKED, recommendation="need a password")
    first = facts(Phase.GREEN, blocked)

    assert judge(first).outcome is Outcome.STAY
    assert judge(first).reasons == ("the agent says it is blocked: need a password",)
    assert judge(replace(first, past=FailuresInARow(blocked=1))).outcome is Outcome.BLOCK


def test_a_reviewer_who_is_blocked_does_not_reject() -> None:
    blocked = facts(Phase.QA, not_done(status=WorkStatus.BLOCKED))

    assert judge(blocked).outcome is Outcome.STAY
    assert judge(replace(blocked, past=FailuresInARow(blocked=1))).outcome is Outcome.BLOCK


def test_gate_1_of_green_does_not_listen_to_the_signal() -> None:
    assert not judge(facts(Phase.GREEN, not_done(), green_runs=1)).gate_1


def test_of_a_run_that_broke_off_the_counts_say_nothing() -> None:
    broke_off = measure(facts(Phase.GREEN, problems=("it broke off",)))
    unreadable = measure(facts(Phase.GREEN, failing=(failed("x", kind=FailureKind.BROKEN_FILE),)))

    assert (broke_off.passing, broke_off.failing, broke_off.place) == (None, None, "")
    assert (unreadable.passing, unreadable.failing, unreadable.place) == (None, None, "")


def test_another_message_is_another_error_but_not_another_place() -> None:
    one = measure(facts(Phase.GREEN, failing=(failed("test_a", message="assert 1 == 2"),)))
    two = measure(facts(Phase.GREEN, failing=(failed("test_a", message="assert 3 == 2"),)))

    assert one.error != two.error
    assert one.place == two.place


def test_a_claim_that_does_not_hold_is_a_warning() -> None:
    checked = (CheckedClaim(claim="FILES_MODIFIED", claimed="3", measured="1"),)

    verdict = judge(replace(facts(Phase.GREEN), checked=checked))

    assert verdict.warnings == ("FILES_MODIFIED was given as 3, measured 1",)


def test_failing_new_tests_are_no_error_in_red_but_in_green() -> None:
    seen: dict[str, Any] = {"failing": (failed("test_ac1"),), "red": ("test_ac1", "test_ac2")}

    assert measure(facts(Phase.RED, **seen)).error == ""
    assert measure(facts(Phase.GREEN, **seen)).error != ""


def test_what_a_phase_needs_is_what_the_limits_say() -> None:
    one = facts(Phase.DOCUMENT, changes=Changes(tree="t", documents=("README.md",)))

    assert judge(one, documents=1, adr_required=False).outcome is Outcome.PASS
    assert judge(one, documents=1).reasons == (
        "documents: 1 of 1: README.md; a decision record (context, decision, consequences) is missing",
    )
    assert judge(facts(Phase.GREEN, green_runs=1), green_runs=1).outcome is Outcome.PASS


WANTED = [
    (Limits(), "3 documents about the change, one of them a decision record"),
    (Limits(documents=2, adr_required=False), "2 documents about the change"),
    (Limits(documents=1, adr_required=False), "1 document about the change"),
    (Limits(documents=1), "a decision record"),
]


@pytest.mark.parametrize(("limits", "words"), WANTED)
def test_how_many_documents_are_wanted_is_told_in_words(limits: Limits, words: str) -> None:
    assert wanted_documents(limits) == words


def test_documents_that_do_not_count_are_named_with_the_reason() -> None:
    hollow = tuple(Uncounted(path=f"docs/{number}.md", reason="it is empty") for number in range(9))
    changes = Changes(tree="t", documents=("README.md", "docs/adr/1.md"), decision_records=(), uncounted=hollow)

    reasons = judge(facts(Phase.DOCUMENT, changes=changes)).reasons

    assert reasons[0].startswith("documents: 2 of 3: README.md, docs/adr/1.md; a decision record")
    assert (reasons[1], len(reasons)) == ("docs/0.md does not count: it is empty", 10)
    assert reasons[-1] == "1 more changed documents do not count"


def test_a_test_is_named_as_its_runner_knows_it_where_there_is_one_suite() -> None:
    failing = (replace(failed("test_a"), id="pytest::tests/test_x.py::test_a"),)
    seen = facts(Phase.GREEN, failing=failing)

    one, two = judge(replace(seen, suites=("pytest",))), judge(replace(seen, suites=("pytest", "web")))

    assert one.reasons[0] == "1 failing: tests/test_x.py::test_a"
    assert two.reasons[0] == "1 failing: pytest::tests/test_x.py::test_a"


LACKING = not_done(status=None, lacks_only_block=True)


@pytest.mark.parametrize("phase", [Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT])
def test_the_block_alone_is_needed_where_all_evidence_is_there(phase: Phase) -> None:
    assert needs_only_block(facts(phase, LACKING), Limits())
    assert not needs_only_block(facts(phase, not_done()), Limits())
    assert not needs_only_block(facts(phase, done(phase)), Limits())
    assert not needs_only_block(facts(phase, LACKING, failing=(failed("test_a"),)), Limits())


def test_a_review_needs_its_verdict_too() -> None:
    approving = replace(LACKING, review=Review.APPROVE)

    assert needs_only_block(facts(Phase.QA, approving), Limits())
    assert not needs_only_block(facts(Phase.QA, LACKING), Limits())
    assert not needs_only_block(facts(Phase.QA, replace(LACKING, review=Review.REJECT)), Limits())


def a_probe(state: ProbeState, line: int) -> Probe:
    return Probe(file="fee.py", line=line, kind=ProbeKind.MUTANT, text="`<=` → `<`", state=state)


def test_surviving_probes_keep_the_gate_shut_only_if_a_share_is_required() -> None:
    report = ProbeReport(probes=(a_probe(ProbeState.KILLED, 1), a_probe(ProbeState.SURVIVING, 8)))
    seen = facts(Phase.GREEN, probes=report)

    assert gates.judge(seen, Limits()).gate_1
    assert gates.judge(seen, Limits(sensitivity="require:50%")).gate_1
    assert gates.judge(seen, Limits(sensitivity="require:90%")).reasons == (
        "50 % of the probes are killed, 90 % are required; add tests that notice: `fee.py:8` `<=` → `<`",
    )


def test_a_required_share_counts_only_if_it_was_measured() -> None:
    assert gates.judge(facts(Phase.GREEN, probes=ProbeReport()), Limits(sensitivity="require:90%")).gate_1
    assert ProbeReport().measured
    assert not ProbeReport(problems=("go",)).measured


def test_a_test_that_passes_on_the_code_from_before_the_run_is_not_red() -> None:
    changes = Changes(tree="t", code=("fee.py",), rewritten=("fee.py",))
    seen = facts(Phase.RED, held_before=("tests/test_fee.py::test_ac1",), changes=changes)

    (reason,) = gates.judge(seen, Limits()).reasons

    assert reason == (
        "tests/test_fee.py::test_ac1: passes on the code from before the run, and fails only because RED changed "
        "fee.py; restore these files"
    )
