"""LoopState, TurnEnded -> LoopState: iterations, calls and failures in a row."""

from collections.abc import Mapping
from typing import Any

from dualgate.core.gates.judge import OF_FAILURES, advice_warning, measure
from dualgate.core.gates.reactions import REACTIONS, Response, response_to
from dualgate.core.machine.criteria import states_after
from dualgate.core.team.failures import after_call, failures_of, out_after
from dualgate.core.team.fallover import asked_agent
from dualgate.core.values.control import RequestRefused
from dualgate.core.values.events import CallEnded, TurnEnded
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import ERRORS_KEPT, Attempt, ErrorEntry, LoopState, Warned
from dualgate.core.values.team import Out
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import WorkStatus

ERROR_LENGTH = 500
_ATTEMPTS_KEPT = 5
_ATTEMPT_LENGTH = 300
_ATTEMPT_PATHS = 5
_WARNINGS_KEPT = 200


def with_call(state: LoopState, turn: TurnEnded, retried: bool) -> LoopState:
    """Count one call; a retried call does not count as an iteration."""
    visits = tuple(
        replace(visit, calls=visit.calls + 1, iterations=visit.iterations + (not retried))
        if visit.phase is state.phase
        else visit
        for visit in state.visits
    )
    claim = turn.facts.claimed
    failures = after_call(state.failures, turn.verdict.outcome, claim.failure, turn.at)
    if claim.failure is None:  # a failed call has no status or error claim, and does not end a row
        blocked = failures.blocked + 1 if claim.status is WorkStatus.BLOCKED else 0
        errors = (*failures.errors, claim.error)[-state.limits.of(state.phase).same_error :]
        failures = replace(failures, blocked=blocked, errors=errors)
    return replace(
        state,
        visits=visits,
        iteration=state.iteration + (not retried),
        turned_at=turn.at,
        outs=_outs(state, turn),
        failures=failures,
        plan=turn.facts.observed.plan,
        criteria=turn.facts.criteria,
        criteria_states=states_after(state.criteria_states, turn.facts.observed.criteria),
        warnings=warnings_after(state.warnings, turn),
    )


def reviewer_call_changes(state: LoopState, event: CallEnded) -> dict[str, Any]:
    """Count a reviewer's failures for that reviewer, after it was asked about a test."""
    agent, failure = event.agent, event.answer.failure
    if event.phase in (None, state.phase) or agent in ("", state.agent):
        return {}
    response = response_to(failure, left_work=False) if failure else None
    outcome = OF_FAILURES[response] if response else Outcome.PASS
    failures = after_call(failures_of(state, agent), outcome, failure, event.at)
    outs = {name: out for name, out in state.outs.items() if name != agent}
    if failure and response is Response.GIVE_UP:
        outs[agent] = out_after(response, failure.sentence, event.at)
    return {"failures_of_others": {**state.failures_of_others, agent: failures}, "outs": outs}


def _outs(state: LoopState, turn: TurnEnded) -> Mapping[str, Out]:
    """Agents excluded for now; the agent just asked is excluded only if it was given up."""
    asked = asked_agent(state)
    others = {name: out for name, out in state.outs.items() if name != asked}
    if not turn.move.gives_up or not asked:
        return others
    failure = turn.facts.claimed.failure
    response = REACTIONS[failure.kind].response if failure else Response.NUDGE
    return others | {asked: out_after(response, turn.move.gives_up, turn.at)}


def attempts_after(state: LoopState, turn: TurnEnded) -> tuple[Attempt, ...]:
    attempt = Attempt(
        iteration=turn.facts.iteration,
        said=turn.facts.claimed.recommendation[:_ATTEMPT_LENGTH],
        changed=turn.facts.observed.changes.paths[:_ATTEMPT_PATHS],
        result="; ".join(turn.verdict.reasons)[:_ATTEMPT_LENGTH],
    )
    return (*state.attempts, attempt)[-_ATTEMPTS_KEPT:]


def warnings_after(before: tuple[Warned, ...], turn: TurnEnded) -> tuple[Warned, ...]:
    """Add the warnings of a turn. A repeated one moves to its last place; advice of a review is kept as a finding."""
    facts = turn.facts
    advice = {advice_warning(request) for request in facts.weighed.advice}
    texts = [text for text in turn.verdict.warnings if text not in advice]
    kept = (warned for warned in before if warned.text not in texts)
    now = (Warned(phase=facts.phase, iteration=facts.iteration, text=text) for text in texts)
    return (*kept, *now)[-_WARNINGS_KEPT:]


def refused_warning(state: LoopState, event: RequestRefused) -> dict[str, Any]:
    """Warn of a request that a program inside a call or a test run sent."""
    if not event.inside:
        return {}
    text = f"the request '{event.request}' was refused: {event.reason}"
    kept = (warned for warned in state.warnings if warned.text != text)
    now = Warned(phase=state.phase, iteration=state.iteration + 1, text=text)
    return {"warnings": (*kept, now)[-_WARNINGS_KEPT:]}


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
