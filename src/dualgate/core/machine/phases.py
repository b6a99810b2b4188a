"""The tables of phases and statuses, and LoopState -> LoopState: the state after a phase or a status has changed."""

from datetime import datetime

from dualgate.core.gates.breaker import entering
from dualgate.core.machine.criteria import unreviewed
from dualgate.core.team.failures import in_new_phase
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState, PhaseVisit
from dualgate.core.values.verdict import Marks, Outcome
from dualgate.core.values.vocabulary import PHASES, Phase, Status, Workflow
from dualgate.errors import IllegalTransition

RETURNS: dict[tuple[Phase, Outcome], Phase] = {
    (Phase.QA, Outcome.REJECT): Phase.GREEN,
    (Phase.GREEN, Outcome.WEAK): Phase.RED,
    (Phase.RED, Outcome.UNREWRITTEN): Phase.GREEN,
}
"""The phase that follows when a review rejects, or when tests are rewritten and when they were not."""

STATUS_MOVES: frozenset[tuple[Status, Status]] = frozenset(
    {
        (Status.RUNNING, Status.PAUSED),
        (Status.RUNNING, Status.COMPLETED),
        (Status.RUNNING, Status.HALTED),
        (Status.PAUSED, Status.RUNNING),
        (Status.PAUSED, Status.HALTED),
        (Status.HALTED, Status.RUNNING),
    }
)

# A rejection makes the phases after RED unproven again.
UNPROVEN_BY_REJECTION = frozenset({Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT})


def first_phase(workflow: Workflow) -> Phase:
    return PHASES[workflow][0]


def phase_after(phase: Phase) -> Phase | None:
    """Return the next phase; None after the last."""
    order = next(phases for phases in PHASES.values() if phase in phases)
    return next(iter(order[order.index(phase) + 1 :]), None)


def move_status(before: Status, after: Status) -> Status:
    """Return the new status, or raise IllegalTransition."""
    if before is not after and (before, after) not in STATUS_MOVES:
        raise IllegalTransition(f"status cannot go from {before} to {after}")
    return after


def enter_phase(state: LoopState, phase: Phase, marks: Marks) -> LoopState:
    """Start a phase with iteration 0, a closed breaker and no agent excluded for failures of an earlier phase."""
    return replace(in_new_phase(state), phase=phase, iteration=0, breaker=entering(marks))


def entered(state: LoopState, phase: Phase, at: datetime, marks: Marks) -> LoopState:
    """The state after a move to another phase, without the reports and questions of the last one."""
    visits = state.visits
    if state.visit(phase) is None:
        visits = (*visits, PhaseVisit(phase=phase, started_at=at))
    else:
        visits = tuple(replace(v, completed_at=None, exit_reason=None) if v.phase is phase else v for v in visits)
    memory = replace(state.memory, reasons=(), false_claims=(), questions=(), needs_diagnosis=False)
    return enter_phase(replace(state, visits=visits, attempts=(), memory=memory), phase, marks)


def send_back(state: LoopState, phase: Phase, at: datetime, marks: Marks) -> LoopState:
    """The state after a rejection: later phases are unproven, and answers of the review no longer hold."""
    kept = tuple(each for each in state.phases_completed if each not in UNPROVEN_BY_REJECTION)
    states = unreviewed(state.criteria_states)
    return entered(replace(state, phases_completed=kept, criteria_states=states), phase, at, marks)
