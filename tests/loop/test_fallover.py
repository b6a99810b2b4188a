"""Another agent takes over: whole runs."""

import json
from pathlib import Path

from tests.loop.conftest import Dying
from tests.support import Dualgate, decisions

LIMITED = "echo 'Claude AI usage limit reached|4102444800'; exit 1"
LOGGED_OUT = "echo 'Invalid API key · Please run /login'; exit 1"


def test_the_next_agent_does_the_work_of_one_that_is_limited_and_all_is_told(dualgate: Dualgate, script: str) -> None:
    ended = dualgate("run", "SPEC.md", "--agent-command", LIMITED, "--fallback", script, "--json")

    assert (ended.code, ended.lines[-1]["agents"]) == (0, {LIMITED: 1, script: 5})
    assert decisions(ended)[:2] == [("RED", "rate_limited"), ("RED", "next_phase")]
    assert [line["agent"] for line in ended.lines[:2]] == [LIMITED, script]
    assert ended.lines[-1]["review"]["by"] is None
    switches = [line for line in dualgate("log", "--json").lines if line["kind"] == "agent.switched"]
    assert {(line["data"]["before"], line["data"]["agent"]) for line in switches} == {(LIMITED, script)}
    told = f"asking {script} instead of {LIMITED}: usage_limit until 2100-01-01"
    assert told in (Path(ended.lines[-1]["session"]) / "phase-status.log").read_text()
    assert "(" + LIMITED[:20] in dualgate("status").out
    assert dualgate("replay").code == 0


def test_a_change_of_agents_survives_a_kill(dying: Dying, dualgate: Dualgate, script: str) -> None:
    words = ("run", "SPEC.md", "--agent-command", LOGGED_OUT, "--fallback", script)
    died = dying(14, "after", *words)
    kinds = [json.loads(line)["kind"] for line in dualgate("log", "--json").out.splitlines()]

    ended = dualgate("resume", "--json")

    assert (died, ended.code) == (-9, 0)
    assert kinds.count("agent.switched") == 1
    assert ended.lines[-1]["agents"][LOGGED_OUT] == 1
    assert "authentication" in ended.lines[-1]["review"]["note"]


def test_where_nobody_is_left_the_run_is_blocked_with_what_each_needs(dualgate: Dualgate) -> None:
    second = "command:echo 'Credit balance is too low'; exit 1"

    ended = dualgate("run", "SPEC.md", "--agent-command", LOGGED_OUT, "--fallback", second, "--json")

    assert (ended.code, decisions(ended)) == (4, [("RED", "retry"), ("RED", "blocked")])
    assert "before it: authentication" in ended.lines[-1]["halt_reason"]


def test_a_command_that_holds_a_secret_is_an_agent_like_others(dualgate: Dualgate) -> None:
    secret = "correct-horse-9-battery"
    words = ["run", "SPEC.md", "--agent-command", LOGGED_OUT, "--fallback", f"command:false {secret}", "--json"]

    ended = dualgate(*words, MY_API_KEY=secret)

    assert (ended.code, decisions(ended)[-1]) == (3, ("RED", "stuck"))
    assert secret not in ended.out
    assert ended.lines[-1]["agents"]["false [redacted:MY_API_KEY]"] == 7
