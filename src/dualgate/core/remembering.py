"""LoopState, TurnEnded -> what is kept of a turn: its error, and in short what was tried."""

from dualgate.core.gates import measure
from dualgate.core.machine import TurnEnded
from dualgate.core.state import ERRORS_KEPT, Attempt, ErrorEntry, LoopState

ERROR_LENGTH = 500
ATTEMPTS_KEPT = 5
ATTEMPT_LENGTH = 300
ATTEMPT_PATHS = 5


def attempts_after(state: LoopState, turn: TurnEnded) -> tuple[Attempt, ...]:
    attempt = Attempt(
        iteration=turn.facts.iteration,
        said=turn.facts.claimed.recommendation[:ATTEMPT_LENGTH],
        changed=turn.facts.observed.changes.paths[:ATTEMPT_PATHS],
        result="; ".join(turn.verdict.reasons)[:ATTEMPT_LENGTH],
    )
    return (*state.attempts, attempt)[-ATTEMPTS_KEPT:]


def errors_after(state: LoopState, turn: TurnEnded) -> tuple[ErrorEntry, ...]:
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
