"""What the loop does about a failure, told from what the real programs were recorded to say."""

import pytest

from dualgate.core.gates.reactions import REACTIONS, Response
from tests.agents.recordings import Recording, recordings

AGENTS = ("claude", "claude-oauth", "codex", "gemini", "qwen", "opencode")
EXPECTED = {
    "auth": {Response.GIVE_UP},
    # opencode says of an unknown model no more than that something went wrong
    "bad_model": {Response.GIVE_UP, Response.RETRY},
    "context": {Response.SHRINK},
    "hang": {Response.RETRY},
    "malformed_empty": {Response.RETRY},
    "malformed_json": {Response.RETRY},
    "malformed_truncate": {Response.RETRY},
    "max_turns": {Response.RETRY},
    "overloaded": {Response.RETRY},
    "server": {Response.RETRY},
    # qwen and opencode sit out a limit without a word, until their time is over
    "rate_limit": {Response.WAIT, Response.RETRY},
    "usage_limit": {Response.WAIT, Response.RETRY},
    "usage_limit_midway": {Response.WAIT},
}
FAILED = [
    each
    for agent in AGENTS
    for each in recordings(agent)
    if each.name.partition(".")[0] in EXPECTED and each.expected["failure"]
]


@pytest.mark.parametrize("recorded", FAILED, ids=str)
def test_a_recorded_failure_has_the_reaction_that_suits_it(recorded: Recording) -> None:
    failure = recorded.read().failure

    assert failure
    assert REACTIONS[failure.kind].response in EXPECTED[recorded.name.partition(".")[0]]
