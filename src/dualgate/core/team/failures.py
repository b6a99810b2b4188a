"""LoopState -> LoopState: count failures for each agent, and exclude agents for a time."""

from datetime import datetime, timedelta
from typing import Any

from dualgate.core.gates.reactions import Response
from dualgate.core.values.answer import Failure, Trouble
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState
from dualgate.core.values.team import AgentSwitched, FailuresInARow, Out
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import Status

REST = timedelta(hours=1)
"""An agent that failed too often in a row is tried again after this time, if another took over."""


def switched(state: LoopState, event: AgentSwitched) -> LoopState:
    state = with_agent(state, event.agent, event.at)
    outs = {name: out for name, out in state.outs.items() if name != event.agent}
    return replace(state, chosen={**state.chosen, event.phase: event.agent}, outs=outs, last_switch=event)


def with_agent(state: LoopState, agent: str, now: datetime) -> LoopState:
    """Switch the state to this agent; failures in a row are counted for each agent."""
    return replace(state, **counts_of(state, agent, now))


def counts_of(state: LoopState, agent: str, now: datetime) -> dict[str, Any]:
    """State changes when this agent is asked; empty if it was asked last."""
    if agent == state.agent:
        return {}
    own = {state.agent: state.failures} if state.agent else {}
    others = {**state.failures_of_others, **own}
    failures = others.pop(agent, FailuresInARow())
    if agent in state.outs:
        failures = FailuresInARow(full_contexts=failures.full_contexts)
    elif failures.limited_until and failures.limited_until <= now:
        failures = replace(failures, limited_calls=0, limited_until=None)
    failures = replace(failures, blocked=state.failures.blocked, errors=state.failures.errors)
    return {"agent": agent, "failures": failures, "failures_of_others": others}


def failures_of(state: LoopState, agent: str) -> FailuresInARow:
    if agent in (state.agent, "") or not state.agent:
        return state.failures
    return state.failures_of_others.get(agent, FailuresInARow())


def after_call(before: FailuresInARow, outcome: Outcome, failure: Failure | None, at: datetime) -> FailuresInARow:
    """Count one more call. A limit is no failure of the agent, and does not end a row."""
    is_limited, is_failed = outcome is Outcome.LIMITED, outcome is Outcome.RETRY
    kind = failure.kind if failure else None

    def in_a_row(count: int, is_one: bool) -> int:
        return count if is_limited else count + 1 if is_failed and is_one else 0

    return replace(
        before,
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
    """Return the reported end of a limit; ignore a time already past when it was reported."""
    until = failure.resets_at if failure else None
    return until if until is not None and until >= at else None


def out_after(response: Response, reason: str, now: datetime) -> Out:
    """Decide how long a given-up agent is excluded."""
    match response:
        case Response.GIVE_UP:
            return Out(reason=reason)
        case Response.NUDGE | Response.SHRINK:
            return Out(reason=reason, for_phase=True)
        case Response.RETRY | Response.WAIT:
            return Out(reason=reason, until=now + REST)


def after_person(state: LoopState) -> LoopState:
    """After a pause every excluded agent starts over; after a halt every agent does."""
    is_halted = state.status is Status.HALTED

    def restarted(agent: str, failures: FailuresInARow) -> FailuresInARow:
        return _started_over(failures) if is_halted or agent in state.outs else failures

    others = {name: restarted(name, failures) for name, failures in state.failures_of_others.items()}
    own = restarted(state.agent, state.failures)
    own = replace(own, blocked=0) if is_halted else own
    return replace(state, outs={}, failures=own, failures_of_others=others)


def _started_over(failures: FailuresInARow) -> FailuresInARow:
    """A limit without a known end is dropped: the person who resumes knows better."""
    limited = failures.limited_calls if failures.limited_until else 0
    return replace(failures, failed_calls=0, empty_calls=0, refused_calls=0, full_contexts=0, limited_calls=limited)


def reset_failures(state: LoopState) -> LoopState:
    """Reset the failures of every agent."""
    fresh = FailuresInARow(
        failed_at=state.failures.failed_at, trouble=state.failures.trouble, errors=state.failures.errors
    )
    return replace(state, failures=fresh, failures_of_others={}, outs={})


def without_waits(state: LoopState) -> LoopState:
    """Let every agent be asked at once; failures in a row are still counted."""
    others = {name: _at_once(failures) for name, failures in state.failures_of_others.items()}
    outs = {name: out for name, out in state.outs.items() if out.until is None}
    return replace(state, outs=outs, failures=_at_once(state.failures), failures_of_others=others)


def _at_once(failures: FailuresInARow) -> FailuresInARow:
    return replace(failures, limited_until=None, failed_at=None)


def in_new_phase(state: LoopState) -> LoopState:
    """Clear refusals and full contexts, which belong to the work of one phase."""
    outs = {name: out for name, out in state.outs.items() if not out.for_phase}
    others = {name: _of_new_phase(failures) for name, failures in state.failures_of_others.items()}
    return replace(state, outs=outs, failures=_of_new_phase(state.failures), failures_of_others=others)


def _of_new_phase(failures: FailuresInARow) -> FailuresInARow:
    return replace(failures, full_contexts=0, refused_calls=0)
