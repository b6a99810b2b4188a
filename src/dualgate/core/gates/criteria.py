"""Facts -> which criteria keep a gate shut after RED: those to keep, the checks, and in QA those to review."""

from dualgate.core.values.facts import Facts
from dualgate.core.values.specification import CriterionResult, CriterionStatus, Kind


def criteria_missing(facts: Facts) -> tuple[str, ...]:
    return tuple(each.missing for each in facts.observed.criteria if each.missing)


def unanswered(facts: Facts) -> tuple[CriterionResult, ...]:
    """Criteria that the review must answer, with a file and a line, and did not."""
    return tuple(
        each
        for each in facts.observed.criteria
        if each.missing and each.kind is Kind.REVIEW and each.state is CriterionStatus.NOT_REVIEWED
    )


def not_met(facts: Facts) -> tuple[CriterionResult, ...]:
    """Criteria that the reviewer says are not met."""
    return tuple(each for each in facts.observed.criteria if each.state is CriterionStatus.NOT_MET and each.missing)
