"""Event -> Catch: what could have ended the run wrongly, in plain words. One catch for each turn."""

from collections.abc import Iterable

from dualgate.core.report.values import Catch, CatchKind, RunPoint
from dualgate.core.values.amendments import Amendment, AmendmentDecided, AmendmentOutcome
from dualgate.core.values.changes import REQUEST, Violation
from dualgate.core.values.checks import ChecksFailed
from dualgate.core.values.claim import Claim
from dualgate.core.values.events import Event, SuiteEnded, TurnEnded
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState
from dualgate.core.values.verdict import Outcome, is_no_iteration
from dualgate.core.values.vocabulary import Decision, Status

MOST_CAUGHT = 200
_TITLES = {
    CatchKind.FALSE_DONE: "The agent said “done”, and the evidence said no",
    CatchKind.FALSE_CLAIM: "The agent reported something that dualgate measured otherwise",
    CatchKind.VIOLATION: "The agent changed a file that the phase does not allow",
    CatchKind.FORGED_REQUEST: "A program inside the run sent a request in a person’s place",
    CatchKind.UNTRUSTED_RUN: "A test run could not be trusted",
    CatchKind.WEAK_TESTS: "Tests passed although dualgate broke the code on purpose",
    CatchKind.BROKEN_CODE: "A change broke tests that had passed",
    CatchKind.REJECTION: "The work passed its tests, and the review rejected it",
    CatchKind.BROKEN_CHECK: "A check that had passed before any work failed",
    CatchKind.REFUSED_AMENDMENT: "The agent asked to change a proven test, and the request was refused",
}
_FOLLOWED = {
    CatchKind.FALSE_DONE: "Gate 1 stayed shut. The agent had to continue.",
    CatchKind.FALSE_CLAIM: "A claim decides nothing. The agent got the measured value.",
    CatchKind.FORGED_REQUEST: "dualgate refused the request. This iteration cannot pass.",
    CatchKind.UNTRUSTED_RUN: "A run that is not trusted proves nothing.",
    CatchKind.BROKEN_CODE: "dualgate rolled the work tree back to the last green state.",
    CatchKind.REFUSED_AMENDMENT: "The test stayed as it was proven.",
}


def catch_of(event: Event, before: LoopState) -> Catch | None:
    """The faults that an event shows; `before` is the state before it."""
    match event:
        case TurnEnded():
            return _of_turn(event)
        case SuiteEnded(known=False, trial="") if event.report.problems:
            return _catch(CatchKind.UNTRUSTED_RUN, _point(event, before), found=event.report.problems)
        case ChecksFailed():
            broken = tuple(result.sentence for result in event.results)
            followed = f"The review was held back. The work returned to {event.move.phase}."
            return _catch(CatchKind.BROKEN_CHECK, _point(event, before), found=broken, followed=followed)
        case AmendmentDecided() if event.amendment.outcome is AmendmentOutcome.REFUSED:
            return _of_amendment(event.amendment, _point(event, before))
        case _:
            return None


def with_catch(caught: tuple[Catch, ...], new: Catch) -> tuple[Catch, ...]:
    """Add a catch; one that repeats the last is counted there."""
    last = caught[-1] if caught else None
    if last is not None and _same(last, new):
        return (*caught[:-1], replace(new, point=last.point, times=last.times + 1))
    return (*caught, new)


def _same(last: Catch, new: Catch) -> bool:
    same_place = (last.kind, last.point.phase) == (new.kind, new.point.phase)
    return same_place and (last.found, _paths(last.violations)) == (new.found, _paths(new.violations))


def _paths(violations: Iterable[Violation]) -> tuple[str, ...]:
    return tuple(violation.path for violation in violations)


def _point(event: Event, before: LoopState) -> RunPoint:
    return RunPoint(at=event.at, phase=before.phase, iteration=before.iteration + 1)


def _catch(
    kind: CatchKind,
    point: RunPoint,
    *,
    said: str = "",
    found: tuple[str, ...] = (),
    followed: str = "",
    violations: tuple[Violation, ...] = (),
) -> Catch:
    return Catch(
        kind=kind,
        point=point,
        title=_TITLES[kind],
        said=said,
        found=found,
        followed=followed or _FOLLOWED.get(kind, ""),
        violations=violations,
    )


def _of_amendment(amendment: Amendment, point: RunPoint) -> Catch:
    asked = ": ".join(filter(None, (amendment.request.test_id, amendment.request.reason)))
    return _catch(CatchKind.REFUSED_AMENDMENT, point, said=asked, found=amendment.reasons)


def _of_turn(turn: TurnEnded) -> Catch | None:
    kind = _kind_of(turn)
    if kind is None:
        return None
    facts, verdict = turn.facts, turn.verdict
    measured = tuple(claim.sentence for claim in facts.checked if not claim.holds)
    weak = tuple(f"{each.id}: {each.reason}" for each in facts.observed.weak) if kind is CatchKind.WEAK_TESTS else ()
    return _catch(
        kind,
        RunPoint(at=turn.at, phase=facts.phase, iteration=facts.iteration),
        said=_said(facts.claimed) if kind is not CatchKind.REJECTION else "",
        found=tuple(dict.fromkeys((*weak, *verdict.reasons, *measured))),
        followed=_followed(kind, turn),
        violations=facts.observed.changes.violations,
    )


def _kind_of(turn: TurnEnded) -> CatchKind | None:
    """The gravest kind that fits: one turn makes one story."""
    facts, verdict, decision = turn.facts, turn.verdict, turn.move.decision
    violations = facts.observed.changes.violations
    is_false = any(not claim.holds for claim in facts.checked)
    kinds = (
        (violations and all(map(_is_request, violations)), CatchKind.FORGED_REQUEST),
        (violations, CatchKind.VIOLATION),
        (turn.rolled_back, CatchKind.BROKEN_CODE),
        (decision is Decision.REWRITE_TESTS, CatchKind.WEAK_TESTS),
        (verdict.outcome is Outcome.REJECT, CatchKind.REJECTION),
        (is_no_iteration(verdict, turn.move), None),
        (verdict.gate_2 and not verdict.gate_1, CatchKind.FALSE_DONE),
        (is_false, CatchKind.FALSE_CLAIM),
    )
    return next((kind for applies, kind in kinds if applies), None)


def _is_request(violation: Violation) -> bool:
    return violation.path.startswith(REQUEST)


def _said(claim: Claim) -> str:
    """The claim as the status block makes it, and the agent's own sentence."""
    status = [claim.status and f"STATUS {claim.status}", claim.tests_status and f"tests {claim.tests_status}"]
    signal = ["EXIT_SIGNAL true"] if claim.exit_signal else []
    block = ", ".join(filter(None, (*status, *signal)))
    return ": ".join(filter(None, (block, claim.recommendation)))


def _followed(kind: CatchKind, turn: TurnEnded) -> str:
    move = turn.move
    if move.status is Status.HALTED:
        return f"The run halted: {move.halt_reason}"
    if kind is CatchKind.VIOLATION:
        left = [each for each in turn.facts.observed.changes.violations if not each.reverted]
        done = "dualgate could not revert every change." if left else "dualgate reverted the change."
        return f"{done} An iteration with a violation never passes."
    if kind in (CatchKind.REJECTION, CatchKind.WEAK_TESTS):
        return f"The work returned to {move.phase}, and each phase from there on has to be proven again."
    return ""
