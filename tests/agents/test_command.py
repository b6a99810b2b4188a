from pathlib import Path

from dualgate.agents.command import KEPT_BYTES, CommandAgent, agent_environment
from dualgate.core.vocabulary import Phase
from dualgate.testing import a_call, a_control


def test_the_prompt_comes_on_standard_input(tmp_path: Path) -> None:
    reply = CommandAgent(command="cat", project=tmp_path).ask(a_call(prompt="Grüße"), a_control())

    assert reply.text == "Grüße"


def test_the_agent_knows_its_place_but_not_where_the_session_lies() -> None:
    call = a_call(phase=Phase.QA, iteration=3, session_id="abc")

    environment = agent_environment({"PATH": "/bin", "PRP_SESSION_DIR": "/secret"}, call)

    assert environment == {
        "PATH": "/bin",
        "DUALGATE_PHASE": "QA",
        "DUALGATE_ITERATION": "3",
        "DUALGATE_ROLE": "reviewer",
        "DUALGATE_SESSION_ID": "abc",
    }


def test_of_a_flood_of_words_the_end_is_kept(tmp_path: Path) -> None:
    agent = CommandAgent(command="head -c 20000000 /dev/zero; echo the end", project=tmp_path)

    reply = agent.ask(a_call(), a_control())

    assert len(reply.text) == KEPT_BYTES
    assert reply.text.endswith("the end\n")
