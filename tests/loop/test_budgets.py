"""Whole runs whose budgets are used up, and what goes on then."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.loop.scripts import GREEN, RED, REST
from tests.support import Dualgate, decisions

NOT_YET = '[[turn]]\nphase = "GREEN"\nclaims = "more"\n'


def costing(script: str, tokens: int = 1000, cost: float = 0.5) -> str:
    """The script with what each call tells of what it used."""
    told = f"[[turn]]\nusage = {{ input = {tokens - 100}, output = 100 }}\ncost = {cost}\n"
    return script.replace("[[turn]]\n", told)


@pytest.fixture
def agent(tmp_path: Path) -> str:
    (tmp_path / "script.toml").write_text(costing(RED + NOT_YET + GREEN + REST))
    return f"rehearsal:{tmp_path / 'script.toml'}"


def test_a_run_halts_before_the_call_that_a_budget_does_not_allow_and_goes_on_with_more(
    dualgate: Dualgate, agent: str
) -> None:
    first = dualgate("run", "SPEC.md", "--agent", agent, "--budget", "green.calls=1", "--json")
    same = dualgate("resume", "--json")
    more = dualgate("resume", "--budget", "GREEN.calls=2", "--max-tokens", "3000", "--json")
    rest = dualgate("resume", "--max-tokens", "off", "--json")

    spent = "GREEN: the budget of GREEN, 1 call (budget.GREEN.calls), is spent: 1 call"
    assert decisions(first) == [("RED", "next_phase"), ("GREEN", "continue")]
    assert first.lines[-1]["halt_reason"] == f"{spent}. Continue with: dualgate resume --budget GREEN.calls=2"
    assert (first.code, first.lines[-1]["ended_by"]) == (3, "budget_exhausted")
    assert (same.code, same.lines) == (3, [first.lines[-1]])
    spent = "REFACTOR: the budget of this run, 3,000 tokens (max_tokens), is spent: 3,000 tokens"
    assert decisions(more) == [("GREEN", "next_phase")]
    assert more.lines[-1]["halt_reason"] == f"{spent}. Continue with: dualgate resume --max-tokens 6000"
    assert (rest.code, rest.lines[-1]["agent_calls"]) == (0, 6)
    usage = rest.lines[-1]["usage"]
    assert (usage["calls"], usage["tokens"], usage["cost_usd"], usage["calls_without_tokens"]) == (6, 6000, 3.0, 0)
    assert usage["per_proven_criterion"] == {"count": 2, "tokens": 3000, "cost_usd": 1.5}
    assert [each["calls"] for each in usage["iterations"]] == [1] * 6
    assert rest.lines[0]["usage"]["tokens"] == 1000
    assert dualgate("status", "--json").lines[0]["usage"] == usage


def test_a_full_hour_is_waited_for_also_after_a_kill_and_is_no_iteration(
    dualgate: Dualgate, agent: str, project: Path, environment: dict[str, str]
) -> None:
    def delayed() -> list[str]:
        lines = dualgate("log", "--json").lines
        return [line["data"]["wait"]["until"] for line in lines if line.get("kind") == "call.delayed"]

    def stopped_while_waiting(number: signal.Signals, *words: str) -> int:
        before = len(delayed()) if words[0] == "resume" else 0
        with subprocess.Popen(
            [sys.executable, "-m", "dualgate", *words], cwd=project, env=environment, stdout=subprocess.DEVNULL
        ) as run:
            while len(delayed()) == before:
                assert run.poll() is None
                time.sleep(0.1)
            os.kill(run.pid, number)
        return run.returncode

    killed = stopped_while_waiting(signal.SIGKILL, "run", "SPEC.md", "--agent", agent, "--calls", "1")
    waiting = dualgate("status")
    paused = stopped_while_waiting(signal.SIGTERM, "resume")
    impatient = dualgate("resume", "--no-wait", "--json")
    ended = dualgate("resume", "--max-calls-per-hour", "off", "--json")

    first, second = delayed()
    assert (killed, paused, first) == (-9, 130, second)
    assert re.search(r"Waits +the next call waits until \d\d:\d\d: 1 call in the last hour", waiting.out)
    assert (impatient.code, impatient.lines[-1]["agent_calls"]) == (3, 1)
    assert (ended.code, ended.lines[0]["iteration"], ended.lines[-1]["agent_calls"]) == (0, 1, 6)
