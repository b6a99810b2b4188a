"""Facts -> Verdict. Gate 1 from evidence alone, gate 2 the explicit signal, both in this iteration."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from dualgate.core.answer import LIMITS, NEEDS_A_PERSON, Failure
from dualgate.core.blocks import WorkStatus
from dualgate.core.breaker import Marks
from dualgate.core.facts import ADR_PATH, GREEN_RUNS_NEEDED, Facts, Observed
from dualgate.core.response import Review
from dualgate.core.signature import signature_hash
from dualgate.core.suite import CaseResult
from dualgate.core.vocabulary import Phase

DOCUMENTS_NEEDED = 3
NAMES_SHOWN = 5


class Outcome(StrEnum):
    """What the gates say of one iteration."""

    PASS = "pass"
    STAY = "stay"
    REJECT = "reject"
    RETRY = "retry"
    LIMITED = "limited"
    BLOCK = "block"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """`reasons` say what keeps a gate shut, evidence first; empty where both are open."""

    outcome: Outcome
    gate_1: bool
    gate_2: bool
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def judge(facts: Facts) -> Verdict:
    missing = GATES[facts.phase](facts)
    violations = tuple(f"{v.path}: {v.rule}" for v in facts.observed.changes.violations)
    gate_1 = not missing and not violations
    gate_2 = facts.claimed.exit_signal
    silence = () if gate_2 else _why_no_signal(facts)
    return Verdict(
        outcome=_outcome(facts, gate_1 and gate_2),
        gate_1=gate_1,
        gate_2=gate_2,
        reasons=(*violations, *missing, *silence),
        warnings=_warnings(facts),
    )


def measure(facts: Facts) -> Marks:
    """The marks by which the breaker knows progress."""
    seen = facts.observed
    failure, wrong = _failure_text(facts), _wrong(facts)
    # of a run that broke off, or could not read a file, the counts say nothing
    is_whole = not seen.problems and not any(result.is_broken_file for result in seen.failing)
    return Marks(
        red=len(seen.red),
        covered=facts.criteria - len(seen.uncovered),
        passing=seen.counts.passed if is_whole else None,
        failing=len(seen.failing) if is_whole else None,
        documents=len(seen.changes.documents),
        findings=facts.claimed.blocking_findings,
        changed=len(seen.changes.paths),
        verified=_is_green(seen),
        error=signature_hash(failure) if failure else "",
        place=signature_hash("\n".join(f"{r.id} {r.kind}" for r in wrong)) if wrong and is_whole else "",
    )


def _failure_text(facts: Facts) -> str:
    """What went wrong, in words. In RED a failing new test is the aim and no failure."""
    return "\n".join((*facts.observed.problems, *(f"{r.id} {r.kind} {r.message}" for r in _wrong(facts))))


def _wrong(facts: Facts) -> list[CaseResult]:
    seen = facts.observed
    return [r for r in seen.failing if facts.phase is not Phase.RED or r.is_broken_file or r.id in seen.broken]


def _red(facts: Facts) -> tuple[str, ...]:
    seen = facts.observed
    unreadable = [result.id for result in seen.failing if result.is_broken_file]
    by_name = len(seen.uncovered) < facts.criteria
    return _said(
        (seen.problems, _each(seen.problems)),
        (unreadable, f"these test files cannot be collected: {_listed(unreadable)}"),
        (seen.broken, f"tests that passed before fail now and were not changed: {_listed(seen.broken)}"),
        (by_name and seen.uncovered, f"no failing new test names {_listed(seen.uncovered)}"),
        (
            len(seen.red) < facts.criteria,
            f"{facts.criteria} criteria need as many new or changed tests that fail; there are {len(seen.red)}",
        ),
    )


def _green(facts: Facts) -> tuple[str, ...]:
    short = facts.observed.green_runs < GREEN_RUNS_NEEDED
    reason = f"one green run so far; {GREEN_RUNS_NEEDED} of one tree are needed, the second is made on your signal"
    return _still_green(facts) or _said((short, reason))


def _still_green(facts: Facts) -> tuple[str, ...]:
    seen = facts.observed
    failing = [result.id for result in seen.failing]
    nothing = not seen.problems and seen.counts.passed == 0
    return _said(
        (seen.problems, _each(seen.problems)),
        (failing, f"{len(failing)} failing: {_listed(failing)}"),
        (seen.vanished, f"tests are gone that were there: {_listed(seen.vanished)}"),
        (seen.newly_skipped, f"tests are skipped that ran before: {_listed(seen.newly_skipped)}"),
        (seen.altered, f"proven tests have other code now: {_listed(seen.altered)}"),
        (nothing, "not one test passes"),
    )


def _document(facts: Facts) -> tuple[str, ...]:
    documents = facts.observed.changes.documents
    has_adr = any(ADR_PATH.search(path) for path in documents)
    return _still_green(facts) + _said(
        (
            len(documents) < DOCUMENTS_NEEDED,
            f"{DOCUMENTS_NEEDED} documents must be new or changed; there are {len(documents)}",
        ),
        (not has_adr, "none of the documents is a decision record (docs/adr/…)"),
    )


def _qa(facts: Facts) -> tuple[str, ...]:
    claim = facts.claimed
    return _still_green(facts) + _said(
        (
            claim.review is None,
            "the review gives no line 'Verdict: APPROVE' or 'Verdict: REJECT', which counts as REJECT",
        ),
        (claim.review is Review.REJECT, f"the review says REJECT: {claim.recommendation or 'no reason given'}"),
        (claim.blocking_findings, f"the review has {claim.blocking_findings} critical or major findings"),
    )


GATES: dict[Phase, Callable[[Facts], tuple[str, ...]]] = {
    Phase.RED: _red,
    Phase.GREEN: _green,
    Phase.REFACTOR: _still_green,
    Phase.DOCUMENT: _document,
    Phase.QA: _qa,
    Phase.BUILD: _still_green,
}


def _outcome(facts: Facts, both: bool) -> Outcome:
    claim, seen = facts.claimed, facts.observed
    if claim.failure and (outcome := _of_failure(claim.failure, bool(seen.changes.paths))):
        return outcome
    if both:
        return Outcome.PASS
    if claim.status is WorkStatus.BLOCKED:
        at_once = facts.blocked_before or (claim.denied and not seen.changes.paths)
        return Outcome.BLOCK if at_once else Outcome.STAY
    if facts.phase is Phase.QA and not seen.changes.violations and _qa(facts):
        return Outcome.REJECT
    return Outcome.STAY


def _of_failure(failure: Failure, left_work: bool) -> Outcome | None:
    """What a failed call means by itself. One that changed files is judged by its work, a limit is waited for."""
    if failure.kind in LIMITS:
        return Outcome.LIMITED
    if failure.kind in NEEDS_A_PERSON:
        return Outcome.BLOCK
    return None if left_work else Outcome.RETRY


def _why_no_signal(facts: Facts) -> tuple[str, ...]:
    claim = facts.claimed
    if claim.failure:
        return (f"the call failed: {claim.failure.sentence}", *claim.problems)
    if claim.status is WorkStatus.BLOCKED:
        return (f"the agent says it is blocked: {claim.recommendation or 'no reason given'}",)
    return claim.problems or ("the agent does not say EXIT_SIGNAL: true",)


def _warnings(facts: Facts) -> tuple[str, ...]:
    unlinked = facts.phase is Phase.RED and facts.criteria > 0 and len(facts.observed.uncovered) == facts.criteria
    return _said(
        (unlinked and facts.observed.red, "no test names a criterion, so only their number was compared"),
        *((not checked.holds, checked.sentence) for checked in facts.checked),
    )


def _is_green(seen: Observed) -> bool:
    return not (seen.problems or seen.failing or seen.vanished or seen.newly_skipped or seen.altered)


def _said(*pairs: tuple[object, str]) -> tuple[str, ...]:
    return tuple(text for applies, text in pairs if applies)


def _each(texts: Iterable[str]) -> str:
    return "; ".join(texts)


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return ", ".join(names[:NAMES_SHOWN]) + more
