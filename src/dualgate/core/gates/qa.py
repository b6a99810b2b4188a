"""QA's gate: the review approves and answers its criteria, no critical or major finding counts, the tests are green."""

from dualgate.core.evidence.green import why_not_green
from dualgate.core.gates.criteria import checks_missing, criteria_missing, not_met, unanswered
from dualgate.core.said.review import blocking_findings
from dualgate.core.values.claim import Review
from dualgate.core.values.facts import Facts
from dualgate.core.values.limits import Limits
from dualgate.core.values.notation import applying, listed


def qa_missing(facts: Facts, _: Limits) -> tuple[str, ...]:
    claim, blocking = facts.claimed, _blocking(facts)
    shut = why_not_green(facts.observed, facts.suites) + criteria_missing(facts) + checks_missing(facts)
    return shut + applying(
        (
            claim.review is None,
            "the review gives no line 'Verdict: APPROVE' or 'Verdict: REJECT', which counts as REJECT",
        ),
        (claim.review is Review.REJECT, f"the review says REJECT: {claim.recommendation or 'no reason given'}"),
        (blocking, f"the review has {blocking} critical or major finding{'' if blocking == 1 else 's'}"),
        *((True, reason) for reason in why_unsound(facts)),
    )


def is_incomplete(facts: Facts, limits: Limits) -> bool:
    """Whether only answers about criteria are missing: the review is then asked for again, which rejects nothing."""
    open_ = {each.missing for each in unanswered(facts)}
    return bool(open_) and open_.issuperset(qa_missing(facts, limits))


def _blocking(facts: Facts) -> int:
    """Count critical and major findings; one without a FixRequest cites no line and counts in the first review only."""
    claim = facts.claimed
    unnamed = max(0, claim.blocking_findings - len(blocking_findings(claim.report.findings)))
    return len(facts.weighed.blocking) + (unnamed if facts.weighed.is_first else 0)


def why_unsound(facts: Facts) -> tuple[str, ...]:
    """Why a rejecting review is asked for again instead of being followed."""
    claim = facts.claimed
    if not_met(facts) or (claim.review is Review.APPROVE and not _blocking(facts)):
        return ()
    if claim.report.errors and facts.iteration == 1:
        return tuple(f"the review's FixRequests cannot be followed: {error}" for error in claim.report.errors)
    if facts.weighed.is_first or facts.weighed.counting:
        return ()
    named = [f"{request.id} ({request.file})" for request in facts.weighed.advice]
    advice = f"; kept as advice: {listed(named)}" if named else ""
    return (f"a later rejection must ask again for an open FixRequest, by its id, or cite a line that changed{advice}",)
