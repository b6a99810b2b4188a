"""One CLI does the work and another reviews it, each by its own provider's protocol."""

import pytest

from dualgate.core.values.vocabulary import Phase
from tests.live.model_server import FakeModel
from tests.live.place import Place
from tests.live.player import Player, Step, done
from tests.loop.test_reviews import rejection
from tests.support import decisions

PROTOCOLS = {"claude": "anthropic", "codex": "responses"}
MENDED = "def double(value):\n    return value * 2\n"
MENDS = {"tool": "shell", "command": f"printf '{MENDED}' > doubling.py"}


class Strict(Player):
    """Rejects the first work that it reviews, and as a worker does what was asked for."""

    rejected = False

    def step(self, phase: Phase, iteration: int, results: int) -> Step:
        if phase is Phase.QA and not self.rejected:
            self.rejected = True
            return {"text": rejection()}
        if phase is Phase.GREEN and self.rejected:
            return (
                {"text": done(phase)} if results else {"tool": "shell", "command": f"printf '{MENDED}' > doubling.py"}
            )
        return super().step(phase, iteration, results)


@pytest.mark.quick
@pytest.mark.parametrize(("writer", "reviewer"), [("claude", "codex"), ("codex", "claude")])
def test_work_that_another_cli_rejects_is_mended_and_then_approved(writer: str, reviewer: str, place: Place) -> None:
    (place.project / "dualgate.toml").write_text(f'[agents.qa]\nagent = "{reviewer}"\n')
    player = Strict()
    with FakeModel(player) as model:
        ended = place.call(f"{writer}, {reviewer}", model.url(), "run", "SPEC.md", "--agent", writer, "--json")

    assert (ended.code, ended.lines[-1]["proven"]) == (0, True), ended.out + ended.err
    assert [decision for phase, decision in decisions(ended) if phase == "QA"] == ["rejected", "project_complete"]
    assert (place.project / "doubling.py").read_text() == MENDED
    assert {spoken for phase, spoken in player.spoken if phase is Phase.QA} == {PROTOCOLS[reviewer]}
    assert {spoken for phase, spoken in player.spoken if phase is not Phase.QA} == {PROTOCOLS[writer]}
    review = ended.lines[-1]["review"]
    assert (review["by"], review["note"], review["rejections"]) == (reviewer, None, 1)
