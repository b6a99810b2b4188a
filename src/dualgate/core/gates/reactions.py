"""Trouble -> Reaction: what the loop does after a failed call, as one table. Callers count how often."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from dualgate.core.values.answer import Failure, Trouble
from dualgate.core.values.limits import Limits
from dualgate.core.values.team import FailuresInARow
from dualgate.core.values.vocabulary import HaltCause

LEAST_PROMPT = 1_000
"""Tokens below which a prompt is not shortened: it could no longer state the task."""
_SHORTER_PROMPT = 8_000
"""Tokens of a prompt after a call that found the context full."""
WHEN_KNOWN = "no end time is reported; check the account of this agent, and resume after the limit"
ROOM = "shorten the specification, or pass a model with a larger context with --model"


class Response(StrEnum):
    """The reaction to a failed call, until its limit of retries is reached."""

    WAIT = "wait"
    """Wait until the limit ends, or longer each time if the end is unknown. The agent is not at fault."""
    RETRY = "retry"
    SHRINK = "shrink"
    """Retry in a fresh session with a shorter prompt."""
    NUDGE = "nudge"
    """Retry with a sentence about what the agent declined."""
    GIVE_UP = "give_up"
    """No further call of this agent helps: ask the next agent, or a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaction:
    response: Response
    despite_work: bool = False
    """Whether to react even if the call changed files; else such a call is judged by its work."""
    keeps_session: bool = False
    """Whether the next call may continue the agent's own session, because its context is intact."""
    slower: float = 1.0
    """Factor on the delay before the next call, compared with a crash."""


REACTIONS: Mapping[Trouble, Reaction] = {
    Trouble.RATE_LIMIT: Reaction(response=Response.WAIT, despite_work=True, keeps_session=True),
    Trouble.USAGE_LIMIT: Reaction(response=Response.WAIT, despite_work=True, keeps_session=True),
    Trouble.WEEKLY_LIMIT: Reaction(response=Response.WAIT, despite_work=True, keeps_session=True),
    Trouble.LIMIT: Reaction(response=Response.WAIT, despite_work=True, keeps_session=True),
    Trouble.QUOTA: Reaction(response=Response.GIVE_UP, despite_work=True),
    Trouble.AUTHENTICATION: Reaction(response=Response.GIVE_UP, despite_work=True),
    Trouble.MODEL_UNKNOWN: Reaction(response=Response.GIVE_UP, despite_work=True),
    Trouble.BUDGET: Reaction(response=Response.GIVE_UP, despite_work=True),
    Trouble.DENIED: Reaction(response=Response.GIVE_UP),
    Trouble.CONTEXT_FULL: Reaction(response=Response.SHRINK),
    Trouble.REFUSAL: Reaction(response=Response.NUDGE),
    # immediate retries make an overloaded provider worse
    Trouble.OVERLOADED: Reaction(response=Response.RETRY, keeps_session=True, slower=6.0),
    Trouble.SERVER_ERROR: Reaction(response=Response.RETRY, keeps_session=True),
    Trouble.TURN_LIMIT: Reaction(response=Response.RETRY, keeps_session=True),
    Trouble.OUTPUT_CAP: Reaction(response=Response.RETRY, keeps_session=True),
    Trouble.CUT_STREAM: Reaction(response=Response.RETRY),
    Trouble.TIMED_OUT: Reaction(response=Response.RETRY),
    Trouble.IDLE: Reaction(response=Response.RETRY),
    Trouble.FLOODED: Reaction(response=Response.RETRY),
    Trouble.INTERRUPTED: Reaction(response=Response.RETRY),
    Trouble.CRASH: Reaction(response=Response.RETRY),
    Trouble.EMPTY: Reaction(response=Response.RETRY),
}


Ended = tuple[HaltCause, str]


def response_to(failure: Failure, left_work: bool | None) -> Response | None:
    """Return the response to a failed call; None if the call is judged by the work it left."""
    reaction = REACTIONS[failure.kind]
    return None if left_work and not reaction.despite_work else reaction.response


def exhausted(failure: Failure, past: FailuresInARow, limits: Limits) -> Ended | None:
    """Return the halt cause if this failure reaches its limit; None if a retry is left."""
    said, full = failure.sentence, past.full_contexts
    match failure.kind:
        case Trouble.EMPTY if past.empty_calls + 1 >= limits.empty_calls:
            return HaltCause.EMPTY_ANSWERS, f"the agent gave {past.empty_calls + 1} empty answers in a row"
        case Trouble.REFUSAL if past.refused_calls:
            return HaltCause.REFUSED, f"the agent refused twice in a row: {said}"
        case Trouble.CONTEXT_FULL if full and prompt_tokens(limits, full) <= LEAST_PROMPT:
            return HaltCause.CONTEXT_FULL, f"the context is full even with the shortest prompt ({ROOM}): {said}"
    if past.failed_calls + 1 >= limits.failed_calls:
        return HaltCause.FAILED_CALLS, f"{past.failed_calls + 1} calls in a row failed, the last with: {said}"
    return None


def given_up(failure: Failure) -> Ended:
    """Return the halt cause for an agent that no further call can help."""
    cause = HaltCause.AGENT_BUDGET if failure.kind is Trouble.BUDGET else HaltCause.AGENT_UNUSABLE
    return cause, failure.sentence


def waited_enough(failure: Failure | None, past: FailuresInARow, limits: Limits) -> Ended | None:
    """Return the halt cause after too many limits in a row; limits of a plan are waited for each time."""
    if failure is None or failure.kind not in (Trouble.RATE_LIMIT, Trouble.LIMIT):
        return None
    if failure.kind is Trouble.LIMIT and past.trouble is Trouble.LIMIT:
        return HaltCause.RATE_LIMIT, f"the agent reports a limit again after a wait ({WHEN_KNOWN}): {failure.message}"
    if past.limited_calls + 1 < limits.limited_calls:
        return None
    return HaltCause.RATE_LIMIT, f"{past.limited_calls + 1} calls in a row met a limit: {failure.sentence}"


def prompt_tokens(limits: Limits, full: int) -> int:
    """Return the budget of the next prompt; `full` is the number of calls in a row that found the context full."""
    if not full:
        return limits.prompt_tokens
    return min(limits.prompt_tokens, max(LEAST_PROMPT, round(_SHORTER_PROMPT / 3.0 ** (full - 1))))
