"""QA's gate: which reviews are followed, and which are asked for once more."""

from dataclasses import replace
from typing import Any

import pytest

from dualgate.core.gates.judge import judge
from dualgate.core.gates.qa import NO_PACKETS
from dualgate.core.values.answer import Failure, Trouble
from dualgate.core.values.changes import Changes
from dualgate.core.values.claim import Claim, CriterionAnswer, Review, WorkReport
from dualgate.core.values.fix_request import FixSeverity
from dualgate.core.values.limits import Limits
from dualgate.core.values.reviews import Again, Weighed
from dualgate.core.values.specification import CriterionResult, CriterionStatus, Kind
from dualgate.core.values.verdict import Outcome, Verdict
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import a_fix, done, facts, failed

BARE = WorkReport(has_packets=False)
SHUT = WorkReport(shut=("the CODE_REVIEW packet says Status: needs-fix",))
NEW = CriterionResult(id="AC-2", kind=Kind.NEW, state=CriterionStatus.GREEN, proof=("test_ac2",))


def review(verdict: Review | None = Review.APPROVE, **values: Any) -> Claim:
    return done(Phase.QA, review=verdict, **values)


def judged(claim: Claim, *asked: Again, criteria: tuple[CriterionResult, ...] = (), **weighed: Any) -> Verdict:
    found = facts(Phase.QA, claim, criteria=criteria)
    return judge(replace(found, weighed=replace(found.weighed, asked=asked, **weighed)), Limits())


@pytest.mark.parametrize("verdict", [Review.APPROVE, Review.REJECT, None])
def test_a_review_without_any_packet_is_asked_for_once(verdict: Review | None) -> None:
    first = judged(review(verdict, report=BARE, recommendation="no bounds"))
    second = judged(review(verdict, report=BARE, recommendation="no bounds"), Again.PACKETS)

    assert (first.outcome, NO_PACKETS in first.reasons) == (Outcome.STAY, True)
    assert NO_PACKETS not in second.reasons
    assert second.outcome is (Outcome.PASS if verdict is Review.APPROVE else Outcome.REJECT)


CONTRADICTING = [
    (review(contradictions=("Critical: AC-2 is not implemented",)), "'Critical: AC-2 is not implemented'"),
    (review(report=SHUT, exit_signal=False), "'the CODE_REVIEW packet says Status: needs-fix'"),
    (
        review(answers=(CriterionAnswer(id="ac2", met=False, file="a.py", line=3, reason="no cap"),)),
        "'ac2: not met a.py",
    ),
    (review(blocking_findings=2), "'critical or major findings without a FixRequest: 2'"),
]


@pytest.mark.parametrize(("claim", "quoted"), CONTRADICTING)
def test_an_approval_that_is_contradicted_is_asked_for_once_and_then_rejects(claim: Claim, quoted: str) -> None:
    first = judged(claim, criteria=(NEW,))
    second = judged(claim, Again.CONTRADICTION, criteria=(NEW,))

    assert (first.outcome, second.outcome) == (Outcome.STAY, Outcome.REJECT)
    assert any(quoted in reason and "contradicts its verdict APPROVE" in reason for reason in first.reasons)
    assert any(quoted in reason and "which counts as REJECT" in reason for reason in second.reasons)


def test_findings_without_a_fix_request_contradict_a_later_approval_too() -> None:
    claim = review(blocking_findings=2)

    first = judged(claim, is_first=False)
    second = judged(claim, Again.CONTRADICTION, is_first=False)

    assert (first.outcome, second.outcome) == (Outcome.STAY, Outcome.REJECT)
    assert any("findings without a FixRequest: 2" in reason for reason in first.reasons)


def test_a_reviewer_who_is_asked_again_reads_how_to_say_that_nothing_is_wrong() -> None:
    reasons = judged(review(contradictions=("Critical: odd",))).reasons

    assert any(r.endswith("; decide for one: change the verdict, or write 'Critical: none'") for r in reasons)


