"""LoopState, Event -> LoopState: the state is what the events make of it, live and on replay alike."""

from dataclasses import dataclass, replace
from datetime import datetime

from dualgate.core.answer import Answer, Trouble
from dualgate.core.blocks import WorkStatus
from dualgate.core.breaker import Marks, entering
from dualgate.core.gates import Outcome, measure
from dualgate.core.machine import FIRST_PHASE, UNPROVEN_BY_REJECTION, Move, TurnEnded, enter, move_status
from dualgate.core.state import ERRORS_KEPT, ErrorEntry, LoopState, Memory, PhaseVisit, Proof, Rejection
from dualgate.core.suite import CaseOutcome, CaseResult, SuiteReport
from dualgate.core.vocabulary import Changes, Decision, Ending, Phase, Status, Workflow
from dualgate.errors import IllegalTransition

# a call that failed and left no work, or that met a limit, is not counted as an iteration
NO_ITERATION = frozenset({Outcome.RETRY, Outcome.LIMITED})
ERROR_LENGTH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStarted:
    at: datetime
    session_id: str
    project: str
    prp_file: str
    prp_text: str
    agent: str
    test_command: tuple[str, ...]
    workflow: Workflow
    max_iterations: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineTaken:
    """The tests before any work, run twice so that what is flaky is known."""

    at: datetime
    tree: str
    results: tuple[CaseResult, ...]
    unstable: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStarted:
    at: datetime
    number: int
    phase: Phase
    iteration: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnded:
    at: datetime
    number: int
    exit_code: int | None
    ending: Ending
    seconds: float
    answer: Answer
    """Without its text, which lies beside the journal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeSettled:
    at: datetime
    changes: Changes


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteStarted:
    at: datetime
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteEnded:
    at: datetime
    report: SuiteReport


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPaused:
    at: datetime
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFailed:
    """The run met something that only a person can mend: no program, no usable tests, no room on the disk."""

    at: datetime
    reason: str


Event = (
    SessionStarted
    | BaselineTaken
    | CallStarted
    | CallEnded
    | TreeSettled
    | SuiteStarted
    | SuiteEnded
    | TurnEnded
    | SessionPaused
    | SessionFailed
)


def begin(event: SessionStarted) -> LoopState:
    first = FIRST_PHASE[event.workflow]
    return LoopState(
        session_id=event.session_id,
        prp_file=event.prp_file,
        started_at=event.at,
        last_activity=event.at,
        workflow=event.workflow,
        phase=first,
        max_iterations=event.max_iterations,
        visits=(PhaseVisit(phase=first, started_at=event.at),),
    )


def apply(state: LoopState, event: Event) -> LoopState:
    state = replace(state, last_activity=event.at)
    match event:
        case SessionStarted():
            raise IllegalTransition("a session was started twice")
        case BaselineTaken():
            return replace(state, proof=_baseline(event), breaker=entering(_starting_marks(event)))
        case CallStarted():
            return replace(state, total_agent_calls=event.number)
        case CallEnded() | TreeSettled() | SuiteStarted() | SuiteEnded():
            return state
        case TurnEnded():
            return _turned(state, event)
        case SessionPaused():
            status = move_status(state.status, Status.PAUSED)
            return replace(state, status=status, pause_reason=event.reason, paused_at=event.at)
        case SessionFailed():
            return replace(state, status=move_status(state.status, Status.HALTED), halt_reason=event.reason)


def _baseline(event: BaselineTaken) -> Proof:
    return Proof(baseline=event.results, unstable=event.unstable, outputs=event.outputs, start_tree=event.tree)


def _starting_marks(event: BaselineTaken) -> Marks:
    return Marks(passing=sum(result.outcome is CaseOutcome.PASSED for result in event.results))


def _turned(state: LoopState, turn: TurnEnded) -> LoopState:
    retried = turn.verdict.outcome in NO_ITERATION
    state = _counted(state, turn, retried)
    if retried:
        # a failed call is no iteration, but what it was not allowed to do is told all the same
        violations = turn.facts.observed.changes.violations or state.memory.violations
        state = replace(state, memory=replace(state.memory, violations=violations))
    else:
        state = replace(state, breaker=turn.breaker, memory=_remembered(turn), errors=_errors(state, turn))
    if turn.verdict.outcome is Outcome.REJECT:
        state = _rejected(state, turn)
    moved = _moved(state, turn)
    return replace(
        moved,
        status=move_status(moved.status, turn.move.status),
        halt_reason=turn.move.halt_reason,
        ended_by=turn.move.decision if turn.move.status is not Status.RUNNING else None,
    )


def _counted(state: LoopState, turn: TurnEnded, retried: bool) -> LoopState:
    claim = turn.facts.claimed
    visits = tuple(
        replace(visit, calls=visit.calls + 1, iterations=visit.iterations + (not retried))
        if visit.phase is state.phase
        else visit
        for visit in state.visits
    )
    return replace(
        state,
        visits=visits,
        iteration=state.iteration + (not retried),
        failed_calls=_failed_calls(state, turn),
        empty_calls=state.empty_calls + 1 if retried and claim.failure and claim.failure.kind is Trouble.EMPTY else 0,
        limited_calls=state.limited_calls + 1 if turn.verdict.outcome is Outcome.LIMITED else 0,
        limited_until=claim.failure.resets_at if claim.failure else None,
        blocked_in_a_row=state.blocked_in_a_row + 1 if claim.status is WorkStatus.BLOCKED else 0,
    )


def _failed_calls(state: LoopState, turn: TurnEnded) -> int:
    """A limit is waited for: it is no failure of the agent, and does not end a row of them."""
    match turn.verdict.outcome:
        case Outcome.RETRY:
            return state.failed_calls + 1
        case Outcome.LIMITED:
            return state.failed_calls
        case _:
            return 0


def _moved(state: LoopState, turn: TurnEnded) -> LoopState:
    match turn.move.decision:
        case Decision.NEXT_PHASE:
            return _entered(_completed(state, turn), turn.move, turn)
        case Decision.PROJECT_COMPLETE:
            return _completed(state, turn)
        case Decision.REJECTED:
            kept = tuple(phase for phase in state.phases_completed if phase not in UNPROVEN_BY_REJECTION)
            return _entered(replace(state, phases_completed=kept), turn.move, turn)
        case _:
            return state


def _completed(state: LoopState, turn: TurnEnded) -> LoopState:
    visits = tuple(
        replace(visit, completed_at=turn.at, exit_reason="Dual-Gate satisfied") if visit.phase is state.phase else visit
        for visit in state.visits
    )
    tree = turn.facts.observed.changes.tree
    proof = replace(state.proof, proven=turn.proven, proven_tree=tree)
    if state.phase is Phase.RED:
        proof = replace(proof, red_tree=tree, removed=turn.facts.observed.vanished)
    attempts = 0 if state.phase is Phase.QA else state.qa_attempts
    completed = (*state.phases_completed, state.phase)
    return replace(state, visits=visits, proof=proof, phases_completed=completed, qa_attempts=attempts)


def _entered(state: LoopState, move: Move, turn: TurnEnded) -> LoopState:
    visits = state.visits
    if state.visit(move.phase) is None:
        visits = (*visits, PhaseVisit(phase=move.phase, started_at=turn.at))
    else:
        visits = tuple(replace(v, completed_at=None, exit_reason=None) if v.phase is move.phase else v for v in visits)
    return enter(replace(state, visits=visits), move.phase, measure(replace(turn.facts, phase=move.phase)))


def _rejected(state: LoopState, turn: TurnEnded) -> LoopState:
    """Every rejection is counted and kept, the one that halts too."""
    rejection = Rejection(at=turn.at, reason="; ".join(turn.verdict.reasons)[:ERROR_LENGTH])
    return replace(state, qa_attempts=state.qa_attempts + 1, rejections=(*state.rejections, rejection))


def _remembered(turn: TurnEnded) -> Memory:
    return Memory(
        reasons=turn.verdict.reasons,
        failing=turn.facts.observed.failing,
        violations=turn.facts.observed.changes.violations,
        false_claims=tuple(c.sentence for c in turn.facts.checked if not c.holds),
    )


def _errors(state: LoopState, turn: TurnEnded) -> tuple[ErrorEntry, ...]:
    mark = measure(turn.facts).error
    if not mark:
        return state.errors
    seen = turn.facts.observed
    text = "\n".join((*seen.problems, *(f"{result.id}: {result.message}" for result in seen.failing)))
    entry = ErrorEntry(
        at=turn.at,
        phase=turn.facts.phase,
        iteration=turn.facts.iteration,
        error=text[:ERROR_LENGTH],
        hash=mark,
    )
    return (*state.errors, entry)[-ERRORS_KEPT:]
