import os
from pathlib import Path

from dualgate.agents.command import CommandAgent, agent_environment
from dualgate.agents.output import TEXT_KEPT
from dualgate.core.values.vocabulary import Phase
from dualgate.processes.supervisor import Supervisor
from dualgate.testing import a_call, a_control

DATA = Path(__file__).parents[1] / "data"


def test_the_prompt_comes_on_standard_input(tmp_path: Path) -> None:
    reply = CommandAgent(command="cat", project=tmp_path, supervisor=Supervisor(os.environ)).ask(
        a_call(prompt="Grüße"), a_control()
    )

    assert reply.answer.text == "Grüße"


def test_the_agent_knows_its_place_but_not_where_the_session_lies() -> None:
    call = a_call(phase=Phase.QA, iteration=3, session_id="abc")

    environment = agent_environment(
        {"PATH": "/bin", "PRP_SESSION_DIR": "/secret", "DUALGATE_DASHBOARD_TOKEN": "t"}, call
    )

    assert environment == {
        "PATH": "/bin",
        "DUALGATE_PHASE": "QA",
        "DUALGATE_ITERATION": "3",
        "DUALGATE_ROLE": "reviewer",
        "DUALGATE_SESSION_ID": "abc",
    }


def test_of_a_flood_of_words_the_end_is_kept(tmp_path: Path) -> None:
    agent = CommandAgent(
        command="head -c 20000000 /dev/zero; echo the end", project=tmp_path, supervisor=Supervisor(os.environ)
    )

    reply = agent.ask(a_call(), a_control())

    assert len(reply.answer.text) == TEXT_KEPT
    assert reply.answer.text.endswith("the end\n")


def test_the_answer_of_a_known_cli_is_read_by_its_structure(tmp_path: Path) -> None:
    (tmp_path / "out.json").write_bytes((DATA / "claude" / "ok.json").read_bytes())

    reply = CommandAgent(command="cat out.json", project=tmp_path, supervisor=Supervisor(os.environ)).ask(
        a_call(), a_control()
    )

    assert (reply.answer.agent, reply.answer.turns) == ("claude", 2)
    assert reply.answer.text.startswith("Created hello.txt.")
