"""CheckResult -> Finding: a check that is broken is a finding, until it passes again."""

from collections.abc import Iterable
from datetime import datetime

from dualgate.core.said.review import NO_FILE, looks_like_test
from dualgate.core.values.checks import CheckResult, Purpose
from dualgate.core.values.fix_request import CATEGORY_ROUTES, FixCategory, FixConfidence, FixRequest, FixSeverity
from dualgate.core.values.replacing import replace
from dualgate.core.values.reviews import Finding, FindingState, Reviews

_CATEGORIES = {
    Purpose.LINT: FixCategory.STYLE,
    Purpose.FORMAT: FixCategory.STYLE,
    Purpose.TYPES: FixCategory.TYPE_SAFETY,
    Purpose.BUILD: FixCategory.INTEGRATION,
    Purpose.COVERAGE: FixCategory.ERROR_HANDLING,
}


def with_broken(reviews: Reviews, results: Iterable[CheckResult], at: datetime) -> Reviews:
    """The findings with one for each broken check; one that was raised before is open again."""
    raised = [
        Finding(
            request=check_fix(result), state=FindingState.OPEN, review=reviews.count + 1, by=result.name, raised_at=at
        )
        for result in results
        if result.is_broken
    ]
    ids = {finding.request.id for finding in raised}
    return replace(reviews, findings=(*(each for each in reviews.findings if each.request.id not in ids), *raised))


def check_fix(result: CheckResult) -> FixRequest:
    """The FixRequest for a broken check."""
    category = _CATEGORIES[result.purpose] if result.purpose else FixCategory.ERROR_HANDLING
    code = [file for file in result.files if not looks_like_test(file)]
    return FixRequest(
        id=_finding_id(result),
        file=code[0] if code else NO_FILE,
        location=f"what `{result.command}` reports",
        severity=FixSeverity.MAJOR,
        category=category,
        description=result.sentence,
        proposed_fix=f"Run `{result.command}` and fix what it reports. The configuration of its tools is frozen.",
        verification_command=result.command,
        route_to=CATEGORY_ROUTES[category],
        confidence=FixConfidence.HIGH,
        rationale="It passed before any work.",
    )


def _finding_id(result: CheckResult) -> str:
    return f"CHECK-{result.name}"


def with_passing(reviews: Reviews, result: CheckResult, at: datetime) -> Reviews:
    """The findings after a check passed: its own is closed."""
    is_its = [each.state is FindingState.OPEN and each.request.id == _finding_id(result) for each in reviews.findings]
    if not any(is_its):
        return reviews
    closed = tuple(
        replace(each, state=FindingState.CLOSED, closed_at=at, closed_by=result.name) if own else each
        for each, own in zip(reviews.findings, is_its, strict=True)
    )
    return replace(reviews, findings=closed)
