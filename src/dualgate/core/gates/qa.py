"""QA's gate: the review approves and answers what it must, no critical or major finding counts, the tests are green."""

from collections.abc import Iterator, Mapping

from dualgate.core.evidence.green import faults, why_not_green
from dualgate.core.gates.criteria import checks_missing, criteria_missing, not_met, unanswered
from dualgate.core.gates.disarmed import why_disarmed
from dualgate.core.said.review import blocking_findings
from dualgate.core.values.case_names import id_parts
from dualgate.core.values.claim import Review
from dualgate.core.values.facts import Facts
from dualgate.core.values.limits import Limits
from dualgate.core.values.notation import applying, counted, listed
from dualgate.core.values.reviews import Again
from dualgate.core.values.specification import Kind

NO_PACKETS = "the review has no packet: give CODE_REVIEW and ARCHITECTURE in the form below, with a Status in each"
DECIDE = "decide for one: change the verdict, or write 'Critical: none'"


def qa_missing(facts: Facts, _: Limits) -> tuple[str, ...]:
    claim, blocking, weighed = facts.claimed, _blocking(facts), facts.weighed
    unseen = facts.observed.changes.unseen
    shut = (
        why_not_green(facts.observed, facts.suites)
        + criteria_missing(facts)
        + checks_missing(facts)
        + why_disarmed(facts.observed)
        # asked for once more; after that the run is not proven instead of halted
        + (() if Again.TESTS in weighed.asked else weighed.unanswered)
    )
    again = why_again(facts)
    contradicting = Again.CONTRADICTION in weighed.asked and contradictions(facts)
    return shut + applying(
        (
            claim.review is None,
            "the review gives no line 'Verdict: APPROVE' or 'Verdict: REJECT', which counts as REJECT",
        ),
        (claim.review is Review.REJECT, f"the review says REJECT: {claim.recommendation or 'no reason given'}"),
        (blocking, f"the review has {counted(blocking, 'critical or major finding', 'critical or major findings')}"),
        *((True, f"{fix.id}: {fix.description}") for fix in weighed.unjustified),
        *((True, reason) for why, reason in again.items() if why is not Again.TESTS),
        (contradicting, f"the review contradicts its verdict again, which counts as REJECT: {_quoted(facts)}"),
        *((True, reason) for reason in _why_unsound(facts)),
        (unseen, f"a person changed files during the review, which has not seen them: {listed(unseen)}"),
    )


def is_asked_again(facts: Facts, limits: Limits) -> bool:
    """Whether the review is asked for again, which rejects nothing: an answer is missing, or it cannot be followed."""
    if faults(facts.observed):
        return False
    open_ = {*(each.missing for each in unanswered(facts)), *facts.weighed.unanswered}
    is_incomplete = bool(open_) and open_.issuperset(qa_missing(facts, limits))
    is_outdated = bool(facts.observed.changes.unseen) and facts.claimed.review is Review.APPROVE
    return is_incomplete or is_outdated or bool(why_again(facts)) or bool(_why_unsound(facts))


def why_again(facts: Facts) -> Mapping[Again, str]:
    """Why a review is asked for once more; each reason counts once. A clear rejection is followed at once."""
    claim, weighed = facts.claimed, facts.weighed
    if claim.failure or not_met(facts) or weighed.unjustified:
        return {}
    files = listed(f"{request.file} ({request.id})" for request in weighed.unfounded)
    quoted = _quoted(facts)
    is_approved = claim.review is Review.APPROVE and not _blocking(facts)
    found = {
        Again.PACKETS: "" if claim.report.has_packets else NO_PACKETS,
        Again.CONTRADICTION: f"the review contradicts its verdict {claim.review}: {quoted}; {DECIDE}" if quoted else "",
        Again.FILES: f"the review names files that do not exist: {files}; cite the file and the line" if files else "",
        Again.TESTS: "; ".join(weighed.unanswered) if is_approved else "",
    }
    return {why: reason for why, reason in found.items() if reason and why not in weighed.asked}


def contradictions(facts: Facts) -> tuple[str, ...]:
    """The sentences that contradict the approval of a review, quoted."""
    claim, unnamed = facts.claimed, _unnamed(facts)
    if claim.review is not Review.APPROVE:
        return ()
    return (
        *claim.contradictions,
        *claim.report.shut,
        *_unmet_answers(facts),
        *applying((unnamed, f"critical or major findings without a FixRequest: {unnamed}")),
    )


def _quoted(facts: Facts) -> str:
    return "; ".join(f"'{quote}'" for quote in contradictions(facts))


def _unmet_answers(facts: Facts) -> Iterator[str]:
    """Answers 'not met' about criteria that tests or checks prove; those to review reject by themselves."""
    by_review = {id_parts(each.id): each.kind is Kind.REVIEW for each in facts.observed.criteria}
    for answer in facts.claimed.answers:
        if not answer.met and by_review.get(id_parts(answer.id)) is False:
            yield " ".join(filter(None, (f"{answer.id}: not met", answer.place, answer.reason)))


def _blocking(facts: Facts) -> int:
    """Count critical and major findings; one without a FixRequest cites no line and counts in the first review only."""
    return len(facts.weighed.blocking) + (_unnamed(facts) if facts.weighed.is_first else 0)


def _unnamed(facts: Facts) -> int:
    """Count critical and major findings that the review gives no FixRequest for."""
    claim = facts.claimed
    return max(0, claim.blocking_findings - len(blocking_findings(claim.report.findings)))


def _why_unsound(facts: Facts) -> tuple[str, ...]:
    """Why a rejecting review is asked for again instead of being followed."""
    claim = facts.claimed
    is_clear = not_met(facts) or facts.weighed.unjustified or contradictions(facts)
    if is_clear or (claim.review is Review.APPROVE and not _blocking(facts)):
        return ()
    if claim.report.errors and facts.iteration == 1 and not facts.weighed.blocking:
        return tuple(f"the review's FixRequests cannot be followed: {error}" for error in claim.report.errors)
    if facts.weighed.is_first or facts.weighed.counting:
        return ()
    named = [f"{request.id} ({request.file})" for request in facts.weighed.advice]
    advice = f"; kept as advice: {listed(named)}" if named else ""
    return (f"a later rejection must ask again for an open FixRequest, by its id, or cite a line that changed{advice}",)
