"""Facts -> which criteria and broken checks keep a gate shut."""

from dualgate.core.values.facts import Facts
from dualgate.core.values.specification import CriterionResult, CriterionStatus, Kind


def criteria_missing(facts: Facts) -> tuple[str, ...]:
    return tuple(each.missing for each in facts.observed.criteria if each.missing)


def checks_missing(facts: Facts) -> tuple[str, ...]:
    """Checks that passed before any work and fail now. They are fixed in REFACTOR at the latest."""
    return tuple(result.sentence for result in facts.observed.broken_checks)


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
