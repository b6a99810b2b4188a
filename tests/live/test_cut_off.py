"""Runs that are cut off in the middle of a call: nothing is left at work, and what goes on comes to its end."""

import signal
from collections import Counter

import pytest

from dualgate.agents.registry import CLIENTS
from tests.live.model_server import FakeModel
from tests.live.place import Place
from tests.live.player import CALLS, CODE, Player, Step

# by the number of the call: what ends dualgate while the CLI runs a tool, and its exit code
CUTS = {2: (signal.SIGINT, 130), 4: (signal.SIGKILL, -9)}


def long_tool(call: int) -> Step:
    return {"tool": "shell", "command": f"touch began-{call} && python3 -c 'import time; time.sleep(3000)'"}


@pytest.mark.quick
@pytest.mark.parametrize("agent", sorted(CLIENTS))
def test_a_run_that_is_interrupted_and_then_killed_goes_on_to_its_end(agent: str, place: Place) -> None:
    words: tuple[str, ...] = ("run", "SPEC.md", "--agent", agent)
    with FakeModel(Player(place.calls, {call: long_tool(call) for call in CUTS})) as model:
        for call, (number, code) in CUTS.items():
            began = (place.project / f"began-{call}").exists
            cut = place.cut_off(number, began, agent, model.url(), *words)
            assert (began(), cut.code) == (True, code), cut.out + cut.err
            # only who was killed could not end what it had started, which a sandbox does for it
            assert number == signal.SIGKILL or place.at_work() == []
            words = ("resume", "--json")
        ended = place.call(agent, model.url(), *words)

    result = ended.lines[-1]
    assert (ended.code, result["proven"]) == (0, True), ended.out + ended.err
    assert (place.project / "doubling.py").read_text() == CODE
    kinds = Counter(event["kind"] for event in place.events("call.started", "call.ended", "call.interrupted"))
    assert kinds == {"call.started": CALLS + 2, "call.ended": CALLS, "call.interrupted": 2}
    assert result["agent_calls"] == CALLS + 2
