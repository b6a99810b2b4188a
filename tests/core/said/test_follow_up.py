"""A claim whose status block came with a follow-up."""

from dualgate.core.said.follow_up import supposing_signal, with_block_of
from dualgate.core.said.response import read_response
from dualgate.core.values.answer import Answer, Failure, Trouble
from dualgate.core.values.claim import Claim, Review
from dualgate.core.values.vocabulary import Phase, WorkStatus
from dualgate.testing import done, not_done
from tests.core.said.blocks.block_samples import ralph_block

REVIEWED = read_response(Answer(text="- severity: major\nVerdict: REJECT\nAC-1: met src/a.py:3"), Phase.QA)


def later(text: str, failure: Failure | None = None) -> Claim:
    return read_response(Answer(text=text, failure=failure), Phase.QA)


def test_the_block_is_that_of_the_follow_up_and_all_else_that_of_the_first_answer() -> None:
    claim = with_block_of(REVIEWED, later(f"Verdict: APPROVE\n{ralph_block(FILES_MODIFIED='2 (both)')}"))

    assert (claim.exit_signal, claim.has_block, claim.lacks_only_block) == (True, True, False)
    assert (claim.status, claim.files_modified) == (WorkStatus.COMPLETE, 2)
    assert (claim.review, claim.blocking_findings, claim.answers) == (Review.REJECT, 1, REVIEWED.answers)
    assert claim.report == REVIEWED.report
    assert claim.warnings == ("FILES_MODIFIED: a remark follows the value", *REVIEWED.report.warnings)


def test_a_follow_up_without_a_block_or_that_failed_leaves_the_claim_as_it_was() -> None:
    assert with_block_of(REVIEWED, later("I said it all.")) == REVIEWED
    assert with_block_of(REVIEWED, later(ralph_block(), Failure(kind=Trouble.CRASH))) == REVIEWED


APPROVED = read_response(Answer(text="Verdict: APPROVE"), Phase.QA)


def test_a_follow_up_that_rejects_takes_an_approval_back_with_its_reason() -> None:
    block = ralph_block(RECOMMENDATION="AC-2 has no bound")

    rejected = with_block_of(APPROVED, later(f"Verdict: REJECT\n{block}"))
    bare = with_block_of(APPROVED, later("Verdict: REJECT"))
    failed = with_block_of(APPROVED, later("Verdict: REJECT", Failure(kind=Trouble.CRASH)))

    assert (rejected.review, rejected.recommendation) == (Review.REJECT, "AC-2 has no bound")
    assert (bare.review, failed.review) == (Review.REJECT, Review.APPROVE)


def test_a_question_in_a_follow_up_is_heard() -> None:
    assert with_block_of(REVIEWED, later("Which block?")).questions == ("Which block?",)


def test_a_block_that_is_malformed_again_says_why() -> None:
    claim = with_block_of(REVIEWED, later(ralph_block(EXIT_SIGNAL="<true | false>")))

    assert not claim.exit_signal
    assert claim.problems == ("EXIT_SIGNAL is still the placeholder of a template: <true | false>",)


def test_a_signal_is_supposed_only_where_the_block_alone_is_missing() -> None:
    supposed = supposing_signal(not_done(lacks_only_block=True))

    assert (supposed.exit_signal, supposed.status) == (True, WorkStatus.COMPLETE)
    assert not supposing_signal(not_done()).exit_signal
    assert supposing_signal(done(Phase.GREEN)) == done(Phase.GREEN)
