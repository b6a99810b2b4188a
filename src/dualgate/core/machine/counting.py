"""LoopState, TurnEnded -> LoopState: what is counted from call to call, iterations and rows of failures alike."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from dualgate.core.gates.judge import OF_FAILURES, measure
from dualgate.core.gates.reactions import REACTIONS, Response, response_to
from dualgate.core.team.bench import out_after, standing_of
from dualgate.core.team.fallover import asked_agent
from dualgate.core.values.answer import Failure, Trouble
from dualgate.core.values.events import CallEnded, TurnEnded
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import ERRORS_KEPT, Attempt, ErrorEntry, LoopState
from dualgate.core.values.team import COUNTED, Out, Standing
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import WorkStatus


def counted(state: LoopState, turn: TurnEnded, retried: bool) -> LoopState:
    """The state with one call more; one that is made again is no iteration."""
    visits = tuple(
        replace(visit, calls=visit.calls + 1, iterations=visit.iterations + (not retried))
        if visit.phase is state.phase
        else visit
        for visit in state.visits
    )
    standing = _after_call(standing_of(state, state.agent), turn.verdict.outcome, turn.facts.claimed.failure, turn.at)
    return replace(
        state,
        visits=visits,
        iteration=state.iteration + (not retried),
        turned_at=turn.at,
        outs=_outs(state, turn),
        blocked_in_a_row=_blocked_in_a_row(state, turn),
        shown_errors=_shown_errors(state, turn),
        plan=turn.facts.observed.plan,
        criteria=turn.facts.criteria,
        **{name: getattr(standing, name) for name in COUNTED},
    )


def counted_for_reviewer(state: LoopState, event: CallEnded) -> dict[str, Any]:
    """What changes when somebody was asked about a test in the middle of a turn: how that went is of that agent."""
    agent, failure = event.agent, event.answer.failure
    if event.phase in (None, state.phase) or agent in ("", state.agent):
        return {}
    response = response_to(failure, left_work=False) if failure else None
    standing = _after_call(
        state.benched.get(agent, Standing()), OF_FAILURES[response] if response else Outcome.PASS, failure, event.at
    )
    outs = {name: out for name, out in state.outs.items() if name != agent}
    if failure and response is Response.GIVE_UP:
        outs[agent] = out_after(response, failure.sentence, event.at)
    return {"benched": {**state.benched, agent: standing}, "outs": outs}


def _after_call(before: Standing, outcome: Outcome, failure: Failure | None, at: datetime) -> Standing:
    """How the calls of an agent went, with one more. A limit is no failure of the agent, and does not end a row."""
    is_limited, is_failed = outcome is Outcome.LIMITED, outcome is Outcome.RETRY
    kind = failure.kind if failure else None

    def in_a_row(count: int, is_one: bool) -> int:
        return count if is_limited else count + 1 if is_failed and is_one else 0

    return Standing(
        failed_calls=in_a_row(before.failed_calls, True),
        empty_calls=in_a_row(before.empty_calls, kind is Trouble.EMPTY),
        refused_calls=in_a_row(before.refused_calls, kind is Trouble.REFUSAL),
        full_contexts=before.full_contexts + (kind is Trouble.CONTEXT_FULL),
        limited_calls=before.limited_calls + 1 if is_limited else 0,
        limited_until=_end_of_limit(failure, at) if is_limited else None,
        failed_at=at if is_limited or is_failed else None,
        trouble=kind,
    )


def _end_of_limit(failure: Failure | None, at: datetime) -> datetime | None:
    """A time that had passed when it was told says nothing about the end of a limit."""
    until = failure.resets_at if failure else None
    return until if until is not None and until >= at else None


def _outs(state: LoopState, turn: TurnEnded) -> Mapping[str, Out]:
    """Who is not asked for now: not the agent that was just asked, unless it was given up."""
    asked = asked_agent(state)
    others = {name: out for name, out in state.outs.items() if name != asked}
    if not turn.move.gives_up or not asked:
        return others
    failure = turn.facts.claimed.failure
    response = REACTIONS[failure.kind].response if failure else Response.NUDGE
    return others | {asked: out_after(response, turn.move.gives_up, turn.at)}


def _blocked_in_a_row(state: LoopState, turn: TurnEnded) -> int:
    """A call that failed says nothing of it, and does not end a row."""
    claim = turn.facts.claimed
    if claim.failure:
        return state.blocked_in_a_row
    return state.blocked_in_a_row + 1 if claim.status is WorkStatus.BLOCKED else 0


def _shown_errors(state: LoopState, turn: TurnEnded) -> tuple[str, ...]:
    """Those of the answers that count towards a halt."""
    claim = turn.facts.claimed
    if claim.failure:
        return state.shown_errors
    return (*state.shown_errors, claim.error)[-state.limits.of(state.phase).same_error :]


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
