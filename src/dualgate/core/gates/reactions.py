"""Trouble -> what the loop does about it, as one table. How often is counted by those who keep the calls."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from dualgate.core.values.answer import Failure, Trouble
from dualgate.core.values.limits import Limits
from dualgate.core.values.team import FailuresInARow
from dualgate.core.values.vocabulary import HaltCause

LEAST_PROMPT = 3_000
"""Characters below which a prompt is not made shorter: it could not say what is wanted any more."""
ROOM = "make the specification smaller, or name a model that holds more with --model"


class Response(StrEnum):
    """What follows from a failed call, as long as there is patience left."""

    WAIT = "wait"
    """Until the limit ends, or longer each time where nobody says when. It is no failure of the agent."""
    RETRY = "retry"
    SHRINK = "shrink"
    """Again, in a fresh session and with a shorter prompt."""
    NUDGE = "nudge"
    """Again, with a sentence about what was declined."""
    GIVE_UP = "give_up"
    """No further call of this agent helps: ask the next agent, or a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaction:
    response: Response
    despite_work: bool = False
    """Whether it holds even if the call changed files; else such a call is judged by its work."""
    keeps_session: bool = False
    """Whether the agent's own session can go on: what it knows is whole, and the next call may well succeed."""
    slower: float = 1.0
    """By how much longer than after a crash the next call is put off."""


REACTIONS: Mapping[Trouble, Reaction] = {
    Trouble.RATE_LIMIT: Reaction(response=Response.WAIT, despite_work=True, keeps_session=True),
    Trouble.USAGE_LIMIT: Reaction(response=Response.WAIT, despite_work=True, keeps_session=True),
    Trouble.WEEKLY_LIMIT: Reaction(response=Response.WAIT, despite_work=True, keeps_session=True),
    Trouble.QUOTA: Reaction(response=Response.GIVE_UP, despite_work=True),
    Trouble.AUTHENTICATION: Reaction(response=Response.GIVE_UP, despite_work=True),
    Trouble.MODEL_UNKNOWN: Reaction(response=Response.GIVE_UP, despite_work=True),
    Trouble.BUDGET: Reaction(response=Response.GIVE_UP, despite_work=True),
    Trouble.DENIED: Reaction(response=Response.GIVE_UP),
    Trouble.CONTEXT_FULL: Reaction(response=Response.SHRINK),
    Trouble.REFUSAL: Reaction(response=Response.NUDGE),
    # a provider that is overloaded gets worse by those who ask at once
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
    """None where the call is judged by the work it left."""
    reaction = REACTIONS[failure.kind]
    return None if left_work and not reaction.despite_work else reaction.response


def exhausted(failure: Failure, past: FailuresInARow, limits: Limits) -> Ended | None:
    """How it ends for the agent that failed once more, where no patience is left."""
    said, full = failure.sentence, past.full_contexts
    match failure.kind:
        case Trouble.EMPTY if past.empty_calls + 1 >= limits.empty_calls:
            return HaltCause.EMPTY_ANSWERS, f"the agent gave {past.empty_calls + 1} empty answers in a row"
        case Trouble.REFUSAL if past.refused_calls:
            return HaltCause.REFUSED, f"the agent refuses, and did so when it was asked again: {said}"
        case Trouble.CONTEXT_FULL if full and prompt_size(limits, full) <= LEAST_PROMPT:
            return HaltCause.CONTEXT_FULL, f"the context is full even with the shortest prompt ({ROOM}): {said}"
    if past.failed_calls + 1 >= limits.failed_calls:
        return HaltCause.FAILED_CALLS, f"{past.failed_calls + 1} calls in a row failed, the last with: {said}"
    return None


def given_up(failure: Failure) -> Ended:
    """How it ends for an agent that no further call will fix."""
    cause = HaltCause.AGENT_BUDGET if failure.kind is Trouble.BUDGET else HaltCause.AGENT_UNUSABLE
    return cause, failure.sentence


def waited_enough(failure: Failure | None, past: FailuresInARow, limits: Limits) -> Ended | None:
    """How it ends for an agent that meets a limit again and again; one that ends by itself is waited for each time."""
    if failure is None or failure.kind is not Trouble.RATE_LIMIT or past.limited_calls + 1 < limits.limited_calls:
        return None
    return HaltCause.RATE_LIMIT, f"{past.limited_calls + 1} calls in a row met a limit: {failure.sentence}"


def prompt_size(limits: Limits, full: int) -> int:
    """Characters of the next prompt, halved with every call that found the context full."""
    return max(min(LEAST_PROMPT, limits.prompt_size), limits.prompt_size >> full)
