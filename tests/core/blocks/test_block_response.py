import pytest
from block_samples import ralph_block

from dualgate.core.blocks import WorkStatus
from dualgate.core.response import read_response
from dualgate.core.vocabulary import AgentReply, Phase

ANSWERS = [
    pytest.param(ralph_block(), Phase.GREEN, True, id="honoured"),
    pytest.param(ralph_block(EXIT_SIGNAL="True (done)"), Phase.GREEN, True, id="honoured with warnings"),
    pytest.param(ralph_block(TESTS_STATUS="FAILING"), Phase.RED, True, id="red"),
    pytest.param(ralph_block(), Phase.RED, False, id="red with passing tests"),
    pytest.param(ralph_block("EXIT_SIGNAL: false"), Phase.GREEN, False, id="both"),
    pytest.param("EXIT_SIGNAL: true", Phase.GREEN, False, id="no block"),
]


@pytest.mark.parametrize(("text", "phase", "signal"), ANSWERS)
def test_a_claim_carries_the_honoured_signal_or_the_reason(text: str, phase: Phase, signal: bool) -> None:
    claim = read_response(AgentReply(text=text), phase)

    assert claim.exit_signal is signal
    assert bool(claim.problems) is not signal


def test_a_failed_call_signals_nothing() -> None:
    claim = read_response(AgentReply(text=ralph_block(), exit_code=1), Phase.GREEN)

    assert not claim.exit_signal
    assert claim.problems == ("EXIT_SIGNAL is true but the call failed (crashed)",)


def test_an_agent_that_is_blocked_is_heard_in_spite_of_an_illegal_value() -> None:
    text = ralph_block(STATUS="BLOCKED", EXIT_SIGNAL="false", FILES_MODIFIED="none", RECOMMENDATION="Blocked: no key")
    claim = read_response(AgentReply(text=text), Phase.GREEN)

    assert (claim.status, claim.recommendation) == (WorkStatus.BLOCKED, "Blocked: no key")
    assert len(claim.problems) == 1
