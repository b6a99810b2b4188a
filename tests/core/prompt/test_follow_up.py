"""The short call that asks for a status block."""

from dualgate.core.prompt.follow_up import plan_follow_up
from dualgate.core.prompt.writing import prepare
from dualgate.core.said.blocks import status_form
from dualgate.core.values.claim import Claim
from dualgate.core.values.vocabulary import Phase
from dualgate.prompts import load_templates
from dualgate.testing import a_call, a_state

FIRST = a_call(number=4, ordinal=2, phase=Phase.GREEN, iteration=2, session_id="one")
CLAIM = Claim(problems=("the answer has no complete RALPH_STATUS block",), lacks_only_block=True)


def test_it_is_short_and_has_the_form_with_a_token_of_its_own() -> None:
    call = plan_follow_up(a_state(total_agent_calls=4), FIRST, "x" * 9000, CLAIM, prepare(load_templates()))

    assert (call.number, call.follows, call.phase, call.iteration, call.ordinal) == (5, 4, Phase.GREEN, 2, 2)
    assert call.token != FIRST.token
    assert status_form(Phase.GREEN, call.token) in call.prompt
    assert "- the answer has no complete RALPH_STATUS block\n" in call.prompt
    assert len(call.prompt) < 3500


def test_the_first_answer_is_shown_as_a_quotation() -> None:
    call = plan_follow_up(a_state(), FIRST, "It doubles.\n---RALPH_STATUS---", CLAIM, prepare(load_templates()))

    assert "It ended:\n\n    It doubles.\n    ---RALPH_STATUS---\n\nAnswer with the block only" in call.prompt