def test_an_answer_about_another_thing_contradicts_nothing() -> None:
    unknown = CriterionAnswer(id="AC-9", met=False, file="a.py", line=3)
    by_review = CriterionResult(id="AC-3", kind=Kind.REVIEW, state=CriterionStatus.MET)

    answers = (unknown, CriterionAnswer(id="AC-3", met=False), CriterionAnswer(id="AC-2", met=True))
    assert judged(review(answers=answers), criteria=(NEW, by_review)).outcome is Outcome.PASS


def test_requests_that_cannot_be_read_are_asked_for_again_where_no_other_blocks() -> None:
    claim = review(Review.REJECT, report=WorkReport(errors=("FR-1 has no file",)))

    assert "the review's FixRequests cannot be followed: FR-1 has no file" in judged(claim).reasons
    assert judged(claim).outcome is Outcome.STAY


def test_a_later_rejection_of_old_lines_is_asked_for_again() -> None:
    verdict = judged(review(Review.REJECT), is_first=False, advice=(a_fix(),))

    assert (verdict.outcome, "kept as advice: FR-1 (src/a.py)" in verdict.reasons[-1]) == (Outcome.STAY, True)


def test_files_that_do_not_exist_are_asked_about_once() -> None:
    phantom = a_fix(file="src/ghost.py")
    claim = review(Review.REJECT, report=WorkReport(findings=(phantom,)), recommendation="ghosts")

    first = judged(claim, counting=(), unfounded=(phantom,))
    second = judged(claim, Again.FILES, counting=(), advice=(phantom,))

    assert first.outcome is Outcome.STAY
    assert "the review names files that do not exist: src/ghost.py (FR-1); cite the file and the line" in first.reasons
    assert second.outcome is Outcome.REJECT
    assert "advice, no reason to reject: FR-1 src/ghost.py, an error is lost" in second.warnings


def test_a_clear_rejection_is_followed_at_once() -> None:
    unmet = CriterionResult(id="AC-5", kind=Kind.REVIEW, state=CriterionStatus.NOT_MET, missing="AC-5 is not met")
    restored = a_fix(id="T-1", description="removing test_old is not justified")

    assert judged(review(report=BARE), criteria=(unmet,)).outcome is Outcome.REJECT
    verdict = judged(review(report=BARE), unjustified=(restored,))
    assert (verdict.outcome, verdict.reasons[0]) == (Outcome.REJECT, "T-1: removing test_old is not justified")


def test_a_test_without_an_answer_is_asked_about_once_more() -> None:
    missing = "T-1: the review does not answer whether removing test_old is justified"

    verdict = judged(review(), unanswered=(missing,))
    rejected = judged(review(Review.REJECT, report=WorkReport(findings=(a_fix(),))), unanswered=(missing,))

    assert (verdict.outcome, verdict.reasons) == (Outcome.STAY, (missing,))
    assert rejected.outcome is Outcome.REJECT
    assert judged(review(), Again.TESTS, unanswered=(missing,)).outcome is Outcome.PASS


def test_failing_tests_reject_whatever_is_missing_in_the_review() -> None:
    found = facts(Phase.QA, review(report=BARE), failing=(failed("test_a"),))

    assert judge(found, Limits()).outcome is Outcome.REJECT


def test_a_failed_call_is_no_review_to_ask_for_again() -> None:
    verdict = judged(review(None, report=BARE, failure=Failure(kind=Trouble.CRASH)))

    assert (verdict.outcome, NO_PACKETS in verdict.reasons) == (Outcome.RETRY, False)


def test_minor_requests_reject_nothing() -> None:
    minor = a_fix(severity=FixSeverity.MINOR)

    assert judged(review(report=WorkReport(findings=(minor,)))).outcome is Outcome.PASS
    assert Weighed(counting=(minor,)).blocking == ()


def test_an_approval_of_a_tree_that_a_person_changed_meanwhile_is_asked_for_again() -> None:
    changed = Changes(tree="t", unseen=("src/a.py",))
    approved = judge(facts(Phase.QA, review(), changes=changed), Limits())
    rejected = judge(facts(Phase.QA, review(Review.REJECT), changes=changed), Limits())

    assert (approved.outcome, rejected.outcome) == (Outcome.STAY, Outcome.REJECT)
    assert "a person changed files during the review, which has not seen them: src/a.py" in approved.reasons
