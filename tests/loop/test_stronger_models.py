"""A phase without progress, with the command lines of real CLIs: the stronger model, then the other agent is asked."""

from pathlib import Path

import pytest

from tests.loop.played_work import asked, play_work
from tests.support import Dualgate

SMALL = ("--agent", "claude", "--model", "small", "--sandbox", "none")
STUCK = [("claude", "small", "RED", False)] + [("claude", "small", "GREEN", False)] * 3
AFTER = ["REFACTOR", "DOCUMENT", "QA"]


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    return tmp_path / "bin"


def test_the_stronger_model_is_asked_and_its_cost_is_shown_apart(dualgate: Dualgate, bin_folder: Path) -> None:
    found = play_work(bin_folder, "claude", strong=("large",))

    ended = dualgate("run", "SPEC.md", *SMALL, "--escalate-model", "large", "--json", **found)

    assert (ended.code, ended.lines[-1]["proven"]) == (0, True), ended.err
    assert asked(bin_folder)[:5] == [*STUCK, ("claude", "large", "GREEN", True)]
    assert [(model, phase) for _, model, phase, _ in asked(bin_folder)[5:]] == [("small", phase) for phase in AFTER]
    (step,) = ended.lines[-1]["escalations"]
    assert (step["before"], step["agent"]) == ("claude:small", "claude:large")
    apart = ended.lines[-1]["usage"]["escalated"]
    assert (apart["calls"], apart["cost_usd"]) == (1, 1.0)
    told = dualgate("status").out
    assert "claude:large took over from claude:small" in told
    assert "$1.00" in told
    report = dualgate("report", "--format", "md").out
    assert "claude:large" in report
    assert dualgate("report", "--format", "json").lines[0]["escalated"]["cost_usd"] == 1.0
    assert "claude:large" in dualgate("log").out


def test_another_agent_takes_over_where_the_stronger_model_does_not_help(dualgate: Dualgate, bin_folder: Path) -> None:
    found = play_work(bin_folder, "claude", "codex", strong=("best",))
    words = ("--escalate-model", "large", "--escalate-agent", "codex:best")

    ended = dualgate("run", "SPEC.md", *SMALL, *words, "--json", **found)

    assert (ended.code, ended.lines[-1]["proven"]) == (0, True), ended.err
    assert asked(bin_folder)[:8] == [
        *STUCK,
        *[("claude", "large", "GREEN", True)] * 3,
        ("codex", "best", "GREEN", True),
    ]
    assert [step["agent"] for step in ended.lines[-1]["escalations"]] == ["claude:large", "codex:best"]
    assert ended.lines[-1]["usage"]["escalated"]["calls"] == 4
    # codex did not write a review of its own code
    assert asked(bin_folder)[-1] == ("claude", "small", "QA", False)
    assert dualgate("replay").code == 0


def test_a_breaker_that_still_opens_halts_with_the_names_of_all_that_were_tried(
    dualgate: Dualgate, bin_folder: Path
) -> None:
    found = play_work(bin_folder, "claude", "codex")
    words = ("--escalate-model", "large", "--escalate-agent", "codex:best")

    ended = dualgate("run", "SPEC.md", *SMALL, *words, "--json", **found)

    assert ended.code == 3, ended.err
    assert [row[:2] for row in asked(bin_folder)[1:]] == [
        *[("claude", "small")] * 3,
        *[("claude", "large")] * 3,
        *[("codex", "best")] * 3,
    ]
    assert "also with claude:large, codex:best" in ended.lines[-1]["halt_reason"]
    assert "also with claude:large, codex:best" in dualgate("status").out
