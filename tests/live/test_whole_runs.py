"""From a specification to proven work, with the real CLI doing the edits and the loop doing the proving."""

import json

import pytest

from dualgate.agents.registry import CLIENTS
from dualgate.core.values.vocabulary import Phase
from dualgate.errors import SandboxUnusable
from dualgate.processes.sandbox import require_bwrap
from tests.live.model_server import FakeModel
from tests.live.place import Place
from tests.live.player import CODE, Player

# outside of a sandbox, in which 127.0.0.1 is the sandbox itself
MODEL_HOST = "127.0.0.2"
MODELS = {
    "claude": "claude-sonnet-4-5",
    "codex": "gpt-5.5",
    "gemini": "gemini-2.5-pro",
    "opencode": "played/fake-model",
    "qwen": "fake-model",
}


@pytest.mark.parametrize("agent", sorted(CLIENTS))
def test_the_work_is_done_by_the_real_program_and_proven(agent: str, place: Place) -> None:
    player = Player()
    with FakeModel(player) as model:
        ended = place.call(agent, model.url(), "run", "SPEC.md", "--agent", agent, "--json")

    assert (ended.code, ended.lines[-1]["proven"]) == (0, True), ended.out + ended.err
    assert (place.project / "doubling.py").read_text() == CODE
    (state,) = place.home.glob(".bp-sessions/*/loop-state.json")
    assert json.loads(state.read_text())["green_model"] == MODELS[agent]
    # the second call of GREEN went on where the first had ended, and the next phase began anew
    assert {count for phase, iteration, count in player.asked if (phase, iteration) == (Phase.GREEN, 2)} == {2}
    assert {count for phase, _, count in player.asked if phase is not Phase.GREEN} == {1}


@pytest.mark.parametrize("agent", sorted(CLIENTS))
def test_the_same_is_done_inside_of_the_sandbox(agent: str, place: Place) -> None:
    _require_sandbox(place)
    with FakeModel(Player()) as model:
        ended = place.call(agent, model.url(), "run", "SPEC.md", "--agent", agent, "--json", "--sandbox", "bwrap")

    assert (ended.code, ended.lines[-1]["proven"]) == (0, True), ended.out + ended.err
    assert (place.project / "doubling.py").read_text() == CODE


# Codex and opencode have the address of another model in their own settings
@pytest.mark.parametrize(
    ("agent", "hosts"),
    [("claude", "model"), ("codex", MODEL_HOST), ("gemini", "model"), ("opencode", MODEL_HOST), ("qwen", "model")],
)
def test_the_same_is_done_where_only_the_host_of_the_model_is_reached(agent: str, hosts: str, place: Place) -> None:
    _require_sandbox(place)
    words = ("run", "SPEC.md", "--agent", agent, "--json", "--sandbox", "bwrap")
    with FakeModel(Player(), host=MODEL_HOST) as model:
        ended = place.call(agent, model.url(), *words, DUALGATE_SANDBOX_HOSTS=hosts)

    assert (ended.code, ended.lines[-1]["proven"]) == (0, True), ended.out + ended.err
    assert (place.project / "doubling.py").read_text() == CODE


def _require_sandbox(place: Place) -> None:
    try:
        require_bwrap(place.environment)
    except SandboxUnusable as error:
        pytest.skip(error.message)
