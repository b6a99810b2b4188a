"""A phase without progress: a stronger agent takes over before the run halts. Whole runs."""

import json
from pathlib import Path

import pytest

from tests.loop.conftest import Dying
from tests.loop.scripts import GREEN, RED, REST, REVIEW
from tests.support import Dualgate, Ended, decisions

STUCK = """
[[turn]]
phase = "GREEN"
"""
GIVES_UP = RED + STUCK * 9 + REST


@pytest.fixture
def stuck(tmp_path: Path) -> str:
    """An agent that writes the tests and no code."""
    (tmp_path / "stuck.toml").write_text(GIVES_UP)
    return f"rehearsal:{tmp_path / 'stuck.toml'}"


@pytest.fixture
def solver(tmp_path: Path) -> str:
    (tmp_path / "solver.toml").write_text(GREEN)
    return f"rehearsal:{tmp_path / 'solver.toml'}"


@pytest.fixture
def reviewer(tmp_path: Path) -> str:
    (tmp_path / "reviewer.toml").write_text(REVIEW)
    return f"rehearsal:{tmp_path / 'reviewer.toml'}"


def test_who_takes_over_solves_it_and_the_run_is_proven_with_its_usage_apart(
    dualgate: Dualgate, stuck: str, solver: str, reviewer: str
) -> None:
    words = ("--agent", stuck, "--escalate-agent", solver, "--qa-agent", reviewer)
    ended = dualgate("run", "SPEC.md", *words, "--json")

    result = ended.lines[-1]
    assert (ended.code, result["proven"], result["self_reviewed"]) == (0, True, False)
    assert decisions(ended)[1:5] == [
        ("GREEN", "continue"),
        ("GREEN", "continue"),
        ("GREEN", "escalate"),
        ("GREEN", "next_phase"),
    ]
    (step,) = result["escalations"]
    assert (step["agent"], step["before"], step["reason"]) == (solver, stuck, "no progress in 3 iterations")
    assert (result["usage"]["escalated"]["calls"], result["usage"]["calls"]) == (1, 8)
    told = dualgate("status").out
    assert "Takeover GREEN 3: rehearsal:solver.toml took over from rehearsal:stuck.toml" in told
    assert dualgate("status", "--json").lines[0]["escalations"] == [step]
    assert dualgate("report", "--format", "json").lines[0]["escalated"]["calls"] == 1
    prompt = (Path(result["session"]) / "calls").glob("0005*prompt*")
    assert "You take over this phase." in next(prompt).read_text()
    assert dualgate("replay").code == 0
    sooner = dualgate("replay", "--what-if", "breaker.GREEN.no_progress=2", "--json")
    assert (sooner.code, "escalate" in sooner.out) == (1, True)


def test_nobody_solves_it_and_the_run_halts_once_with_all_named(dualgate: Dualgate, tmp_path: Path, stuck: str) -> None:
    others = []
    for name in ("second", "third"):
        (tmp_path / f"{name}.toml").write_text(STUCK * 9)
        others += ["--escalate-agent", f"rehearsal:{tmp_path / f'{name}.toml'}"]

    ended = dualgate("run", "SPEC.md", "--agent", stuck, *others, "--json")

    assert (ended.code, len(decisions(ended))) == (3, 1 + 3 * 3)
    assert [each for _, each in decisions(ended)].count("escalate") == 2
    reason = ended.lines[-1]["halt_reason"]
    assert f"no progress in 3 iterations, also with {others[1]}, {others[3]}" in reason


def test_a_budget_binds_whoever_takes_over(dualgate: Dualgate, stuck: str, solver: str) -> None:
    ended = dualgate(
        "run", "SPEC.md", "--agent", stuck, "--escalate-agent", solver, "--budget", "GREEN.calls=3", "--json"
    )

    assert (ended.code, ended.lines[-1]["ended_by"]) == (3, "budget_exhausted")
    assert solver not in ended.lines[-1]["agents"]


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("number", [29, 30, 31, 32])
def test_a_kill_around_a_takeover_does_not_repeat_it(
    number: int, moment: str, dying: Dying, dualgate: Dualgate, stuck: str, solver: str
) -> None:
    died = dying(number, moment, "run", "SPEC.md", "--agent", stuck, "--escalate-agent", solver)
    before = _kinds(dualgate("log", "--json"))

    ended = dualgate("resume", "--json")

    assert (died, before[29:]) == (-9, ["turn.ended", "call.started", "call.ended"][: max(0, len(before) - 29)])
    assert (ended.code, len(ended.lines[-1]["escalations"])) == (0, 1)
    assert dualgate("log", "--json", "--event", "turn.ended").out.count('"escalates_to":"rehearsal') == 1
    assert ended.lines[-1]["agents"][solver] == 1 + (before[-1] == "call.started")
    assert dualgate("replay").code == 0


def _kinds(log: Ended) -> list[str]:
    return [json.loads(line)["kind"] for line in log.out.splitlines()]


def test_who_would_take_over_is_shown_and_checked_before_the_run(dualgate: Dualgate, stuck: str, solver: str) -> None:
    words = ("--agent", stuck, "--escalate-agent", solver)

    planned = dualgate("run", "SPEC.md", *words, "--dry-run", "--json").lines[0]
    told = dualgate("run", "SPEC.md", *words, "--dry-run").out
    checked = dualgate("doctor", "--all", *words).out

    assert {tuple(phase["escalation"]) for phase in planned["phases"]} == {(solver,)}
    assert f"before that {solver} takes over" in told
    assert "agent, escalation 1" in checked
