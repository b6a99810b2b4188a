"""The CLI's own session: it goes on, and its tokens are counted once."""

from pathlib import Path

import pytest

from dualgate.agents.client_agent import ClientAgent
from dualgate.agents.registry import CLIENTS
from dualgate.core.values.answer import Usage
from dualgate.processes.supervisor import Supervisor
from dualgate.testing import a_call, a_control
from tests.live.model_server import FakeModel
from tests.live.setups import SETUPS


@pytest.mark.parametrize("agent", sorted(CLIENTS))
def test_each_call_of_a_session_tells_its_own_tokens(
    agent: str, home: Path, environment: dict[str, str], project: Path
) -> None:
    with FakeModel() as model:
        seen = environment | SETUPS[agent](home, model.url("text"))
        asked = ClientAgent(
            client=CLIENTS[agent], project=project, supervisor=Supervisor(seen), model=seen.get("DUALGATE_MODEL")
        )
        answers = [asked.ask(a_call(number=number), a_control()).answer for number in (1, 2)]

    first, second = (answer.usage or Usage() for answer in answers)
    assert answers[0].session_id == answers[1].session_id
    assert first.input > 0
    assert (first.input, first.output, first.cached) == (second.input, second.output, second.cached)
