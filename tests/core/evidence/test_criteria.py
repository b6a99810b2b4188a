"""What proves a criterion after RED, by its kind, and what is missing."""

from dataclasses import replace
from typing import Any

import pytest

from dualgate.core.evidence.checks import DueCheck, due_checks
from dualgate.core.evidence.facts import gather
from dualgate.core.gates.judge import judge
from dualgate.core.values.answer import Failure, Trouble
from dualgate.core.values.changes import Changes
from dualgate.core.values.checks import CheckRun
from dualgate.core.values.claim import Claim, CriterionAnswer, Review
from dualgate.core.values.facts import Facts
from dualgate.core.values.limits import Limits
from dualgate.core.values.specification import (
    Criterion,
    CriterionResult,
    CriterionState,
    CriterionStatus,
    Kind,
    Specification,
)
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.suite import CaseResult, SuiteReport
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import a_report, a_state, done, failed, passed

NEW = Criterion(id="AC-1", text="doubles", line=1)
KEEP = Criterion(id="AC-2", text="halves as before", line=2, kind=Kind.KEEP)
CHECK = Criterion(id="AC-3", text="lint passes", line=3, kind=Kind.CHECK, command="make lint")
OWN = Criterion(id="AC-4", text="all tests pass", line=4, kind=Kind.CHECK)
REVIEW = Criterion(id="AC-5", text="CHANGELOG has an entry", line=5, kind=Kind.REVIEW)
UNTOUCHED = Criterion(id="AC-6", text="do not touch x", line=6, kind=Kind.REVIEW, forbids=("x/",))
EVERY = (NEW, KEEP, CHECK, OWN, REVIEW)
GREEN = (passed("test_ac1"), passed("test_ac2"))
LINTED = CheckRun(command="make lint", exit_code=0)


def after_red(phase: Phase = Phase.GREEN, approved: tuple[str, ...] = ("make lint",), **values: Any) -> LoopState:
    kinds = tuple((c.id, c.kind) for c in (*EVERY, UNTOUCHED))
    proof = Proof(proven=(failed("test_ac1"), passed("test_ac2")), red_tree="r", start_tree="s", kinds=kinds)
    return a_state(phase=phase, proof=proof, approved=approved, **values)


def judged(
    criterion: Criterion,
    *results: CaseResult,
    state: LoopState | None = None,
    claim: Claim | None = None,
    **values: Any,
) -> CriterionResult:
    return facts_of(criterion, *results, state=state, claim=claim, **values).observed.criteria[0]


def facts_of(*parts: Any, state: LoopState | None = None, claim: Claim | None = None, **values: Any) -> Facts:
    state = state or after_red()
    criteria = tuple(each for each in parts if isinstance(each, Criterion))
    results = tuple(each for each in parts if isinstance(each, CaseResult))
    runs: list[SuiteReport] = values.pop("runs", [a_report(*results), a_report(*results)])
    changes = Changes(tree="t", cited=values.pop("cited", ()), documents=("a.md", "b.md", "docs/adr/1.md"))
    spec = Specification(title="X", goal="", criteria=criteria, text="")
    return gather(state, spec, claim or done(state.phase), runs, changes, None, values.pop("checks", ()))


def test_a_new_criterion_is_green_when_its_tests_pass() -> None:
    assert judged(NEW, *GREEN).state is CriterionStatus.GREEN
    assert judged(NEW, failed("test_ac1"), passed("test_ac2")).state is CriterionStatus.FAILING
    assert judged(NEW, passed("test_other")).state is CriterionStatus.NO_TEST


def test_a_test_that_was_added_after_red_proves_no_new_criterion_in_place_of_the_one_that_was_there() -> None:
    before = after_red()
    state = replace(before, proof=replace(before.proof, red=(failed("test_ac1"),)))

    assert judged(NEW, *GREEN, passed("test_ac1_more"), state=state).proof == ("tests/test_x.py::test_ac1",)


def test_what_was_not_run_keeps_its_state() -> None:
    known = tuple(
        CriterionState(id=c.id, text=c.text, kind=c.kind, state=state)
        for c, state in ((NEW, CriterionStatus.GREEN), (KEEP, CriterionStatus.HOLDS))
    )
    state = after_red(criteria_states=known)
    partial = a_report(passed("test_other"), only=("test_other",))

    for runs in ([], [partial], [a_report(problems=("no report",))]):
        assert judged(NEW, state=state, runs=runs).state is CriterionStatus.GREEN
        assert judged(KEEP, state=state, runs=runs).state is CriterionStatus.HOLDS
    assert judged(KEEP, runs=[]).state is CriterionStatus.NO_TEST


