"""Each kind of trouble has its reaction, and each reaction an end."""

import pytest

from dualgate.core.gates.reactions import LEAST_PROMPT, REACTIONS, Response, exhausted, prompt_tokens, response_to
from dualgate.core.values.answer import LIMITS, Failure, Trouble
from dualgate.core.values.limits import Limits
from dualgate.core.values.team import FailuresInARow
from dualgate.core.values.vocabulary import HaltCause

GIVEN_UP = {Trouble.AUTHENTICATION, Trouble.QUOTA, Trouble.MODEL_UNKNOWN, Trouble.BUDGET, Trouble.DENIED}


def test_every_trouble_has_a_reaction() -> None:
    assert REACTIONS.keys() == set(Trouble)


@pytest.mark.parametrize(
    ("response", "kinds"),
    [
        (Response.WAIT, LIMITS),
        (Response.GIVE_UP, GIVEN_UP),
        (Response.SHRINK, {Trouble.CONTEXT_FULL}),
        (Response.NUDGE, {Trouble.REFUSAL}),
    ],
)
def test_which_troubles_are_not_simply_tried_again(response: Response, kinds: frozenset[Trouble]) -> None:
    assert {kind for kind, reaction in REACTIONS.items() if reaction.response is response} == kinds


def test_a_call_that_left_work_is_judged_by_it_unless_nobody_can_go_on() -> None:
    judged = {kind for kind in Trouble if response_to(Failure(kind=kind), left_work=True) is None}

    assert judged == set(Trouble) - LIMITS - (GIVEN_UP - {Trouble.DENIED})
    assert response_to(Failure(kind=Trouble.CRASH), left_work=False) is Response.RETRY


def test_a_second_refusal_is_one_too_many() -> None:
    refused = Failure(kind=Trouble.REFUSAL, message="I will not")

    assert exhausted(refused, FailuresInARow(), Limits()) is None
    assert exhausted(refused, FailuresInARow(failed_calls=1, refused_calls=1), Limits()) == (
        HaltCause.REFUSED,
        "the agent refused twice in a row: refusal, I will not",
    )


def test_a_prompt_that_did_not_fit_is_followed_by_much_shorter_ones_down_to_a_floor() -> None:
    sizes = [prompt_tokens(Limits(), full) for full in range(6)]

    assert sizes == [48_000, 8_000, 2_667, LEAST_PROMPT, LEAST_PROMPT, LEAST_PROMPT]
    assert prompt_tokens(Limits(prompt_tokens=1_500), 1) == 1_500


def test_a_context_that_is_full_with_the_shortest_prompt_says_what_to_do() -> None:
    full = Failure(kind=Trouble.CONTEXT_FULL)

    assert exhausted(full, FailuresInARow(full_contexts=2), Limits()) is None
    ended = exhausted(full, FailuresInARow(full_contexts=3), Limits())
    assert ended
    assert ended[0] is HaltCause.CONTEXT_FULL
    assert "pass a model with a larger context with --model" in ended[1]


def test_a_fresh_session_is_tried_before_a_short_prompt_is_called_too_long() -> None:
    assert exhausted(Failure(kind=Trouble.CONTEXT_FULL), FailuresInARow(), Limits(prompt_tokens=1_000)) is None
