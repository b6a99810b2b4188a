"""Whole runs in which the provider fails again and again: each is told as what it is, and the work is proven."""

from datetime import datetime

import pytest

from tests.live.model_server import FakeModel
from tests.live.place import Place
from tests.live.player import CALLS, Player, Step

MEETS: dict[str, Step] = {
    "overloaded": {"error": "overloaded"},
    "cut_stream": {"text": "cut off in the middle", "malformed": "truncate"},
    "context_full": {"error": "context"},
    "idle": {"hang": "headers", "seconds": 3600},
    "usage_limit": {"error": "usage_limit", "resets_in": 2},
}
RUNS = [
    ("claude on a plan", ("overloaded", "cut_stream", "context_full", "idle", "usage_limit")),
    ("codex", ("overloaded", "cut_stream", "context_full", "idle")),
    ("gemini", ("overloaded", "context_full", "idle")),
    ("qwen", ("cut_stream", "context_full", "idle")),
    ("opencode", ("context_full", "idle")),
]
IDLE = "6s"


@pytest.mark.quick
@pytest.mark.parametrize(("setup", "troubles"), RUNS, ids=[setup for setup, _ in RUNS])
def test_a_run_outlives_every_trouble_of_its_provider(setup: str, troubles: tuple[str, ...], place: Place) -> None:
    # each call that fails is followed by one that does not
    instead = {2 * number + 1: MEETS[kind] for number, kind in enumerate(troubles)}
    with FakeModel(Player(place.calls, instead)) as model:
        words = ("run", "SPEC.md", "--agent", setup.split()[0], "--idle-timeout", IDLE, "--json")
        ended = place.call(setup, model.url(), *words)

    failures = [event["data"]["answer"]["failure"] for event in place.events("call.ended")]
    assert tuple(failure["kind"] for failure in failures if failure) == troubles, ended.out + ended.err
    assert (ended.code, ended.lines[-1]["proven"]) == (0, True), ended.out + ended.err
    assert ended.lines[-1]["agent_calls"] == CALLS + len(troubles)


# Codex says only the minute, so the one that is meant must not have begun
@pytest.mark.parametrize(("setup", "seconds"), [("claude on a plan", 5), ("codex", 61)])
def test_a_limit_is_waited_for_until_it_ends(setup: str, seconds: int, place: Place) -> None:
    limit = {"error": "usage_limit", "resets_in": seconds}
    with FakeModel(Player(place.calls, {1: limit})) as model:
        ended = place.call(setup, model.url(), "run", "SPEC.md", "--agent", setup.split()[0], "--json")

    assert (ended.code, ended.lines[-1]["proven"]) == (0, True), ended.out + ended.err
    limited = place.events("call.ended")[0]["data"]["answer"]["failure"]
    asked_again = place.events("call.started")[1]["data"]
    assert limited["kind"] == "usage_limit"
    assert _time(asked_again["at"]) >= _time(limited["resets_at"])
    assert ended.lines[-1]["agent_calls"] == CALLS + 1


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