@pytest.mark.parametrize("phase", [Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT, Phase.QA])
def test_a_criterion_to_keep_needs_a_passing_test_at_every_gate(phase: Phase) -> None:
    claim, state = done(phase, review=Review.APPROVE), after_red(phase)
    gone = replace(state, proof=replace(state.proof, proven=()))

    broken = judge(facts_of(KEEP, passed("test_ac1"), failed("test_ac2"), state=state, claim=claim), Limits())
    bare = judge(facts_of(KEEP, passed("test_ac1"), state=gone, claim=claim), Limits())

    assert "AC-2 (keep) must hold and does not: tests/test_x.py::test_ac2 fails" in broken.reasons
    assert bare.reasons[0].startswith("no passing test names AC-2 (keep)")
    assert not broken.gate_1
    assert judge(facts_of(KEEP, *GREEN, state=state, claim=claim), Limits()).gate_1


@pytest.mark.parametrize("phase", [Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT, Phase.QA])
def test_a_check_must_have_its_expected_result_at_every_gate(phase: Phase) -> None:
    claim, state = done(phase, review=Review.APPROVE), after_red(phase)
    wrong = CheckRun(command="make lint", exit_code=2, output="a.py:1: E501\n2 errors\n\n")

    shut = judge(facts_of(CHECK, *GREEN, state=state, claim=claim, checks=(wrong,)), Limits())

    assert shut.reasons == ("AC-3: `make lint` exits with 2, expected 0: 2 errors",)
    assert shut.outcome is (Outcome.REJECT if phase is Phase.QA else Outcome.STAY)
    assert judge(facts_of(CHECK, *GREEN, state=state, claim=claim, checks=(LINTED,)), Limits()).gate_1


PRINTING = replace(CHECK, exit_code=1, prints="2 rules")
CHECKED: list[tuple[Criterion, CheckRun, str]] = [
    (PRINTING, CheckRun(command="make lint", exit_code=1, printed=("2 rules",)), ""),
    (PRINTING, CheckRun(command="make lint", exit_code=1), "does not print '2 rules': no output"),
    (PRINTING, CheckRun(command="make lint", exit_code=0, printed=("2 rules",)), "exits with 0, expected 1: no output"),
    (CHECK, replace(LINTED, problem="did not end by itself: timed_out"), "did not end by itself: timed_out"),
]


@pytest.mark.parametrize(("criterion", "run", "why"), CHECKED)
def test_a_check_expects_an_exit_code_and_a_text(criterion: Criterion, run: CheckRun, why: str) -> None:
    result = judged(criterion, *GREEN, checks=(run,))

    assert result.missing == (f"AC-3: `make lint` {why}" if why else "")
    assert result.state is (CriterionStatus.FAILS if why else CriterionStatus.PASSES)
    assert result.proof == ("make lint",)


def test_a_check_without_approval_is_not_run_and_keeps_no_gate_shut() -> None:
    result = judged(CHECK, *GREEN, state=after_red(approved=()))

    assert (result.state, result.missing, result.proof) == (CriterionStatus.NOT_RUN, "", ("make lint",))


def test_a_check_that_was_not_run_yet_says_nothing() -> None:
    assert judged(CHECK, failed("test_ac1")).missing == ""
    assert judged(CHECK, *GREEN, state=after_red(Phase.RED)).state is CriterionStatus.NOT_RUN


def test_a_check_without_a_command_is_the_projects_own_tests() -> None:
    assert judged(OWN, *GREEN).state is CriterionStatus.PASSES
    assert judged(OWN, failed("test_ac1"), passed("test_ac2")).state is CriterionStatus.FAILS
    assert judged(OWN, runs=[]).state is CriterionStatus.NOT_RUN
    assert (judged(OWN, *GREEN).missing, judged(OWN, *GREEN).proof) == ("", ("the project's tests",))


