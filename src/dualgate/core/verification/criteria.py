"""Specification, Measured -> each criterion with its proof, and findings on those without one."""

from collections.abc import Iterable, Iterator

from dualgate.core.evidence.checks import why_failed
from dualgate.core.values.case_names import names
from dualgate.core.values.notation import in_line
from dualgate.core.values.specification import Criterion, CriterionStatus, Kind
from dualgate.core.values.suite import IDLE, CaseResult, short_id
from dualgate.core.values.verification import CriterionProof, Finding, Rule, Weight
from dualgate.core.verification.measured import Measured

TEXT_SHOWN = 80
PROVEN = frozenset({CriterionStatus.GREEN, CriterionStatus.HOLDS, CriterionStatus.PASSES})
_WORDS = {
    CriterionStatus.NO_TEST: "no test names it",
    CriterionStatus.FAILING: "its test fails",
    CriterionStatus.NOT_RUN: "its test is skipped, or its command is not one of [checks] of the base",
    CriterionStatus.FAILS: "its command has another result",
    CriterionStatus.NOT_REVIEWED: "only a review can show it",
}


def criterion_proofs(seen: Measured) -> tuple[CriterionProof, ...]:
    """All criteria of the specification, in its order."""
    return tuple(_proof(criterion, seen) for criterion in seen.criteria)


def _proof(criterion: Criterion, seen: Measured) -> CriterionProof:
    tests = [result for result in seen.head.results if names(result, criterion)]
    return CriterionProof(
        id=criterion.id,
        text=criterion.text,
        kind=criterion.kind,
        state=_state(criterion, tests, seen),
        tests=tuple(short_id(result.id, seen.suites) for result in tests),
    )


def _state(criterion: Criterion, tests: Iterable[CaseResult], seen: Measured) -> CriterionStatus:
    match criterion.kind:
        case Kind.REVIEW:
            return CriterionStatus.NOT_REVIEWED
        case Kind.CHECK if criterion.command:
            return _of_command(criterion, seen)
        case Kind.NEW | Kind.KEEP | Kind.CHECK:
            return _of_tests(tests, seen)


def _of_command(criterion: Criterion, seen: Measured) -> CriterionStatus:
    run = seen.commands.get(criterion.command)
    if run is None:
        return CriterionStatus.NOT_RUN
    return CriterionStatus.FAILS if why_failed(criterion, run) else CriterionStatus.PASSES


def _of_tests(tests: Iterable[CaseResult], seen: Measured) -> CriterionStatus:
    found = list(tests)
    if not found:
        return CriterionStatus.NO_TEST
    if any(result.failed for result in found):
        return CriterionStatus.FAILING
    if all(result.outcome in IDLE for result in found):
        return CriterionStatus.NOT_RUN
    is_shown = any(result.id in seen.shown for result in found)
    return CriterionStatus.GREEN if is_shown else CriterionStatus.HOLDS


def unproven_criteria(seen: Measured) -> Iterator[Finding]:
    """Criteria without proof. What only a review can show is a note."""
    for proof in criterion_proofs(seen):
        if proof.state in PROVEN:
            continue
        text = f"{proof.id} ({in_line(proof.text)[:TEXT_SHOWN]}): {_WORDS[proof.state]}"
        weight = Weight.NOTE if proof.state is CriterionStatus.NOT_REVIEWED else Weight.NOT_PROVEN
        yield Finding(rule=Rule.CRITERION, weight=weight, text=text, subject=proof.id)
