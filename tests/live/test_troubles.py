"""What goes wrong with a provider, met by the real CLIs: told as what it is, and nothing left running."""

import pytest

from dualgate.agents.registry import CLIENTS
from tests.live.model_server import FakeModel
from tests.live.place import Place

ASKED_WRONGLY = [
    ("claude", "rate_limit", "rate_limit", 5),
    ("claude", "overloaded", "overloaded", 1),
    ("claude", "malformed_truncate", "cut_stream", 1),
    ("claude", "auth", "authentication", 4),
    ("claude", "context", "context_full", 1),
    ("claude on a plan", "usage_limit", "usage_limit", 5),
    ("codex", "usage_limit", "usage_limit", 5),
    ("codex", "overloaded", "overloaded", 1),
    ("codex", "malformed_truncate", "cut_stream", 1),
    ("codex", "auth", "authentication", 4),
    ("gemini", "usage_limit", "usage_limit", 5),
    ("gemini", "overloaded", "overloaded", 1),
    ("qwen", "malformed_truncate", "cut_stream", 1),
    ("qwen", "auth", "authentication", 4),
    ("opencode", "auth", "authentication", 4),
]


@pytest.mark.parametrize(("setup", "scene", "kind", "code"), ASKED_WRONGLY)
def test_a_failure_is_told_as_what_it_is(
    setup: str, scene: str, kind: str, code: int, place: Place, scenes: FakeModel
) -> None:
    ended = place.call(setup, scenes.url(scene), "agents", "try", setup.split()[0], "--json", "--timeout", "3m")

    assert (ended.lines[-1]["failure"] or {}).get("kind") == kind, ended.out + ended.err
    assert ended.code == code


@pytest.mark.parametrize("agent", ["qwen", "gemini", "opencode"])
@pytest.mark.parametrize("seconds", [1, 7200])
def test_a_cli_that_retries_into_a_limit_is_ended_after_a_few_requests(agent: str, seconds: int, place: Place) -> None:
    limit = {"error": "rate_limit", "retry_after": seconds, "times": -1}
    with FakeModel({"steps": [limit]}) as model:
        ended = place.call(agent, model.url(), "agents", "try", agent, "--json", "--timeout", "3m")

    tried = ended.lines[-1]
    assert (tried["failure"] or {}).get("kind") in ("rate_limit", "usage_limit"), ended.out + ended.err
    assert ended.code == 5
    # gemini asks other models too
    assert len(model.log) < 8, model.log
    assert tried["seconds"] < 150, "it ran into its limit of three minutes"


def test_opencode_that_only_compacts_has_a_full_context(place: Place) -> None:
    full = {"text": "on it", "usage": {"in": 250_000, "out": 10}, "times": -1}
    with FakeModel({"steps": [full]}) as model:
        ended = place.call("opencode", model.url(), "agents", "try", "opencode", "--json", "--timeout", "2m")

    assert ended.lines[-1]["failure"]["kind"] == "context_full", ended.out + ended.err


@pytest.mark.parametrize("agent", sorted(CLIENTS))
def test_a_model_that_never_answers_is_given_up(agent: str, place: Place, scenes: FakeModel) -> None:
    ended = place.call(agent, scenes.url("hang"), "agents", "try", agent, "--json", "--timeout", "15s")

    assert ended.lines[-1]["failure"]["kind"] == "timed_out"


@pytest.mark.parametrize("setup", ["claude on a plan", "codex"])
def test_a_run_that_does_not_wait_for_a_limit_ends_at_it(setup: str, place: Place, scenes: FakeModel) -> None:
    ended = place.call(setup, scenes.url("usage_limit"), "run", "SPEC.md", "--agent", setup.split()[0], "--no-wait")

    assert ended.code == 5, ended.out + ended.err
