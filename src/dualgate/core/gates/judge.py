"""Facts -> Verdict. Gate 1 from evidence alone, gate 2 the explicit signal, both in this iteration."""

from collections.abc import Callable

from dualgate.core.evidence.green import faults
from dualgate.core.gates.build import build_exit, build_missing, nudge
from dualgate.core.gates.document import document_missing
from dualgate.core.gates.green import green_missing
from dualgate.core.gates.qa import is_asked_again, qa_missing
from dualgate.core.gates.reactions import Response, response_to
from dualgate.core.gates.red import red_missing
from dualgate.core.gates.refactor import refactor_missing
from dualgate.core.gates.rewriting import rewriting_missing
from dualgate.core.said.follow_up import supposing_signal
from dualgate.core.said.signature import signature_hash
from dualgate.core.values.facts import Facts
from dualgate.core.values.fix_request import FixRequest
from dualgate.core.values.limits import Limits
from dualgate.core.values.notation import applying, listed
from dualgate.core.values.replacing import replace
from dualgate.core.values.specification import CriterionStatus
from dualgate.core.values.suite import CaseResult, short_id
from dualgate.core.values.verdict import Marks, Outcome, Verdict
from dualgate.core.values.vocabulary import Decision, Phase, WorkStatus

GATES: dict[Phase, Callable[[Facts, Limits], tuple[str, ...]]] = {
    Phase.RED: red_missing,
    Phase.GREEN: green_missing,
    Phase.REFACTOR: refactor_missing,
    Phase.DOCUMENT: document_missing,
    Phase.QA: qa_missing,
    Phase.BUILD: build_missing,
}
"""For each phase, a function that lists what keeps gate 1 shut, without violations."""


def judge(facts: Facts, limits: Limits) -> Verdict:
    gate = rewriting_missing if facts.rewriting else GATES[facts.phase]
    missing = gate(facts, limits)
    violations = tuple(f"{v.path}: {v.rule}" for v in facts.observed.changes.violations)
    gate_1 = not missing and not violations
    gate_2 = facts.claimed.exit_signal
    circling = nudge(facts, limits) if facts.phase is Phase.BUILD else ()
    silence = () if gate_2 else _why_no_signal(facts)
    return Verdict(
        outcome=_outcome(facts, limits, gate_1 and gate_2),
        gate_1=gate_1,
        gate_2=gate_2,
        reasons=(*violations, *missing, *circling, *silence),
        warnings=_warnings(facts),
        blockers=(*violations, *missing),
    )


def needs_only_block(facts: Facts, limits: Limits) -> bool:
    """Whether the status block alone keeps the phase from ending: with it, both gates could be open."""
    claim = facts.claimed
    return claim.lacks_only_block and judge(replace(facts, claimed=supposing_signal(claim)), limits).gate_1


def measure(facts: Facts) -> Marks:
    """Measure the marks from which the breaker sees progress."""
    seen = facts.observed
    failure, wrong = _failure_text(facts), _wrong(facts)
    # the counts of a run that broke off or could not read a file mean nothing
    is_whole = not seen.problems and not any(result.is_broken_file for result in seen.failing)
    return Marks(
        red=len(seen.red),
        covered=facts.criteria - len(seen.uncovered) + sum(r.state is CriterionStatus.HOLDS for r in seen.criteria),
        passing=seen.counts.passed if is_whole and not seen.partial else None,
        failing=len(seen.failing) if is_whole else None,
        documents=len(seen.changes.documents),
        ticked=seen.plan.ticked if seen.plan else 0,
        findings=facts.claimed.blocking_findings,
        checks=len(seen.broken_checks),
        changed=len(seen.changes.paths),
        verified=not faults(seen),
        error=signature_hash(failure) if failure else "",
        place=signature_hash("\n".join(f"{r.id} {r.kind}" for r in wrong)) if wrong and is_whole else "",
        judged_before=seen.judged_before,
    )


def _failure_text(facts: Facts) -> str:
    """Describe the failures. In RED a failing new test is the aim and not a failure."""
    return "\n".join((*facts.observed.problems, *(f"{r.id} {r.kind} {r.message}" for r in _wrong(facts))))


def _wrong(facts: Facts) -> list[CaseResult]:
    seen = facts.observed
    return [r for r in seen.failing if facts.phase is not Phase.RED or r.is_broken_file or r.id in seen.broken]


# the outcome of one failed call; the machine counts how often a call may fail
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
    Decision.STUCK: Outcome.STUCK,
}


def _outcome(facts: Facts, limits: Limits, both: bool) -> Outcome:
    claim, seen = facts.claimed, facts.observed
    if claim.failure and (response := response_to(claim.failure, bool(seen.changes.paths))):
        return OF_FAILURES[response]
    if facts.phase is Phase.BUILD:
        return BUILD_OUTCOMES.get(build_exit(facts, limits).decision, Outcome.STAY)
    if both:
        return Outcome.WEAK if seen.weak and facts.rewrites_left else Outcome.PASS
    if facts.rewriting and facts.rewrites_left <= 1:
        return Outcome.UNREWRITTEN
    return _shut(facts, limits)


def _shut(facts: Facts, limits: Limits) -> Outcome:
    """The outcome if a gate is shut."""
    claim, changes = facts.claimed, facts.observed.changes
    if claim.status is WorkStatus.BLOCKED:
        at_once = facts.past.blocked or (claim.denied and not changes.paths)
        return Outcome.BLOCK if at_once else Outcome.STAY
    if facts.phase is Phase.QA and not changes.violations and qa_missing(facts, limits):
        return Outcome.STAY if is_asked_again(facts, limits) else Outcome.REJECT
    return Outcome.STAY


def _why_no_signal(facts: Facts) -> tuple[str, ...]:
    claim = facts.claimed
    if claim.failure:
        return (f"the call failed: {claim.failure.sentence}", *claim.problems)
    if claim.status is WorkStatus.BLOCKED:
        return (f"the agent says it is blocked: {claim.recommendation or 'no reason given'}",)
    return claim.problems or ("the agent does not say EXIT_SIGNAL: true",)


def advice_warning(request: FixRequest) -> str:
    return f"advice, no reason to reject: {request.id} {request.file}, {request.description}"


def _warnings(facts: Facts) -> tuple[str, ...]:
    unlinked = facts.phase is Phase.RED and facts.criteria > 0 and len(facts.observed.uncovered) == facts.criteria
    linked = facts.phase is Phase.RED and not unlinked and facts.observed.has_stand_ins
    changed = listed(short_id(name, facts.suites) for name in facts.observed.nameless)
    return applying(
        (
            unlinked and facts.observed.red and not facts.observed.asks,
            "no test names a criterion, so only the number of tests was compared",
        ),
        (linked, f"no failing test names {listed(facts.observed.uncovered)}; changed tests count instead: {changed}"),
        *((True, note) for note in facts.observed.notes),
        *((not checked.holds, checked.sentence) for checked in facts.checked),
        *((True, warning) for warning in facts.claimed.report.warnings),
        *((True, advice_warning(request)) for request in facts.weighed.advice),
    )
