import json
from pathlib import Path

import pytest

from tests.core.said.blocks.block_samples import ralph_block
from tests.support import Dualgate

DATA = Path(__file__).parents[1] / "data"
KEYS = [
    "decision", "reasons", "exit_signal", "indicators", "format", "agent", "status", "work_type", "error", "stuck",
    "limit", "session_id", "usage", "cost_usd", "turns", "denied", "questions", "problems",
]  # fmt: skip


def test_for_programs_it_is_one_object(dualgate: Dualgate) -> None:
    ended = dualgate("analyze", "--json", str(DATA / "claude" / "ok.json"))

    found = json.loads(ended.out)
    assert (ended.code, list(found)) == (0, KEYS)
    assert (found["agent"], found["format"], found["decision"]) == ("claude", "json", "continue")
    assert found["error"] == {"kind": None, "message": None}
    assert found["usage"] == {"input": 2800, "output": 58, "cached": 400}


def test_the_last_file_decides_with_what_is_known_beside_it(dualgate: Dualgate, project: Path) -> None:
    (project / "one.txt").write_text(ralph_block(STATUS="IN_PROGRESS", EXIT_SIGNAL="false"))
    (project / "two.txt").write_text(ralph_block())
    (project / "PLAN.md").write_text("- [x] all of it\n")

    found = json.loads(
        dualgate("analyze", "one.txt", "two.txt", "--tests", "passing", "--plan", "PLAN.md", "--json").out
    )

    assert (found["decision"], found["exit_signal"]) == ("project_complete", True)
    assert found["indicators"] == {"count": 3, "which": ["all_tasks_done", "tests_passing", "status_complete"]}


def test_a_failing_exit_code_and_standard_error_belong_to_the_last(dualgate: Dualgate, project: Path) -> None:
    (project / "one.txt").write_text("Working.")
    (project / "err.txt").write_text("boom\n")

    found = json.loads(
        dualgate("analyze", "one.txt", "one.txt", "--exit-code", "3", "--stderr", "err.txt", "--json").out
    )

    assert (found["decision"], found["error"]) == ("retry", {"kind": "crash", "message": "exit code 3: boom"})


def test_a_limit_is_told_with_its_end(dualgate: Dualgate) -> None:
    found = json.loads(
        dualgate("analyze", str(DATA / "claude-oauth" / "usage_limit.stream-json"), "--exit-code", "1", "--json").out
    )

    assert found["decision"] == "rate_limited"
    assert found["limit"]["kind"] == "usage_limit"
    assert found["limit"]["resets_at"].endswith("+00:00")


def test_for_people_the_decision_comes_first(dualgate: Dualgate) -> None:
    shown = dualgate("analyze", str(DATA / "claude" / "ok.json")).out

    assert shown.startswith("Decision  continue\nbecause   the answer has no complete RALPH_STATUS block\n")


@pytest.mark.parametrize("words", [("analyze",), ("analyze", "gone.txt"), ("analyze", "SPEC.md", "--tests", "maybe")])
def test_a_wrong_call_is_a_usage_error(dualgate: Dualgate, words: tuple[str, ...]) -> None:
    assert dualgate(*words).code == 2


def test_prompts_are_listed_and_shown(dualgate: Dualgate, project: Path) -> None:
    (project / "Cargo.toml").write_text("")
    names = [line.split()[0] for line in dualgate("prompts", "list").out.splitlines()]

    assert names[:2] == ["ralph", "ralph-status"]
    assert all(dualgate("prompts", "show", name).code == 0 for name in names)
    assert "- Tests: `cargo test`" in dualgate("prompts", "show", "ralph").out
    assert "- Tests: `go test ./...`" in dualgate("prompts", "show", "ralph", "--stack", "go").out
    assert dualgate("prompts", "show", "nonsense").code == 2
