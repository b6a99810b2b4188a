"""Facts -> Verdict. Gate 1 from evidence alone, gate 2 the explicit signal, both in this iteration."""

from collections.abc import Callable, Iterable, Sequence

from dualgate.core.evidence.facts import ADR_PATH
from dualgate.core.evidence.selection import REPEATS_NEEDED
from dualgate.core.gates.build import PARTIAL, build_exit, build_missing
from dualgate.core.gates.reactions import Response, response_to
from dualgate.core.said.review import blocking_findings
from dualgate.core.said.words import signature_hash
from dualgate.core.values.claim import Review
from dualgate.core.values.facts import Facts, Observed
from dualgate.core.values.limits import Limits
from dualgate.core.values.suite import CaseResult, short_id
from dualgate.core.values.verdict import Marks, Outcome, Verdict
from dualgate.core.values.vocabulary import Decision, Phase, WorkStatus

NAMES_SHOWN = 5


KEPT = "tests were proven for criteria that did not change, and must stay"
ALREADY_MET = (
    "seems to be met already: its new tests pass before any work; write one that fails, "
    "or let a person take it out of the specification or skip RED",
    "seem to be met already: their new tests pass before any work; write some that fail, "
    "or let a person take them out of the specification or skip RED",
)
"""Of one criterion, and of several."""


STANDS = (
    "tests stand on it that were proven for criteria which did not change; leave what was there as it was, "
    "and put what new tests need beside it, under names of its own"
)


