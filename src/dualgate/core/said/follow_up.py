"""Claim of an answer whose status block is missing, Claim of the follow-up that gives it -> one Claim."""

from dualgate.core.values.claim import Claim, Review
from dualgate.core.values.replacing import replace
from dualgate.core.values.vocabulary import WorkStatus


def supposing_signal(claim: Claim) -> Claim:
    """The claim as if the missing block said that the work is done, to see whether the evidence would agree."""
    if not claim.lacks_only_block:
        return claim
    return replace(claim, status=WorkStatus.COMPLETE, exit_signal=True)


def with_block_of(claim: Claim, later: Claim) -> Claim:
    """The claim with the status block of a follow-up; report and answers stay those of the first answer.

    The verdict stays too, unless the follow-up rejects.
    """
    questions = claim.questions or later.questions
    if later.failure:
        return replace(claim, questions=questions)
    review = Review.REJECT if later.review is Review.REJECT else claim.review
    if not later.has_block:
        return replace(claim, questions=questions, review=review)
    of_block = later.warnings[: len(later.warnings) - len(later.report.warnings)]
    return replace(
        claim,
        status=later.status,
        exit_signal=later.exit_signal,
        tests_status=later.tests_status,
        files_modified=later.files_modified,
        tasks_completed=later.tasks_completed,
        recommendation=later.recommendation or claim.recommendation,
        review=review,
        work_type=later.work_type,
        questions=questions,
        problems=later.problems,
        warnings=(*of_block, *claim.report.warnings),
        has_block=True,
        lacks_only_block=False,
    )
