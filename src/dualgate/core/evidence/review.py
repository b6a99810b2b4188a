"""Claim of a reviewer, Changes, LoopState -> Weighed: what of a review counts. It compares, and decides nothing."""

from collections.abc import Iterator, Mapping

from dualgate.core.evidence.criteria import why_no_place
from dualgate.core.evidence.doubted import Doubt, DoubtedTest, doubted_tests
from dualgate.core.said.findings import implied_fix, names_missing_file, weigh
from dualgate.core.values.case_names import id_parts
from dualgate.core.values.changes import Changes
from dualgate.core.values.claim import Claim, CriterionAnswer, Review
from dualgate.core.values.fix_request import FixRequest
from dualgate.core.values.notation import listed
from dualgate.core.values.replacing import replace
from dualgate.core.values.reviews import Again, Weighed
from dualgate.core.values.specification import Specification
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import short_id
from dualgate.core.values.vocabulary import Phase

_DONE: Mapping[Doubt, str] = {
    Doubt.REMOVED: "removing",
    Doubt.SKIPPED: "skipping",
    Doubt.FEWER: "leaving out cases of",
    Doubt.CHANGED: "changing",
}
RESTORE = "restore what it tested: add the original test to a new test file, and make it pass"


def weigh_review(state: LoopState, prp: Specification, claim: Claim, changes: Changes) -> Weighed:
    reviews, findings = state.reviews, claim.report.findings
    if state.phase is not Phase.QA or claim.failure:
        return weigh(findings, reviews, changes.since_review)
    unfounded = tuple(r for r in findings if names_missing_file(r, changes, prp.text))
    weighed = weigh([r for r in findings if r not in unfounded], reviews, changes.since_review)
    is_asked = Again.FILES in reviews.asked
    is_harmless = claim.review is Review.APPROVE and not any(request.is_blocking for request in unfounded)
    answered = [_answered(each, state, claim, changes) for each in doubted_tests(prp.criteria, state.proof)]
    return replace(
        weighed,
        advice=(*weighed.advice, *unfounded) if is_asked or is_harmless else weighed.advice,
        unfounded=() if is_asked or is_harmless else unfounded,
        unanswered=tuple(missing for missing, _ in answered if missing),
        unjustified=tuple(fix for _, fix in answered if fix),
        asked=reviews.asked,
    )


def _answered(test: DoubtedTest, state: LoopState, claim: Claim, changes: Changes) -> tuple[str, FixRequest | None]:
    """Why the answer about a test is missing, and the fix that it asks for."""
    answer = next((each for each in claim.justifications if id_parts(each.id) == id_parts(test.id)), None)
    what = f"{_DONE[test.how]} {listed((short_id(name, state.proof.suites) for name in test.functions), 3)}"
    if answer is None:
        return f"{test.id}: the review does not answer whether {what} is justified", None
    if answer.met:
        unsound = why_no_place(answer, dict(_places(changes)))
        return (f"{test.id}: {unsound}" if unsound else ""), None
    return "", _restoring(test, answer, what)


def _places(changes: Changes) -> Iterator[tuple[str, int]]:
    """Files that an answer may cite, with the number of their lines; of a deleted file any line."""
    yield from ((path, 1 << 30) for path in changes.removed)
    yield from changes.cited


def _restoring(test: DoubtedTest, answer: CriterionAnswer, what: str) -> FixRequest:
    reason = f": {answer.reason}" if answer.reason else ""
    fix = implied_fix(f"{what} is not justified{reason}")
    return replace(fix, id=test.id, location=answer.place or test.file or fix.location, proposed_fix=RESTORE)
