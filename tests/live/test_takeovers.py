"""A real CLI makes no progress: the request of the stronger model, or of the other CLI, reaches the provider."""

from typing import Any

import pytest

from dualgate.core.values.vocabulary import Phase
from tests.live.model_server import FakeModel
from tests.live.place import Place
from tests.live.player import CODE, Player, Step


class Weak(Player):
    """Writes the code for one model or protocol only."""

    def __init__(self, strong: str) -> None:
        super().__init__()
        self.models: list[tuple[Phase, str]] = []
        self._strong = strong
        self._is_strong = False

    def __call__(self, request: Any) -> Step:
        self._is_strong = self._strong in (request.model, request.proto)
        before = len(self.asked)
        step = super().__call__(request)
        self.models += [(phase, request.model) for phase, _, _ in self.asked[before:]]
        return step

    def step(self, phase: Phase, iteration: int, results: int) -> Step:
        if phase is Phase.GREEN:
            return super().step(phase, 2 if self._is_strong else 1, results)
        return super().step(phase, iteration, results)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("agent", "stronger"), [("claude", "claude-opus-4-5"), ("codex", "gpt-5")], ids=["claude", "codex"]
)
def test_the_stronger_model_is_requested_from_the_provider(agent: str, stronger: str, place: Place) -> None:
    player = Weak(stronger)
    words = ("run", "SPEC.md", "--agent", agent, "--escalate-model", stronger, "--json")
    with FakeModel(player) as model:
        ended = place.call(agent, model.url(), *words)

    assert (ended.code, ended.lines[-1]["proven"]) == (0, True), ended.out + ended.err
    assert (place.project / "doubling.py").read_text() == CODE
    assert {phase for phase, name in player.models if name == stronger} == {Phase.GREEN}
    assert len({name for phase, name in player.models if phase is Phase.GREEN}) == 2
    assert ended.lines[-1]["usage"]["escalated"]["calls"] == 1


@pytest.mark.parametrize(("agent", "other"), [("claude", "codex")])
def test_another_cli_takes_over(agent: str, other: str, place: Place) -> None:
    player = Weak("responses")
    words = ("run", "SPEC.md", "--agent", agent, "--escalate-agent", other, "--json")
    with FakeModel(player) as model:
        ended = place.call(f"{agent}, {other}", model.url(), *words)

    assert (ended.code, ended.lines[-1]["proven"]) == (0, True), ended.out + ended.err
    assert {phase for phase, proto in player.spoken if proto == "responses"} == {Phase.GREEN}
    assert [(step["before"], step["agent"]) for step in ended.lines[-1]["escalations"]] == [
        (f"{agent}:claude-sonnet-4-5", other)
    ]
