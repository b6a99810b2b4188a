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
WAITED = 8


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


# Codex says only the minute, and keeps the second for its own record
@pytest.mark.parametrize("setup", ["claude on a plan", "codex"])
def test_a_limit_is_waited_for_until_it_ends(setup: str, place: Place) -> None:
    limit = {"error": "usage_limit", "resets_in": WAITED}
    with FakeModel(Player(place.calls, {1: limit})) as model:
        ended = place.call(setup, model.url(), "run", "SPEC.md", "--agent", setup.split()[0], "--json")

    assert (ended.code, ended.lines[-1]["proven"]) == (0, True), ended.out + ended.err
    limited = place.events("call.ended")[0]["data"]["answer"]["failure"]
    asked_again = place.events("call.started")[1]["data"]
    assert limited["kind"] == "usage_limit"
    assert _time(asked_again["at"]) >= _time(limited["resets_at"])
    asked_at = _time(place.events("call.started")[0]["data"]["at"])
    # the provider tells whole seconds
    assert (_time(asked_again["at"]) - asked_at).total_seconds() >= WAITED - 1
    assert ended.lines[-1]["agent_calls"] == CALLS + 1


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
