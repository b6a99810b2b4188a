"""Event, LoopState -> PhaseStays: when each phase was entered and left, and the work trees at both ends."""

from dualgate.core.report.values import PhaseStay, StayEnd
from dualgate.core.values.amendments import AmendmentDecided
from dualgate.core.values.approvals import WorkApproved, WorkRejected
from dualgate.core.values.checks import ChecksFailed
from dualgate.core.values.configuring import ConfigurationDecided
from dualgate.core.values.events import (
    BaselineTaken,
    CallStarted,
    Event,
    PersonEdited,
    PhaseSkipped,
    ProvenAgain,
    SessionResumed,
    SessionStarted,
    TurnEnded,
)
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState
from dualgate.core.values.verdict import is_no_iteration
from dualgate.core.values.vocabulary import Decision, Status

_ENDS = {
    Decision.NEXT_PHASE: StayEnd.PASSED,
    Decision.KEEP_TESTS: StayEnd.PASSED,
    Decision.PROJECT_COMPLETE: StayEnd.PASSED,
    Decision.AWAIT_APPROVAL: StayEnd.PASSED,
    Decision.REJECTED: StayEnd.REJECTED,
    Decision.REWRITE_TESTS: StayEnd.REWRITING,
}


def first_stay(started: SessionStarted, state: LoopState) -> PhaseStay:
    return PhaseStay(phase=state.phase, began=started.at)


def stays_after(
    stays: tuple[PhaseStay, ...], event: Event, before: LoopState, after: LoopState
) -> tuple[PhaseStay, ...]:
    *earlier, now = stays
    stay = _counted(now, event)
    if tree := _tree_after(event):
        stay = replace(stay, before=stay.before or before.proof.start_tree or tree, after=tree)
    end = _end(event)
    if after.phase is not before.phase or (after.status is Status.COMPLETED and end is not StayEnd.OPEN):
        stay = replace(stay, ended=event.at, end=end)
    if stay is now:
        return stays
    following = [] if after.phase is before.phase else [_entered(stay, event, after)]
    return (*earlier, stay, *following)


def _entered(left: PhaseStay, event: Event, after: LoopState) -> PhaseStay:
    return PhaseStay(phase=after.phase, began=event.at, before=left.after, after=left.after)


def _counted(stay: PhaseStay, event: Event) -> PhaseStay:
    match event:
        case CallStarted():
            return replace(stay, calls=stay.calls + 1)
        case TurnEnded() if not is_no_iteration(event.verdict, event.move):
            return replace(stay, iterations=stay.iterations + 1)
        case _:
            return stay


def _tree_after(event: Event) -> str:
    """The work tree after an event that settles one; empty after any other."""
    match event:
        case BaselineTaken():
            return event.after or event.tree
        case TurnEnded() if event.rolled_back:
            return event.rolled_back.tree
        case TurnEnded():
            return event.ticked.tree if event.ticked else event.facts.observed.changes.tree
        case AmendmentDecided() | ConfigurationDecided():
            return event.tree
        case PersonEdited():
            return event.edits.tree
        case _:
            return ""


def _end(event: Event) -> StayEnd:
    match event:
        case TurnEnded():
            return _ENDS.get(event.move.decision, StayEnd.OPEN)
        case ProvenAgain():
            return StayEnd.PROVEN_AGAIN
        case WorkApproved():
            return StayEnd.PASSED
        case ChecksFailed() | WorkRejected():
            return StayEnd.REJECTED
        case PhaseSkipped():
            return StayEnd.SKIPPED
        case SessionResumed():
            return StayEnd.RESPECIFIED
        case _:
            return StayEnd.OPEN
