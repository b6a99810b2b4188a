"""Facts -> the fixes that a rejecting review asks for, in its requests, answers, contradictions or reason."""

from collections.abc import Iterator

from dualgate.core.gates.criteria import not_met
from dualgate.core.gates.qa import contradictions
from dualgate.core.said.findings import implied_fix, implied_fixes
from dualgate.core.values.claim import Review
from dualgate.core.values.facts import Facts
from dualgate.core.values.fix_request import FixRequest
from dualgate.core.values.replacing import replace


def fixes_asked(facts: Facts) -> tuple[FixRequest, ...]:
    """The fixes that a rejecting review asks for, in its requests, answers and contradictions, else in its reason."""
    claim = facts.claimed
    asked = placed_fixes(facts)
    if claim.review is Review.APPROVE and not any(request.is_blocking for request in asked):
        asked = (*asked, *implied_fixes(contradictions(facts), asked))
    elif claim.review is not Review.APPROVE and not asked:
        asked = (implied_fix(claim.recommendation),)
    return asked


def placed_fixes(facts: Facts) -> tuple[FixRequest, ...]:
    """The fixes that a review asks for by itself, each at its place."""
    return (*facts.weighed.counting, *_unmet_fixes(facts), *facts.weighed.unjustified)


def _unmet_fixes(facts: Facts) -> Iterator[FixRequest]:
    """The fixes for criteria that the reviewer says are not met; they are work for those who implement."""
    for each in not_met(facts):
        yield replace(implied_fix(each.missing), id=each.id, location=" ".join(each.proof) or "the whole work")