def judge(facts: Facts, limits: Limits) -> Verdict:
    missing = GATES[facts.phase](facts, limits)
    violations = tuple(f"{v.path}: {v.rule}" for v in facts.observed.changes.violations)
    gate_1 = not missing and not violations
    gate_2 = facts.claimed.exit_signal
    silence = () if gate_2 else _why_no_signal(facts)
    return Verdict(
        outcome=_build_outcome(facts, limits) if facts.phase is Phase.BUILD else _outcome(facts, gate_1 and gate_2),
        gate_1=gate_1,
        gate_2=gate_2,
        reasons=(*violations, *missing, *silence),
        warnings=_warnings(facts),
        blockers=(*violations, *missing),
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
        passing=seen.counts.passed if is_whole and not seen.partial else None,
        failing=len(seen.failing) if is_whole else None,
        documents=len(seen.changes.documents),
        ticked=len(seen.plan.done) if seen.plan else 0,
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
    by_name = len(seen.uncovered) < facts.criteria and not _stands_in(seen)
    return _said(
        (seen.problems, _each(seen.problems)),
        (seen.partial, PARTIAL),
        (unreadable, f"these test files cannot be collected: {_listed(unreadable, facts.suites)}"),
        (seen.broken, f"tests that passed before fail now and were not changed: {_listed(seen.broken, facts.suites)}"),
        (seen.met, f"{_listed(seen.met)} {ALREADY_MET[len(seen.met) > 1]}"),
        (seen.unkept, f"{KEPT}: {_listed(seen.unkept, facts.suites)}"),
        (seen.changes.disturbed, f"{_listed(seen.changes.disturbed)}: {STANDS}"),
        (by_name and seen.uncovered, f"no failing new test names {_listed(seen.uncovered)}"),
        (
            len(seen.red) < facts.criteria,
            f"{facts.criteria} criteria need as many new or changed tests that fail; there are {len(seen.red)}",
        ),
    )


def _stands_in(seen: Observed) -> bool:
    """A changed requirement changes tests that are named after something else; each may stand for one criterion."""
    return 0 < len(seen.uncovered) <= len(seen.nameless)


def _green(facts: Facts, limits: Limits) -> tuple[str, ...]:
    seen = facts.observed
    is_repeated = seen.green_runs > 0 and seen.repeats >= REPEATS_NEEDED
    short = seen.green_runs < limits.green_runs and not is_repeated
    made = f"green runs of this tree: {seen.green_runs}"
    reason = f"{made}; {limits.green_runs} are needed, the next is made on your signal"
    return _still_green(facts) or _said((short, reason))


def _still_green(facts: Facts) -> tuple[str, ...]:
    seen = facts.observed
    failing = [result.id for result in seen.failing]
    nothing = not seen.problems and seen.counts.passed == 0
    return _said(
        (seen.problems, _each(seen.problems)),
        (failing, f"{len(failing)} failing: {_listed(failing, facts.suites)}"),
        (seen.vanished, f"tests are gone that were there: {_listed(seen.vanished, facts.suites)}"),
        (seen.newly_skipped, f"tests are skipped that ran before: {_listed(seen.newly_skipped, facts.suites)}"),
        (seen.altered, f"proven tests have other code now: {_listed(seen.altered, facts.suites)}"),
        (nothing, "not one test passes"),
        (seen.partial, PARTIAL),
    )


def _refactor(facts: Facts, limits: Limits) -> tuple[str, ...]:
    """A signal ends it only in an iteration that the loop itself saw green, so that the last one is verified."""
    is_over = facts.iteration >= limits.refactor_iterations
    is_complete = facts.claimed.reported.no_refactoring or facts.claimed.exit_signal
    goes_on = f"refactoring is not said to be complete, and {limits.refactor_iterations} iterations are not over"
    return _still_green(facts) or _said((not is_over and not is_complete, goes_on))


def breaks_tests(facts: Facts) -> bool:
    """Whether what a refactoring changed has to go: the tests were green before it and are not any more."""
    seen = facts.observed
    return facts.phase is Phase.REFACTOR and bool(seen.changes.paths) and not _is_green(seen)


def _document(facts: Facts, limits: Limits) -> tuple[str, ...]:
    documents = facts.observed.changes.documents
    has_adr = any(ADR_PATH.search(path) for path in documents)
    return _still_green(facts) + _said(
        (
            len(documents) < limits.documents,
            f"{limits.documents} documents must be new or changed; there are {len(documents)}",
        ),
        (limits.adr_required and not has_adr, "none of the documents is a decision record (docs/adr/…)"),
    )


def _qa(facts: Facts) -> tuple[str, ...]:
    claim, blocking = facts.claimed, _blocking(facts)
    return _still_green(facts) + _said(
        (
            claim.review is None,
            "the review gives no line 'Verdict: APPROVE' or 'Verdict: REJECT', which counts as REJECT",
        ),
        (claim.review is Review.REJECT, f"the review says REJECT: {claim.recommendation or 'no reason given'}"),
        (blocking, f"the review has {blocking} critical or major finding{'' if blocking == 1 else 's'}"),
        *((True, reason) for reason in _unsound(facts)),
    )


def _blocking(facts: Facts) -> int:
    """Critical and major findings that count. What no FixRequest names cites no line, and counts the first time."""
    claim = facts.claimed
    unnamed = max(0, claim.blocking_findings - len(blocking_findings(claim.report.findings)))
    return len(facts.weighed.blocking) + (unnamed if facts.weighed.is_first else 0)


def _unsound(facts: Facts) -> tuple[str, ...]:
    """Why a review that does not approve is asked for again instead of being followed."""
    claim = facts.claimed
    if claim.review is Review.APPROVE and not _blocking(facts):
        return ()
    if claim.report.errors and facts.iteration == 1:
        return tuple(f"the review's FixRequests cannot be followed: {error}" for error in claim.report.errors)
    if facts.weighed.is_first or facts.weighed.counting:
        return ()
    named = [f"{request.id} ({request.file})" for request in facts.weighed.advice]
    advice = f"; kept as advice: {_listed(named)}" if named else ""
    return (f"a later rejection must ask again for an open FixRequest, by its id, or cite a line that changed{advice}",)


GATES: dict[Phase, Callable[[Facts, Limits], tuple[str, ...]]] = {
    Phase.RED: lambda facts, _: _red(facts),
    Phase.GREEN: _green,
    Phase.REFACTOR: _refactor,
    Phase.DOCUMENT: _document,
    Phase.QA: lambda facts, _: _qa(facts),
    Phase.BUILD: build_missing,
}

# what a failed call means by itself; how often a call may fail is the machine's to count
OF_FAILURES = {
    Response.WAIT: Outcome.LIMITED,
    Response.RETRY: Outcome.RETRY,
    Response.SHRINK: Outcome.RETRY,
    Response.NUDGE: Outcome.RETRY,
    Response.GIVE_UP: Outcome.BLOCK,
}

# the analyzer's decision on BUILD, as a move of the phase
BUILD_OUTCOMES = {
    Decision.PROJECT_COMPLETE: Outcome.PASS,
    Decision.BLOCKED: Outcome.BLOCK,
}


def _outcome(facts: Facts, both: bool) -> Outcome:
    claim, seen = facts.claimed, facts.observed
    if claim.failure and (response := response_to(claim.failure, bool(seen.changes.paths))):
        return OF_FAILURES[response]
    if both:
        return Outcome.PASS
    if claim.status is WorkStatus.BLOCKED:
        at_once = facts.blocked_before or (claim.denied and not seen.changes.paths)
        return Outcome.BLOCK if at_once else Outcome.STAY
    if facts.phase is Phase.QA and not seen.changes.violations and _qa(facts):
        return Outcome.STAY if _unsound(facts) and not _still_green(facts) else Outcome.REJECT
    return Outcome.STAY


def _build_outcome(facts: Facts, limits: Limits) -> Outcome:
    decision = build_exit(facts, limits).decision
    failure = facts.claimed.failure
    response = response_to(failure, bool(facts.observed.changes.paths)) if failure else None
    return OF_FAILURES[response] if response else BUILD_OUTCOMES.get(decision, Outcome.STAY)


def _why_no_signal(facts: Facts) -> tuple[str, ...]:
    claim = facts.claimed
    if claim.failure:
        return (f"the call failed: {claim.failure.sentence}", *claim.problems)
    if claim.status is WorkStatus.BLOCKED:
        return (f"the agent says it is blocked: {claim.recommendation or 'no reason given'}",)
    return claim.problems or ("the agent does not say EXIT_SIGNAL: true",)


def _warnings(facts: Facts) -> tuple[str, ...]:
    unlinked = facts.phase is Phase.RED and facts.criteria > 0 and len(facts.observed.uncovered) == facts.criteria
    linked = facts.phase is Phase.RED and not unlinked and _stands_in(facts.observed)
    changed = _listed(facts.observed.nameless, facts.suites)
    return _said(
        (unlinked and facts.observed.red, "no test names a criterion, so only their number was compared"),
        (linked, f"no failing test names {_listed(facts.observed.uncovered)}; changed tests stand for it: {changed}"),
        *((True, note) for note in facts.observed.notes),
        *((not checked.holds, checked.sentence) for checked in facts.checked),
        *((True, warning) for warning in facts.claimed.report.warnings),
        *((True, f"advice, which rejects nothing: {r.id} {r.file}, {r.description}") for r in facts.weighed.advice),
    )


def _is_green(seen: Observed) -> bool:
    wrong = seen.problems or seen.failing or seen.vanished or seen.newly_skipped or seen.altered
    return not (wrong or seen.partial)


def _said(*pairs: tuple[object, str]) -> tuple[str, ...]:
    return tuple(text for applies, text in pairs if applies)


def _each(texts: Iterable[str]) -> str:
    return "; ".join(texts)


def _listed(names: Iterable[str], suites: Sequence[str] = ()) -> str:
    names = [short_id(name, suites) for name in names]
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return ", ".join(names[:NAMES_SHOWN]) + more
