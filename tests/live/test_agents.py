"""`dualgate agents` with the real programs: what it finds, and one call of each."""

import json
from pathlib import Path

import pytest

from dualgate.agents.registry import CLIENTS
from tests.live.model_server import FakeModel
from tests.live.place import Place

LOCKED = Path(__file__).parent / "clis"


@pytest.mark.quick
@pytest.mark.parametrize("agent", sorted(CLIENTS))
def test_an_installed_agent_is_found_and_works(agent: str, place: Place) -> None:
    with FakeModel({"steps": [{"text": "Ready."}]}) as model:
        found = place.call(agent, model.url(), "agents", "--json")
        tried = place.call(agent, model.url(), "agents", "try", agent, "--json")

    (version,) = json.loads((LOCKED / agent / "package.json").read_text())["dependencies"].values()
    (state,) = (state for state in found.lines[-1]["agents"] if state["name"] == agent)
    assert (state["version"], state["login"], state["usable"]) == (version, "found", True), state
    assert (tried.code, tried.lines[-1]["works"]) == (0, True), tried.out + tried.err
    assert tried.lines[-1]["answer"].startswith("Ready.")
