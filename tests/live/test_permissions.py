"""Who reviews is kept from writing by the CLI itself; who implements is not."""

from pathlib import Path

import pytest

from dualgate.agents.client_agent import ClientAgent
from dualgate.agents.registry import CLIENTS
from dualgate.core.values.vocabulary import Phase
from dualgate.processes.supervisor import Supervisor
from dualgate.testing import a_call, a_control
from tests.live.model_server import FakeModel
from tests.live.setups import SETUPS

TRIES_TO_WRITE = {
    "steps": [
        {"tool": "write", "path": "written.txt", "content": "written\n"},
        {"tool": "shell", "command": "touch touched.txt"},
        {"text": "That is all."},
    ]
}


@pytest.mark.quick
@pytest.mark.parametrize("agent", sorted(CLIENTS))
@pytest.mark.parametrize(
    ("phase", "expected"), [(Phase.GREEN, ["touched.txt", "written.txt"]), (Phase.QA, [])], ids=["GREEN", "QA"]
)
def test_only_who_implements_can_write(
    agent: str, phase: Phase, expected: list[str], home: Path, environment: dict[str, str], project: Path
) -> None:
    with FakeModel(TRIES_TO_WRITE) as model:
        seen = environment | SETUPS[agent](home, model.url())
        asked = ClientAgent(
            client=CLIENTS[agent],
            project=project,
            supervisor=Supervisor(seen),
            model=seen.get("DUALGATE_MODEL"),
            timeout=300,
        )
        asked.ask(a_call(phase=phase), a_control())

    assert any(request.get("n_tools") for request in model.log)
    assert sorted(path.name for path in project.glob("*.txt")) == expected