def test_checks_are_due_after_red_on_a_green_tree_and_once_for_each_command() -> None:
    runs = [a_report(*GREEN)]
    criteria = (*EVERY, PRINTING, replace(CHECK, prints="ok"), replace(CHECK, command="make other"))

    assert due_checks(after_red(), criteria, runs) == (DueCheck(command="make lint", prints=("2 rules", "ok")),)
    assert due_checks(after_red(Phase.RED), criteria, runs) == ()
    assert due_checks(after_red(), criteria, [a_report(failed("test_ac1"), passed("test_ac2"))]) == ()
    assert due_checks(after_red(), criteria, []) == ()


def reviewing(*answers: CriterionAnswer, review: Review | None = Review.APPROVE, **values: Any) -> Claim:
    return done(Phase.QA, review=review, answers=answers, **values)


def met(**values: Any) -> CriterionAnswer:
    return CriterionAnswer(**{"id": "AC-5", "met": True, "file": "CHANGELOG.md", "line": 3, **values})


IN_QA = after_red(Phase.QA)
CITED = (("CHANGELOG.md", 10),)
UNSOUND: list[tuple[Claim, str]] = [
    (reviewing(), "AC-5: the review does not answer this criterion"),
    (reviewing(met(id="AC-50")), "AC-5: the review does not answer this criterion"),
    (reviewing(met(file="", line=None)), "AC-5: the review cites no file for it"),
    (reviewing(met(line=None)), "AC-5: the review cites CHANGELOG.md without a line"),
    (reviewing(met(line=11)), "AC-5: the review cites line 11 of CHANGELOG.md, which has 10"),
    (reviewing(met(file="gone.md")), "AC-5: the review cites gone.md, which is not a file of the project"),
    (reviewing(met(met=False, file="", line=None)), "AC-5: the review says 'not met' without a file or a reason"),
]


@pytest.mark.parametrize(("claim", "why"), UNSOUND)
def test_a_review_without_a_cited_answer_is_asked_for_again(claim: Claim, why: str) -> None:
    seen = facts_of(REVIEW, *GREEN, state=IN_QA, claim=claim, cited=CITED)
    verdict = judge(seen, Limits())

    assert (verdict.outcome, verdict.gate_1, verdict.reasons) == (Outcome.STAY, False, (why,))
    assert seen.observed.criteria[0].state is CriterionStatus.NOT_REVIEWED


def test_a_review_that_cites_a_file_and_a_line_proves_a_criterion() -> None:
    seen = facts_of(REVIEW, *GREEN, state=IN_QA, claim=reviewing(met(id="ac5")), cited=CITED)

    assert judge(seen, Limits()).outcome is Outcome.PASS
    assert (seen.observed.criteria[0].state, seen.observed.criteria[0].proof) == (
        CriterionStatus.MET,
        ("CHANGELOG.md:3",),
    )


def test_a_path_that_must_not_change_needs_no_line() -> None:
    claim = reviewing(met(id="AC-6", file="x/a.py", line=None))

    assert judge(facts_of(UNTOUCHED, *GREEN, state=IN_QA, claim=claim, cited=(("x/a.py", 0),)), Limits()).gate_1


def test_a_criterion_that_is_not_met_rejects_even_with_an_approval() -> None:
    claim = reviewing(met(met=False, file="gone.md", reason="no entry"))

    verdict = judge(facts_of(REVIEW, *GREEN, state=IN_QA, claim=claim), Limits())

    assert (verdict.outcome, verdict.reasons) == (Outcome.REJECT, ("AC-5 is not met: no entry",))


def test_a_rejection_is_followed_though_an_answer_is_missing() -> None:
    claim = reviewing(review=Review.REJECT, recommendation="no bounds")

    assert judge(facts_of(REVIEW, *GREEN, state=IN_QA, claim=claim), Limits()).outcome is Outcome.REJECT


def test_outside_a_review_the_last_answer_stands() -> None:
    answered = CriterionState(
        id="AC-5", text="", kind=Kind.REVIEW, state=CriterionStatus.MET, proof=("CHANGELOG.md:3",)
    )
    failure = Failure(kind=Trouble.CRASH, message="x")

    in_green = judged(REVIEW, *GREEN, state=after_red(criteria_states=(answered,)))
    failing = judged(REVIEW, state=replace(IN_QA, criteria_states=(answered,)), claim=Claim(failure=failure), runs=[])

    assert in_green == failing
    assert (in_green.state, in_green.proof, in_green.missing) == (CriterionStatus.MET, ("CHANGELOG.md:3",), "")
    assert judged(REVIEW, *GREEN).state is CriterionStatus.NOT_REVIEWED
