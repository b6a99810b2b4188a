"""What no further call would mend: the run ends at once and says what would."""

import pytest

from dualgate.core.said.blocks import emit_ralph_status, fitting_tests_status
from dualgate.core.values.ralph_status import RalphStatus
from dualgate.core.values.vocabulary import Phase, WorkStatus, WorkType
from tests.live.model_server import FakeModel
from tests.live.place import Place
from tests.live.player import Player, Step

MENDED_BY = [
    ("claude", "auth", "run 'claude' once and log in"),
    ("claude", "bad_model", "name another with --model"),
    ("codex", "auth", "run 'codex login'"),
    ("codex", "bad_model", "name another with --model"),
    ("gemini", "auth", "run 'gemini' once and log in"),
    ("gemini", "bad_model", "name another with --model"),
    ("qwen", "auth", "run 'qwen' once and log in"),
    ("qwen", "bad_model", "name another with --model"),
    ("opencode", "auth", "run 'opencode auth login'"),
    ("opencode", "bad_model", "name another with --model"),
]


@pytest.mark.quick
@pytest.mark.parametrize(("agent", "scene", "mended_by"), MENDED_BY)
def test_a_run_that_only_a_person_can_mend_is_blocked_at_once(
    agent: str, scene: str, mended_by: str, place: Place, scenes: FakeModel
) -> None:
    ended = place.call(agent, scenes.url(scene), "run", "SPEC.md", "--agent", agent, "--json")

    assert (ended.code, ended.lines[-1]["agent_calls"]) == (4, 1), ended.out + ended.err
    assert mended_by in ended.lines[-1]["halt_reason"]


@pytest.mark.parametrize(("agent", "model"), [("opencode", "played/nosuch")])
def test_a_model_that_the_program_itself_does_not_know_blocks_too(
    agent: str, model: str, place: Place, scenes: FakeModel
) -> None:
    ended = place.call(agent, scenes.url("text"), "run", "SPEC.md", "--agent", agent, "--json", DUALGATE_MODEL=model)

    assert (ended.code, ended.lines[-1]["agent_calls"]) == (4, 1), ended.out + ended.err
    assert f"Model not found: {model}" in ended.lines[-1]["halt_reason"]
    assert "name another with --model" in ended.lines[-1]["halt_reason"]
    assert scenes.log == []


class Refused(Player):
    """Tries to write, and says that it could not."""

    def step(self, phase: Phase, iteration: int, results: int) -> Step:
        if not results:
            return {"tool": "write", "path": "tests/test_double.py", "content": "def test_ac1(): assert 0\n"}
        block = RalphStatus(
            status=WorkStatus.BLOCKED,
            tasks_completed=0,
            files_modified=0,
            tests_status=fitting_tests_status(phase),
            work_type=WorkType.TESTING,
            exit_signal=False,
            recommendation="I may not write",
        )
        return {"text": emit_ralph_status(block)}


# Codex does not say that a tool was refused: its BLOCKED is quoted back to it once
DENIED = [
    ("claude", """["--settings", '{"permissions": {"ask": ["Write"]}}']""", 1, "agents.default.args"),
    ("codex", '["--sandbox", "read-only"]', 2, "I may not write"),
]


@pytest.mark.quick
@pytest.mark.parametrize(("agent", "args", "calls", "said"), DENIED)
def test_an_agent_that_may_not_write_is_blocked(agent: str, args: str, calls: int, said: str, place: Place) -> None:
    (place.project / "dualgate.toml").write_text(f"[agents.default]\nargs = {args}\n")
    with FakeModel(Refused()) as model:
        ended = place.call(agent, model.url(), "run", "SPEC.md", "--agent", agent, "--json")

    assert (ended.code, ended.lines[-1]["agent_calls"]) == (4, calls), ended.out + ended.err
    assert said in ended.lines[-1]["halt_reason"]
    assert not (place.project / "tests" / "test_double.py").exists()


@pytest.mark.quick
@pytest.mark.parametrize("agent", ["codex"])
def test_an_agent_whose_own_sandbox_cannot_start_is_named_after_its_first_call(agent: str, place: Place) -> None:
    # Codex makes no link to its sandbox below a folder for temporary files
    temporary = str(place.home.parent)
    with FakeModel({"steps": [{"tool": "shell", "command": "ls"}, {"text": "Nothing works here."}]}) as model:
        words = ("run", "SPEC.md", "--agent", agent, "--sandbox", "none", "--json")
        ended = place.call(agent, model.url(), *words, TMPDIR=temporary)

    assert (ended.code, ended.lines[-1]["agent_calls"]) == (4, 1), ended.out + ended.err
    assert "cannot start its own sandbox" in ended.lines[-1]["halt_reason"]
    assert "danger-full-access" in ended.lines[-1]["halt_reason"]
