"""CheckResults -> findings and the return to GREEN: a check that is broken is a finding, until it passes again."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from dualgate.core.evidence.checks import check_results
from dualgate.core.machine.moves import reject
from dualgate.core.said.review import NO_FILE, looks_like_test
from dualgate.core.values.checks import CheckEnded, CheckResult, CheckRun, ChecksFailed, CheckState, Purpose
from dualgate.core.values.fix_request import CATEGORY_ROUTES, FixCategory, FixConfidence, FixRequest, FixSeverity
from dualgate.core.values.replacing import replace
from dualgate.core.values.reviews import Finding, FindingState, Reviews
from dualgate.core.values.state import LoopState
from dualgate.core.values.verdict import Outcome, Verdict

_CATEGORIES = {
    Purpose.LINT: FixCategory.STYLE,
    Purpose.FORMAT: FixCategory.STYLE,
    Purpose.TYPES: FixCategory.TYPE_SAFETY,
    Purpose.BUILD: FixCategory.INTEGRATION,
    Purpose.COVERAGE: FixCategory.ERROR_HANDLING,
}


def held_back(state: LoopState, runs: Sequence[CheckRun], at: datetime) -> ChecksFailed | None:
    """The return to GREEN for checks that are broken on the tree to be reviewed; None if the review can be made."""
    results = tuple(result for result in check_results(state, runs) if result.is_broken)
    if not results:
        return None
    verdict = held_verdict(results)
    return ChecksFailed(at=at, results=results, verdict=verdict, move=reject(state, verdict))


def held_verdict(results: Iterable[CheckResult]) -> Verdict:
    reasons = tuple(result.sentence for result in results)
    return Verdict(outcome=Outcome.REJECT, gate_1=False, gate_2=False, reasons=reasons, blockers=reasons)


def check_changes(state: LoopState, event: CheckEnded) -> dict[str, Any]:
    """Keep the last result of each check, and close the finding of one that passes again."""
    found = check_results(state, [event.check]) if state.proof.start_tree else ()
    if not found:
        return {}
    (result,) = found
    others = tuple(each for each in state.check_results if each.command != result.command)
    changes: dict[str, Any] = {"check_results": (*others, result)}
    if result.state is CheckState.PASSES:
        changes["reviews"] = _closed(state.reviews, result, event.at)
    return changes


def with_results(state: LoopState, runs: Iterable[CheckRun], at: datetime) -> LoopState:
    for run in runs:
        state = replace(state, **check_changes(state, CheckEnded(at=at, check=run)))
    return state


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


def _closed(reviews: Reviews, result: CheckResult, at: datetime) -> Reviews:
    is_its = [each.state is FindingState.OPEN and each.request.id == _finding_id(result) for each in reviews.findings]
    if not any(is_its):
        return reviews
    closed = tuple(
        replace(each, state=FindingState.CLOSED, closed_at=at, closed_by=result.name) if own else each
        for each, own in zip(reviews.findings, is_its, strict=True)
    )
    return replace(reviews, findings=closed)
